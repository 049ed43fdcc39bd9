public import Foundation
import RecordStore

extension DeviceSync {
  /// Makes a device equal with a folder now, and then whenever one of its stores saved or the folder got something new;
  /// returns once the calling task is cancelled and the run under way has ended.
  ///
  /// No trouble ends it: a directory that is gone, a full disk, a lock that another synchronisation keeps are told
  /// once, tried again after growing waits, and once more told when they are over. Stores that are made later are
  /// found.
  public nonisolated func follow(
    device: URL, folder: URL, _ watch: WatchOptions = WatchOptions(),
    _ tell: @escaping @Sendable (WatchEvent<DeviceReport>) -> Void
  ) async {
    let timer = WatchTimer()
    let stores = WatchedStores(options) { timer.ring(within: watch.saveDelay) }
    await WatchLoop(options: watch, timer: timer, tell: tell) {
      let (device, folder) = (try DeviceDirectory(device), try DeviceDirectory(folder))
      // Heard of before the run, so that a save during it is published by the next one.
      _ = try stores.follow(device)
      let report = try await self.synchronize(device, folder: folder)
      // The run may have made stores.
      let own = try stores.follow(device)
      let keys = try self.keys(of: device)
      return WatchLoop.Round(report: report, places: try folder.placesOfArrival(own, keys) + device.groups())
    }.run()
  }

  /// The keys of the families that have one. The reason why a key file is refused is in the report.
  private nonisolated func keys(of device: DeviceDirectory) throws -> [DeviceDirectory.Place: FamilyKey] {
    var keys: [DeviceDirectory.Place: FamilyKey] = [:]
    for place in try device.places() {
      do {
        keys[place] = try KeyFile.familyKey(
          at: device.keyFile(at: place), of: place.familyID, passphrase: passphrase)
      } catch is SyncError {
        continue
      }
    }
    return keys
  }
}

extension DeviceDirectory {
  /// The places in a folder that another tool moves: where files of others arrive, and folders of stores that are new.
  fileprivate func placesOfArrival(
    _ own: [Place: Set<ReplicaID>], _ keys: [Place: FamilyKey]
  ) throws -> [URL] {
    try groups()
      + Set(places()).union(keys.keys).sorted().flatMap { place in
        try place.exchangeFolder(in: url, key: keys[place]).placesOfArrival(except: own[place] ?? [])
      }
  }

  /// Where stores are made, and the folders of their files.
  func groups() throws -> [URL] {
    let folders = try DurableFile.names(in: url).filter { !$0.hasPrefix(".") }.map { url.appending(path: $0) }
    return [url] + (try folders.filter { try DurableFile.item(at: $0) == .directory })
  }
}
