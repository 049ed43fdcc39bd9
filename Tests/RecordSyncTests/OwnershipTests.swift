import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A tool that is run as root leaves a store to whom it belongs. Only root can try it.
@Suite(.enabled(if: geteuid() == 0, "needs root")) struct OwnershipTests {
  private static let owner: uid_t = 12_345
  private static let group: gid_t = 23_456
  private static let sideFiles = ["lock.mdb", "notify", "writer.lock", "opening"]

  /// A closed store in a folder of its own; both belong to the owner, and all that is in them.
  private func withOwnedStore(_ body: (_ folder: URL, _ store: URL) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "app.store")
    try save(in: store, 1)
    for path in try paths(in: folder.url) + [folder.url.path] { #expect(chown(path, Self.owner, Self.group) == 0) }
    try await body(folder.url, store)
  }

  private func open(_ url: URL) throws -> RecordStore {
    try RecordStore.open(StoreConfiguration(url: url, mapSizeBytes: 64 << 20), schema: .fixture)
  }

  /// Saves so often that the log is made.
  private func save(in url: URL, _ first: UInt64) throws {
    let store = try open(url)
    let names = try FixtureNames(store)
    for number in 0..<5 {
      _ = try store.commit(
        SaveRequest(changes: [
          names.insert("Tag", fixtureID(first + UInt64(number)), ["name": .string("tag \(first + UInt64(number))")])
        ]))
    }
    try expectSound(store)
  }

  private func paths(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appending(path: $0).path }
  }

  private func owner(_ path: String) throws -> [UInt32] {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
    return [status.st_uid, status.st_gid]
  }

  private func expectOwned(_ folder: URL) throws {
    for path in try paths(in: folder) { #expect(try owner(path) == [Self.owner, Self.group], "\(path)") }
  }

  @Test(arguments: sideFiles) func `a file that root makes beside the data belongs to the owner of the data`(
    name: String
  ) async throws {
    try await withOwnedStore { folder, store in
      try FileManager.default.removeItem(at: store.appending(path: name))
      try save(in: store, 100)
      #expect(FileManager.default.fileExists(atPath: store.appending(path: name).path))
      try expectOwned(folder)
    }
  }

  @Test func `what root exports belongs to the owner of the folder, and an identity to the store's`() async throws {
    try await withOwnedStore { folder, store in
      let exchange = folder.appending(path: "exchange")
      do {
        let opened = try open(store)
        var options = SyncOptions()
        options.storeID = TestReplica.family
        #expect(try await SyncEngine(store: opened, folder: exchange, options: options).export().filesExported == 1)
      }
      #expect(try paths(in: folder).contains { $0.hasSuffix(".store.identity") })
      #expect(try paths(in: exchange).count > 4)
      try expectOwned(folder)
    }
  }

  @Test(arguments: sideFiles) func `a link that lies where root makes a file gives nobody's file away`(
    name: String
  ) async throws {
    try await withOwnedStore { folder, store in
      let other = try TemporaryFolder()
      let victim = other.url.appending(path: "victim")
      let link = store.appending(path: name)
      try FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
      // Whether the store can be used with it or not.
      try? save(in: store, 100)
      if FileManager.default.fileExists(atPath: victim.path) { #expect(try owner(victim.path) == [0, 0]) }
      try Data(count: 0).write(to: victim)
      try? save(in: store, 200)
      #expect(try owner(victim.path) == [0, 0])
    }
  }

  @Test func `a link in the place of a file on its way to its name is not followed`() async throws {
    try await withOwnedStore { folder, store in
      let victim = folder.appending(path: "victim")
      try Data("kept".utf8).write(to: victim)
      let partial = folder.appending(path: "app.store.identity.partial")
      try FileManager.default.createSymbolicLink(at: partial, withDestinationURL: victim)
      do {
        let opened = try open(store)
        _ = try await SyncEngine(store: opened, folder: folder.appending(path: "exchange")).export()
      }
      #expect(try Data(contentsOf: victim) == Data("kept".utf8))
      #expect(try owner(victim.path) == [0, 0])
    }
  }
}
