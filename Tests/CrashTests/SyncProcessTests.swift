import Foundation
import HelperProcess
import RecordStore
import RecordSync
import TestSupport
import Testing

/// An engine in one process, and writers in others.
@Suite struct SyncProcessTests {
  @Test func `an engine exports while another process saves, and nothing acknowledged is left behind`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let path = folder.appendingPathComponent("bank.store")
    let creator = try HelperProcess("create-bank", path.path)
    try creator.expect("created")
    #expect(try creator.finish() == 0)
    let store = try RecordStore.open(StoreConfiguration(url: path, timeoutSeconds: 60))
    let exchange = folder.appendingPathComponent("exchange")
    let engine = SyncEngine(store: store, folder: exchange)

    // Enough to go on beside all exports; without an end it goes on as long as each of them takes.
    let writer = try HelperProcess("write-bank", path.path, "1", "600")
    try writer.expect("writing")
    var acknowledged: UInt64 = 0
    for _ in 0..<10 {
      for _ in 0..<5 where try writer.line() != nil { acknowledged += 1 }
      _ = try await engine.export()
    }
    #expect(try writer.finish() == 0)
    while try writer.line() != nil { acknowledged += 1 }
    _ = try await engine.export()

    var options = SyncOptions()
    options.storeID = store.storeID
    let copy = try RecordStore.open(
      StoreConfiguration(url: folder.appendingPathComponent("other.store")),
      schema: StoreSchema(entities: []))
    _ = try await SyncEngine(store: copy, folder: exchange, options: options).import()
    let replica = try store.read { try $0.replica }
    // The accounts were one transaction, each transfer another.
    #expect(try copy.read { try $0.versionVector.sequence(of: replica) } == acknowledged + 1)
    #expect(try CanonicalDump.lines(of: copy).count == CanonicalDump.lines(of: store).count)
    try expectSound(store)
    try expectSound(copy)
  }
}
