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
    var watch = watch
    watch.pollInterval = watch.pollInterval ?? .seconds(30)
    let (timer, delay) = (WatchTimer(), watch.saveDelay)
    let stores = WatchedStores(configuration: configuration) { timer.ring(within: delay) }
    await WatchLoop(options: watch, timer: timer, tell: tell) {
      let device = try DeviceDirectory(device)
      let report = try await self.synchronize(device, transport: transport)
      _ = try stores.follow(device)
      return WatchLoop.Round(report: report, places: try device.groups())
    }.run()
  }
}
