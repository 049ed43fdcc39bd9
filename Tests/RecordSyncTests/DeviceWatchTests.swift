import Foundation
import HelperProcess
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// The watch of a device, whose stores other programs save in.
struct DeviceWatchTests {
  /// The watch began to hear of saves when its first run had ended.
  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
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

  /// The wait after a run that failed was as long as that between two looks, and saves waited, too.
  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
  func `a watch that looks once an hour tries again soon after a run that failed`() async throws {
    let (phone, root) = (try DeviceSyncTests.Device(), try TemporaryFolder())
    try phone.insertTag(1)
    var watch = WatchOptions()
    (watch.pollInterval, watch.greatestRetryDelay) = (.seconds(3_600), .milliseconds(5))
    let (device, folder, sync) = (phone.directory.url, root.url.appending(path: "unplugged"), DeviceSync())
    let (events, told) = AsyncStream.makeStream(of: WatchEvent<DeviceReport>.self)
    let watching = Task { [watch] in await sync.follow(device: device, folder: folder, watch) { told.yield($0) } }
    var exported: Int?
    for await event in events {
      if case .trouble = event {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      }
      guard case .synchronized(let report) = event else { continue }
      exported = report.stores.flatMap(\.devices.values).reduce(0) { $0 + $1.transactionsExported }
      break
    }
    #expect(exported == 1)
    watching.cancel()
    await watching.value
    try expectSound(phone.opened())
  }

  /// The watch kept to the store that was there before: saves in the new one were published by the next look alone.
  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
  func `saves in a store that was put in the place of another one are published at once`() async throws {
    let (phone, other, folder) = (try DeviceSyncTests.Device(), try DeviceSyncTests.Device(), try TemporaryFolder())
    try phone.insertTag(1)
    try other.insertTag(2)
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    var watch = WatchOptions()
    watch.saveDelay = .milliseconds(1)
    watch.pollInterval = .seconds(3_600)
    let (device, sync) = (phone.directory.url, DeviceSync(options: options))
    let (events, told) = AsyncStream.makeStream(of: WatchEvent<DeviceReport>.self)
    // Runs follow saves alone: what a run writes into folders that are watched would begin another one.
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, _ in call == .watch ? ENOSPC : nil }
    let watching = FileCall.$watcher.withValue(watcher) {
      Task { [watch] in await sync.follow(device: device, folder: folder.url, watch) { told.yield($0) } }
    }
    var exported = events.compactMap { event -> Int? in
      guard case .synchronized(let report) = event else { return nil }
      return report.stores.flatMap(\.devices.values).reduce(0) { $0 + $1.transactionsExported }
    }.filter { $0 > 0 }.makeAsyncIterator()
    #expect(await exported.next() == 1)
    phone.store = nil
    other.store = nil
    let place = phone.directory.store(at: DeviceSyncTests.place)
    let former = other.root.url.appending(path: "former")
    try FileManager.default.moveItem(at: place, to: former)
    try FileManager.default.moveItem(at: other.directory.store(at: DeviceSyncTests.place), to: place)
    // A process saves in the former one where it is now. The watch hears of that still, and finds the other store.
    let tags = other.root.url.appending(path: "tags.jsonl")
    try Data(#"{"name":"tag 9"}"#.utf8).write(to: tags)
    let program = try HelperProcess.executable(named: "tandem").path
    let command = try MachineCommand([program, "import", former.path, tags.path, "--entity", "Tag"])
    try #require(command.status == 0, "\(command.lines)")
    #expect(await exported.next() == 1)
    for number in 3...5 as ClosedRange<UInt64> {
      try phone.insertTag(number)
      #expect(await exported.next() == 1)
    }
    watching.cancel()
    await watching.value
    try expectSound(phone.opened())
  }
}
