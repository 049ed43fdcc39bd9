public import Foundation
public import RecordStore
public import Testing

/// A store in a folder of its own that goes when the test ends, after its invariants were checked.
///
/// No flush: a test's store need not survive power loss.
public func withTemporaryStore<Result>(
  schema: StoreSchema = .fixture, clock: WallClock = .system, uniqueness: UniquenessPolicy = .upsert,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (RecordStore) throws -> Result
) throws -> Result {
  let temporary = try TemporaryStore(schema: schema, clock: clock, uniqueness: uniqueness)
  let result = try body(temporary.store)
  try temporary.check(sourceLocation: sourceLocation)
  return result
}

/// As ``withTemporaryStore(schema:clock:uniqueness:sourceLocation:_:)`` for asynchronous tests.
public func withTemporaryStore<Result>(
  schema: StoreSchema = .fixture, clock: WallClock = .system, uniqueness: UniquenessPolicy = .upsert,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (RecordStore) async throws -> Result
) async throws -> Result {
  let temporary = try TemporaryStore(schema: schema, clock: clock, uniqueness: uniqueness)
  let result = try await body(temporary.store)
  try temporary.check(sourceLocation: sourceLocation)
  return result
}

/// A store whose folder is removed with the object. Call ``check(sourceLocation:)`` at the end of the test.
public final class TemporaryStore: Sendable {
  public let folder: URL
  public let configuration: StoreConfiguration
  public let store: RecordStore

  public init(
    schema: StoreSchema = .fixture, clock: WallClock = .system, uniqueness: UniquenessPolicy = .upsert,
    configure: (inout StoreConfiguration) -> Void = { _ in }
  ) throws {
    folder = try makeTemporaryFolder()
    var configuration = StoreConfiguration(
      url: folder.appendingPathComponent("test.store"), durability: .unsafeNoFlush, mapSizeBytes: 256 << 20,
      uniqueness: uniqueness, clock: clock)
    configure(&configuration)
    self.configuration = configuration
    do {
      store = try RecordStore.open(configuration, schema: schema)
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("cannot remove the temporary store: \(error)")
    }
  }

  /// Records an issue for each violated invariant.
  public func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectSound(store, sourceLocation: sourceLocation)
  }
}

/// Records an issue for each invariant that a store violates.
public func expectSound(_ store: RecordStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
  for violation in try store.integrityViolations() {
    Issue.record("the store violates an invariant: \(violation)", sourceLocation: sourceLocation)
  }
}

/// A new empty folder, in memory where the system has such a place.
public func makeTemporaryFolder() throws -> URL {
  let shared = URL(fileURLWithPath: "/dev/shm")
  let root = FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
  let folder = root.appendingPathComponent("tandem-test-\(RecordIDGenerator.shared.next())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
