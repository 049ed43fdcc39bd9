import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// The watch of a device, whose stores other programs save in.
struct DeviceWatchTests {
  /// The watch began to hear of saves when its first run had ended.
  @Test(.timeLimit(.minutes(1)))
  func `a save during the first run of a device's watch is published by the next one`() async throws {
    let (phone, folder) = (try DeviceSyncTests.Device(), try TemporaryFolder())
    try phone.insertTag(1)
    let store = try phone.opened()
    let names = try FixtureNames(store)
    let hasSaved = Mutex(false)
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.progress = { _, _, event in
      let isTime = hasSaved.withLock { hasSaved in
        guard case .ended(.export, _) = event, !hasSaved else { return false }
        hasSaved = true
        return true
      }
      guard isTime else { return }
      do {
        try store.save(names.insert("Tag", fixtureID(2), ["name": .string("tag 2")]))
      } catch {
        Issue.record(error)
      }
    }
    var watch = WatchOptions()
    watch.saveDelay = .milliseconds(1)
    watch.pollInterval = .seconds(3_600)
    let (device, sync) = (phone.directory.url, DeviceSync(options: options))
    let (events, told) = AsyncStream.makeStream(of: WatchEvent<DeviceReport>.self)
    // Where the system tells of no files, no run follows by itself.
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, _ in call == .watch ? ENOSPC : nil }
    let watching = FileCall.$watcher.withValue(watcher) {
      Task { [watch] in await sync.follow(device: device, folder: folder.url, watch) { told.yield($0) } }
    }
    var exported = 0
    for await event in events {
      guard case .synchronized(let report) = event else { continue }
      exported += report.stores.flatMap(\.devices.values).reduce(0) { $0 + $1.transactionsExported }
      if exported == 2 { break }
    }
    #expect(exported == 2)
    watching.cancel()
    await watching.value
    try expectSound(store)
  }
}
