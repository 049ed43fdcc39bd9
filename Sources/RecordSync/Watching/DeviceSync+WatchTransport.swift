public import Foundation
import RecordStore

extension DeviceSync {
  /// Makes a device equal with others over a transport now, whenever one of its stores saved, and as often as
  /// ``WatchOptions/pollInterval`` says: nobody tells of files that arrive at the other end. Without an interval that
  /// is every half minute. Returns as ``follow(device:folder:_:_:)`` does, and no trouble ends it either.
  public nonisolated func follow(
    device: URL, transport: any ExchangeTransport, _ watch: WatchOptions = WatchOptions(),
    _ tell: @escaping @Sendable (WatchEvent<DeviceReport>) -> Void
  ) async {
    await follow(device: device, transport: transport, watch, yieldsToOthers: false, tell)
  }

  /// `yieldsToOthers`: a run for which another synchronisation holds the directory's lock is left to that one, and is
  /// a trouble only where that takes long.
  package nonisolated func follow(
    device: URL, transport: any ExchangeTransport, _ watch: WatchOptions, yieldsToOthers: Bool,
    _ tell: @escaping @Sendable (WatchEvent<DeviceReport>) -> Void
  ) async {
    var watch = watch
    watch.pollInterval = watch.pollInterval ?? .seconds(30)
    let (timer, delay) = (WatchTimer(), watch.saveDelay)
    let stores = WatchedStores(options) { timer.ring(within: delay) }
    await WatchLoop(options: watch, timer: timer, tell: tell) {
      let device = try DeviceDirectory(device)
      do {
        // Heard of before the run, so that a save during it is published by the next one.
        _ = try stores.follow(device)
        let report = try await self.synchronize(device, transport: transport)
        // The run may have made stores.
        _ = try stores.follow(device)
        return WatchLoop.Round(report: report, places: try self.placesOfStores(in: device))
      } catch let error as SyncError where error.code == .busy && yieldsToOthers {
        return WatchLoop.Round(isTaken: error.message)
      }
    }.run()
  }

  /// Where stores are made that are to be synchronised.
  private nonisolated func placesOfStores(in device: DeviceDirectory) throws -> [URL] {
    guard let only = options.only else { return try device.groups() }
    let groups = Set(only.map(\.group)).sorted().map { device.url.appending(path: $0) }
    return try groups.filter { try DurableFile.item(at: $0) == .directory }
  }
}
