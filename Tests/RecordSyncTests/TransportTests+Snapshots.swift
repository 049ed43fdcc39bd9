import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Snapshots of several chunks that do not come, or go, at once.
extension TransportTests {
  /// How a call for the files of a snapshot ends in their middle.
  enum CutOff: CaseIterable {
    case cancelledAfterManifest, cancelledBeforeManifest, lostAfterManifest, lostBeforeManifest

    var isCancelled: Bool { self == .cancelledAfterManifest || self == .cancelledBeforeManifest }
    var isManifestFirst: Bool { self == .cancelledAfterManifest || self == .lostAfterManifest }
  }

  /// How a chunk in the device's own copy is not as it must be.
  enum Harm: CaseIterable {
    case zeros, short, ofAnotherSnapshot
  }

  private static let recordCount = 50

  private func exchange(_ device: Device) -> ExchangeFolder {
    ExchangeFolder(root: device.directory.exchange(at: Self.place), storeID: Self.place.familyID)
  }

  /// Contents of 5 MB and more, so that a snapshot has six chunks.
  private func fill(_ device: Device) throws {
    let store = try device.opened()
    let names = try FixtureNames(store)
    for number in 1...UInt64(Self.recordCount) {
      let text = SeededGenerator.bytes(80_000, number).base64EncodedString()
      try store.save(names.insert("Note", fixtureID(number), ["text": .string(text)]))
    }
  }

  private func writeSnapshot(_ device: Device) async throws {
    var options = SyncOptions()
    options.storeID = Self.place.familyID
    options.recreatesMissingFolder = true
    options.exchangesValues = false
    let engine = SyncEngine(
      store: try device.opened(), folder: device.directory.exchange(at: Self.place), options: options)
    _ = try await engine.export()
    _ = try await engine.writeSnapshot()
  }

  /// A device whose snapshot, and no change set, lies at the transport.
  private func author(key: FamilyKey? = nil) async throws -> Device {
    let phone = try Device()
    if key != nil { try hand(key, to: phone) }
    try await settle(phone)
    try fill(phone)
    try await writeSnapshot(phone)
    try await settle(phone)
    try await removeSets()
    return phone
  }

  private func removeSets() async throws {
    for path in try await shelf.files where path.hasSuffix(".tcs") {
      try FileManager.default.removeItem(at: shelf.folder.appending(path: path))
    }
  }

  private func parts(of paths: [String]) -> [String] { paths.filter { $0.contains("/n/") }.sorted() }

  /// Chunks from the given ones on, and the manifest.
  private func rest(from chunk: Int, and others: Int...) async throws -> [String] {
    let kept = Set((0..<chunk).map(SnapshotName.chunk)).subtracting(others.map(SnapshotName.chunk))
    return parts(of: try await shelf.files).filter { path in !kept.contains { path.hasSuffix("/" + $0) } }
  }

