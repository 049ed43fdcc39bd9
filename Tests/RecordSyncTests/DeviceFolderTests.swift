import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// The folders that a device synchronises through: its own copy, and a shared one.
struct DeviceFolderTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private func sync(_ change: (inout DeviceSync.Options) -> Void = { _ in }) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    change(&options)
    return DeviceSync(options: options)
  }

  private func exchange(_ directory: DeviceDirectory) -> ExchangeFolder {
    ExchangeFolder(root: directory.exchange(at: Self.place), storeID: Self.place.familyID)
  }

  /// It said for ever: wait until the folder is complete.
  @Test(arguments: [0, 10, 40]) func `a damaged STORE in a device's own copy is written anew`(
    kept: Int
  ) async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    _ = try await sync().synchronize(phone.directory, laptop.directory)
    let marker = exchange(phone.directory).marker
    let intact = try Data(contentsOf: marker)
    for device in [phone, laptop] {
      try intact.prefix(kept).write(to: exchange(device.directory).marker)
      try device.insertTag(device === phone ? 2 : 3)
    }
    let report = try await sync().synchronize(phone.directory, laptop.directory)
    #expect(report.stores.map(\.failure) == [nil])
    for device in [phone, laptop] { #expect(try Data(contentsOf: exchange(device.directory).marker) == intact) }
    #expect(try phone.dump() == laptop.dump())
  }

  @Test func `the STORE of another store, or of a format to come, is left as it is`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    _ = try await sync().synchronize(phone.directory, laptop.directory)
    let marker = exchange(phone.directory).marker
    var newer = Array([UInt8](try Data(contentsOf: marker)).dropLast(4))
    newer[8] = 3
    let checksum = CRC32C.checksum(newer[...])
    newer += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt32($0))) }
    for foreign in [newer, StoreMarker(storeID: RecordID(high: 3, low: 4)).encoded] {
      try Data(foreign).write(to: marker)
      let report = try await sync().synchronize(phone.directory, laptop.directory)
      #expect(report.stores.first?.failure != nil)
      #expect(try [UInt8](Data(contentsOf: marker)) == foreign)
    }
  }

  /// Has every call fail that would change something below a folder.
  private func refusing(
    _ number: Int32, below folder: URL, _ body: () async throws -> Void
  ) async throws {
    let changing: Set<FileCall> = [.create, .makeFolder, .rename, .remove]
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      changing.contains(call) && path.hasPrefix(folder.path + "/") ? number : nil
    }
    try await FileCall.$watcher.withValue(watcher, operation: body)
  }

  /// Nothing came any more from a folder into which nothing could be written.
  @Test(arguments: [ENOSPC, EROFS, EACCES])
  func `what others wrote arrives from a folder that is full or read-only`(number: Int32) async throws {
    let (phone, laptop, root) = (try Device(), try Device(), try TemporaryFolder())
    let folder = try DeviceDirectory(root.url)
    for device in [phone, laptop, phone] {
      _ = try await sync().synchronize(device.directory, folder: folder)
    }
    try laptop.insertTag(1)
    _ = try await sync().synchronize(laptop.directory, folder: folder)
    try phone.insertTag(2)
    try await refusing(number, below: root.url) {
      for _ in 0..<2 {
        let report = try await sync().synchronize(phone.directory, folder: folder)
        let store = try #require(report.stores.first)
        #expect(store.failure == nil)
        #expect(store.undelivered.count == 1 && store.undelivered[0].contains(root.url.path), "\(store)")
        #expect(!report.isComplete)
      }
    }
    #expect(try phone.opened().isVisible("Tag", fixtureID(1)))
    #expect(try await sync().synchronize(phone.directory, folder: folder).isComplete)
    #expect(try await sync().synchronize(laptop.directory, folder: folder).isComplete)
    #expect(try laptop.dump() == phone.dump())
  }

  @Test func `an engine merges from a folder into which it cannot write, and says so`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await laptop.engine().sync()
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("mine")]))
    _ = try await phone.engine().sync()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    try await refusing(ENOSPC, below: laptop.root) {
      let report = try await laptop.engine().import()
      #expect(report.transactionsMerged == 1)
      #expect(report.undelivered.count == 1, "\(report)")
      #expect(report.undelivered.first?.contains("free some space") == true)
      let error = await #expect(throws: SyncError.self) { try await laptop.engine().sync() }
      #expect(error?.code == .inputOutput)
    }
    try phone.save(phone.names.insert("Tag", fixtureID(3), ["name": .string("three")]))
    _ = try await phone.engine().sync()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    try await refusing(EROFS, below: laptop.root) {
      let error = await #expect(throws: SyncError.self) { try await laptop.engine().sync() }
      #expect(error?.code == .inputOutput)
    }
    #expect(try laptop.store.isVisible("Tag", fixtureID(3)))
  }

  /// Old heads, and snapshots that their owner had replaced, were written and removed again at each synchronisation.
  @Test func `what others have replaced is not written back`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    for number in 1...5 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await phone.engine().sync()
      _ = try await phone.engine().writeSnapshot()
      if number == 2 { _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run() }
      if number > 2 { _ = try await phone.engine().compact() }
    }
    let written = Mutex<[String]>([])
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      if call == .create { written.withLock { $0.append(path) } }
      return nil
    }
    try FileCall.$watcher.withValue(watcher) {
      _ = try ExchangeCopy(source: laptop.exchange, target: phone.exchange).run()
    }
    #expect(written.withLock { $0 } == [])
  }

  private func modes(below folder: URL) throws -> (files: Set<Int>, folders: Set<Int>) {
    var (files, folders): (Set<Int>, Set<Int>) = ([], [])
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var status = stat()
      #expect(stat(folder.appending(path: path).path, &status) == 0)
      let mode = Int(status.st_mode & 0o777)
      if status.st_mode & S_IFMT == S_IFDIR { folders.insert(mode) } else { files.insert(mode) }
    }
    return (files, folders)
  }

  @Test(arguments: [false, true]) func `what a synchronisation makes is its user's alone, unless it is to be shared`(
    isShared: Bool
  ) async throws {
    let (phone, root) = (try Device(), try TemporaryFolder())
    try phone.insertTag(1)
    let report = try await sync { $0.sharesFolder = isShared }
      .synchronize(phone.directory, folder: DeviceDirectory(root.url))
    #expect(report.stores.map(\.failure) == [nil])
    let shared = try modes(below: root.url)
    let own = try modes(below: phone.directory.exchange(at: Self.place))
    #expect(own.files == [0o600] && own.folders == [0o700], "\(own)")
    #expect(shared.files == [isShared ? 0o644 : 0o600], "\(shared)")
    #expect(shared.folders == [isShared ? 0o755 : 0o700], "\(shared)")
  }

  @Test func `in a folder to which a group may write, the group may read and write what a synchronisation makes`()
    async throws
  {
    let (phone, root) = (try Device(), try TemporaryFolder())
    try phone.insertTag(1)
    #expect(chmod(root.url.path, 0o770) == 0)
    _ = try await sync().synchronize(phone.directory, folder: DeviceDirectory(root.url))
    let shared = try modes(below: root.url)
    #expect(shared.files == [0o660] && shared.folders == [0o770], "\(shared)")
  }
}