  /// One run of a device, which ends in the middle of the snapshot: at the chunk with this number.
  private func cutOff(_ device: Device, at chunk: Int, _ cutOff: CutOff = .cancelledBeforeManifest) async throws {
    let name = SnapshotName.chunk(chunk)
    shelf.trouble.withLock { trouble in
      trouble.refused = { $0.hasSuffix(name) }
      trouble.isCancelling = cutOff.isCancelled
      if cutOff.isManifestFirst { trouble.first = { $0.hasSuffix(SnapshotName.manifest) } }
    }
    if cutOff.isCancelled {
      await #expect(throws: CancellationError.self) {
        try await sync().synchronize(device.directory, transport: shelf)
      }
    } else {
      let report = try await sync().synchronize(device.directory, transport: shelf)
      #expect(!report.isComplete && report.stores[0].failure == nil, "\(report)")
      let waiting = report.stores.flatMap { $0.devices.values.flatMap(\.waiting) }
      let named = waiting.filter { $0.contains("it is taken when a whole copy has arrived") }
      #expect(named.count == 1, "\(named)")
    }
    shelf.trouble.withLock { $0 = .init() }
    _ = shelf.paths
  }

  @Test(arguments: [false, true], CutOff.allCases)
  func `chunks of a snapshot that a cut-off run has fetched are not fetched again`(
    hasKey: Bool, end: CutOff
  ) async throws {
    let key = hasKey ? FamilyKey() : nil
    let (phone, laptop) = (try await author(key: key), try Device(hasStore: false))
    if hasKey { try hand(key, to: laptop) }
    try #require(try await rest(from: 0).count == 7)
    try await cutOff(laptop, at: 3, end)
    try await cutOff(laptop, at: 5, end)
    try await settle(laptop)
    #expect(try await parts(of: shelf.paths) == rest(from: 5))
    try expectEqual(phone, laptop, tags: Self.recordCount)
    #expect(try await settle(laptop).map(\.isUnchanged) == [true])
  }

  @Test(arguments: [false, true], Harm.allCases)
  func `a bad chunk of a cut-off run is replaced`(hasKey: Bool, harm: Harm) async throws {
    let key = hasKey ? FamilyKey() : nil
    let (phone, laptop) = (try await author(key: key), try Device(hasStore: false))
    if hasKey { try hand(key, to: laptop) }
    try await cutOff(laptop, at: 3, .lostBeforeManifest)
    let snapshot = try #require(try exchange(phone).intactSnapshots().first)
    let chunk = exchange(laptop).folder(snapshot.name, of: snapshot.owner).appending(path: SnapshotName.chunk(1))
    let whole = try Data(contentsOf: chunk)
    switch harm {
    case .zeros: try Data(count: whole.count).write(to: chunk)
    case .short: try whole.dropLast().write(to: chunk)
    case .ofAnotherSnapshot:
      let other = SnapshotChunk.encode([1, 2, 3], index: 1, storeID: Self.place.familyID)
      try Data(other).write(to: chunk)
      // It proves itself; the manifest tells that it does not belong there.
      try await settle(laptop, isComplete: false)
      #expect(try await parts(of: shelf.paths) == rest(from: 3))
    }
    try await settle(laptop)
    #expect(try await parts(of: shelf.paths) == rest(from: harm == .ofAnotherSnapshot ? 6 : 3, and: 1))
    try expectEqual(phone, laptop, tags: Self.recordCount)
  }

  @Test(arguments: [false, true])
  func `a damaged snapshot at the place is fetched once, also where a run was cut off`(
    provesItself: Bool
  ) async throws {
    let (phone, laptop) = (try await author(), try Device())
    let path = try #require(try await shelf.files.first { $0.hasSuffix(SnapshotName.chunk(1)) })
    let file = shelf.folder.appending(path: path)
    let whole = try Data(contentsOf: file)
    let other = SnapshotChunk.encode([1, 2, 3], index: 1, storeID: Self.place.familyID)
    try (provesItself ? Data(other) : Data(count: whole.count)).write(to: file)
    try await cutOff(laptop, at: 3, .lostBeforeManifest)
    try await settle(laptop, isComplete: false)
    #expect(try await parts(of: shelf.paths) == (provesItself ? rest(from: 3) : rest(from: 3, and: 1)))
    if provesItself {
      try await settle(laptop, isComplete: false)
      #expect(try await parts(of: shelf.paths) == rest(from: 6, and: 1))
    }
    let readCount = Mutex(0)
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      if call == .read, path.hasSuffix(".tsc") { readCount.withLock { $0 += 1 } }
      return nil
    }
    try await FileCall.$watcher.withValue(watcher) {
      for _ in 0..<2 {
        try await settle(laptop, isComplete: false)
        #expect(parts(of: shelf.paths) == [])
      }
    }
    #expect(readCount.withLock { $0 } == 0, "nor are the chunks here read")
    // Listed otherwise, it is tried again.
    try whole.dropLast().write(to: file)
    try await settle(laptop, isComplete: false)
    try whole.write(to: file)
    if provesItself {
      try await settle(laptop)
      try expectEqual(phone, laptop, tags: Self.recordCount)
    }
  }

  @Test(arguments: [false, true])
  func `chunks of a snapshot that its owner has replaced meanwhile do not stay`(isNewerCutOff: Bool) async throws {
    let (phone, laptop) = (try await author(), try Device(hasStore: false))
    try await cutOff(laptop, at: 3)
    try phone.insertTag(1_000)
    let former = try #require(try exchange(phone).intactSnapshots().first)
    try await writeSnapshot(phone)
    try DurableFile.removeFolder(former.folder)
    for path in try await shelf.files where path.contains(former.name.text) {
      try FileManager.default.removeItem(at: shelf.folder.appending(path: path))
    }
    try await settle(phone)
    try await removeSets()
    if isNewerCutOff {
      try await cutOff(laptop, at: 2)
      try await cutOff(laptop, at: 4)
      let here = try DurableFile.names(in: exchange(laptop).snapshots(of: former.owner))
      #expect(here.count == 1 && here.first != former.name.text)
    }
    try await settle(laptop)
    let newest = try #require(try exchange(phone).intactSnapshots().first)
    #expect(try DurableFile.names(in: exchange(laptop).snapshots(of: former.owner)) == [newest.name.text])
    try expectEqual(phone, laptop, tags: Self.recordCount + 1)
  }

  @Test func `chunks of a snapshot that is older than a whole one go, and its rest is fetched once`() async throws {
    let (phone, laptop) = (try await author(), try Device())
    let former = try #require(try exchange(phone).intactSnapshots().first)
    try phone.insertTag(1_000)
    try await writeSnapshot(phone)
    try await settle(phone)
    try await removeSets()
    try #require(try await rest(from: 0).count == 14)
    let (older, chunk) = (former.name.text, SnapshotName.chunk(3))
    shelf.trouble.withLock { trouble in
      trouble.first = { $0.contains("/n/") && !$0.contains(older) }
      trouble.refused = { $0.contains(older) && $0.hasSuffix(chunk) }
    }
    try await settle(laptop, isComplete: false)
    let place = exchange(laptop).snapshots(of: former.owner)
    #expect(try DurableFile.names(in: place).count == 2)
    shelf.trouble.withLock { $0 = .init() }
    _ = shelf.paths
    try await settle(laptop)
    #expect(try await parts(of: shelf.paths) == rest(from: 3).filter { $0.contains(older) })
    #expect(try DurableFile.names(in: place).count == 1)
    try await settle(laptop)
    #expect(parts(of: shelf.paths) == [])
    try expectEqual(phone, laptop, tags: Self.recordCount + 1)
  }

  @Test func `a bound on bytes counts the chunks that are fetched`() async throws {
    let (phone, laptop) = (try await author(), try Device(hasStore: false))
    try phone.insertTag(1_000)
    try await settle(phone)
    // The stream up to the snapshot; the newest change set stays.
    for path in try await shelf.files where path.hasSuffix(".tcs") {
      guard try Data(contentsOf: shelf.folder.appending(path: path)).count > 20_000 else { continue }
      try FileManager.default.removeItem(at: shelf.folder.appending(path: path))
    }
    #expect(try await shelf.files.filter { $0.hasSuffix(".tcs") }.count == 1)
    try await cutOff(laptop, at: 5)
    var options = DeviceSync.Options()
    options.configuration = sync().options.configuration
    options.maximumBytes = 2 << 20
    let report = try await DeviceSync(options: options).synchronize(laptop.directory, transport: shelf)
    let paths = shelf.paths
    #expect(try await parts(of: paths) == rest(from: 5))
    #expect(paths.contains { $0.hasSuffix(".tcs") }, "the snapshot's rest leaves room for it")
    #expect(report.stores[0].refused.isEmpty && report.stores[0].failure == nil, "\(report)")
    for _ in 0..<3 { _ = try await sync().synchronize(laptop.directory, transport: shelf) }
    try expectEqual(phone, laptop, tags: Self.recordCount + 1)
  }

  @Test(arguments: [false, true])
  func `chunks that a cut-off run has brought are not brought again`(isCancelled: Bool) async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try await settle(phone)
    try fill(phone)
    try await writeSnapshot(phone)
    let name = SnapshotName.chunk(3)
    shelf.trouble.withLock { trouble in
      trouble.refused = { $0.hasSuffix(name) }
      trouble.isCancelling = isCancelled
    }
    if isCancelled {
      await #expect(throws: CancellationError.self) {
        try await sync().synchronize(phone.directory, transport: shelf)
      }
    } else {
      try await settle(phone, isComplete: false)
    }
    shelf.trouble.withLock { $0 = .init() }
    // The manifest has not come: nobody asks for the chunks.
    _ = shelf.paths
    #expect(parts(of: shelf.paths) == [])
    try await settle(phone)
    #expect(try await parts(of: shelf.paths) == rest(from: 3))
    try await removeSets()
    try await settle(laptop)
    try expectEqual(phone, laptop, tags: Self.recordCount)
  }

  /// A file that could not be written counted as one that nobody wants, and was not fetched again.
  @Test(arguments: ["/n/", "/s/"])
  func `what a full disk could not take is taken once there is room`(kind: String) async throws {
    let (phone, laptop) = (try await author(), try Device())
    if kind == "/s/" {
      try await settle(laptop)
      try phone.insertTag(1_000)
      try await settle(phone)
    }
    let own = laptop.directory.exchange(at: Self.place).path
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      call == .rename && path.hasPrefix(own) && path.contains(kind) ? ENOSPC : nil
    }
    try await FileCall.$watcher.withValue(watcher) {
      let report = try await sync().synchronize(laptop.directory, transport: shelf)
      #expect(report.stores[0].undelivered.contains { $0.contains("free some space") }, "\(report)")
    }
    try await settle(laptop)
    try expectEqual(phone, laptop, tags: Self.recordCount + (kind == "/s/" ? 1 : 0))
  }

  /// A folder at hand.
  @Test(arguments: [false, true], [false, true])
  func `a copy of a snapshot into a full folder goes on where it was`(hasKey: Bool, isOwnCopy: Bool) async throws {
    let (phone, root) = (try await author(), try TemporaryFolder())
    let key = hasKey ? FamilyKey() : nil
    let shared = Self.place.exchangeFolder(in: root.url, key: key)
    if isOwnCopy { _ = try ExchangeCopy(source: exchange(phone), target: shared).run() }
    let (taker, taken) = (try TemporaryFolder(), try #require(try exchange(phone).intactSnapshots().first))
    let target = isOwnCopy ? ExchangeFolder(root: taker.url, storeID: Self.place.familyID) : shared
    var copy = ExchangeCopy(source: isOwnCopy ? shared : exchange(phone), target: target)
    if isOwnCopy { copy.prunable = nil }
    func run(upTo chunk: Int) throws -> ExchangeCopy.Outcome {
      let name = SnapshotName.chunk(chunk)
      return try FileCall.$watcher.withValue({ $0 == .rename && $1.hasSuffix(name) ? ENOSPC : nil }) { try copy.run() }
    }
    #expect(try run(upTo: 3).undelivered != nil)
    let folder = target.folder(taken.name, of: taken.owner)
    func number(_ chunk: Int) throws -> Int {
      let path = folder.appending(path: SnapshotName.chunk(chunk)).path
      return try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }
    let numbers = try (0..<3).map(number)
    let damaged = folder.appending(path: SnapshotName.chunk(1))
    try Data(contentsOf: damaged).dropLast().write(to: damaged)
    #expect(try run(upTo: 5).undelivered != nil)
    #expect(try target.intactSnapshots().isEmpty)
    #expect(try copy.run().undelivered == nil)
    #expect(try [number(0), number(2)] == [numbers[0], numbers[2]])
    #expect(try target.intactSnapshots().map { try $0.isWhole() } == [true])
  }

  @Test func `chunks of a copy from a folder go once their snapshot is replaced there`() async throws {
    let (phone, laptop, root) = (try await author(), try Device(hasStore: false), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    _ = try await sync(accepting: true).synchronize(phone.directory, folder: folder)
    let former = try #require(try exchange(phone).intactSnapshots().first)
    let (name, own) = (SnapshotName.chunk(3), laptop.directory.exchange(at: Self.place).path)
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      call == .rename && path.hasSuffix(name) && path.hasPrefix(own) ? ENOSPC : nil
    }
    try await FileCall.$watcher.withValue(watcher) {
      let report = try await sync().synchronize(laptop.directory, folder: folder)
      #expect(!report.isComplete, "\(report)")
    }
    #expect(try DurableFile.names(in: exchange(laptop).snapshots(of: former.owner)) == [former.name.text])
    #expect(try exchange(laptop).intactSnapshots().isEmpty)
    try phone.insertTag(1_000)
    try await writeSnapshot(phone)
    for directory in [phone.directory, folder] {
      let place = ExchangeFolder(root: directory.exchange(at: Self.place), storeID: Self.place.familyID)
      try DurableFile.removeFolder(place.folder(former.name, of: former.owner))
    }
    _ = try await sync().synchronize(phone.directory, folder: folder)
    #expect(try await sync().synchronize(laptop.directory, folder: folder).isComplete)
    let newest = try #require(try exchange(phone).intactSnapshots().first)
    #expect(try DurableFile.names(in: exchange(laptop).snapshots(of: former.owner)) == [newest.name.text])
    try expectEqual(phone, laptop, tags: Self.recordCount + 1)
  }
}
