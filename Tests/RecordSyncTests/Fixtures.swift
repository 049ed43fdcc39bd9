import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws { url = try makeTemporaryFolder() }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Issue.record("could not remove \(url.path): \(error)")
    }
  }
}

/// A store with its own exchange folder, as one device of a test has them.
final class TestReplica: Sendable {
  static let family = RecordID(high: 0xFA, low: 1)

  let temporary: TemporaryStore
  let folder = Mutex<TemporaryFolder?>(nil)
  let clock: ManualClock
  let names: FixtureNames
  let root: URL
  private let copied: TemporaryFolder?
  var store: RecordStore { temporary.store }

  init(
    clock: ManualClock = ManualClock(), schema: StoreSchema = .fixture, replica: ReplicaID? = nil,
    savesPlainly: Bool = true, largeValueBytes: Int = 131_072
  ) throws {
    self.clock = clock
    temporary = try TemporaryStore(schema: schema, clock: clock.wallClock) {
      $0.replicaOfNewStore = replica
      $0.savesPlainly = savesPlainly
      $0.largeValueBytes = largeValueBytes
    }
    names = try FixtureNames(temporary.store)
    copied = nil
    let made = try TemporaryFolder()
    root = made.url
    folder.withLock { $0 = made }
  }

  /// Another device with all that `other` has, replica id and exchange folder included, as a tool makes it that copies
  /// whole disks.
  init(copyOf other: TestReplica, schema: StoreSchema = .fixture) throws {
    clock = other.clock
    let copied = try TemporaryFolder()
    let data = copied.url.appending(path: "copied.store")
    try FileManager.default.copyItem(at: other.store.url, to: data)
    temporary = try TemporaryStore(schema: schema, clock: clock.wallClock) {
      $0.url = data
      $0.confirmsIdentity = false
    }
    names = try FixtureNames(temporary.store)
    self.copied = copied
    let made = try TemporaryFolder()
    root = made.url.appending(path: "exchange")
    try FileManager.default.copyItem(at: other.root, to: root)
    folder.withLock { $0 = made }
  }

  var exchange: ExchangeFolder { ExchangeFolder(root: root, storeID: TestReplica.family) }
  var id: ReplicaID { get throws { try store.read { try $0.replica } } }

  func engine(_ change: (inout SyncOptions) -> Void = { _ in }) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = TestReplica.family
    change(&options)
    return SyncEngine(store: store, folder: root, options: options)
  }

  /// Everything that this replica knows goes to `other`, and is merged there.
  @discardableResult
  func send(to other: TestReplica) async throws -> SyncReport {
    _ = try await engine().export()
    _ = try ExchangeCopy(source: exchange, target: other.exchange).run()
    return try await other.engine().import()
  }

  func save(_ changes: RecordChange...) throws {
    clock.advance()
    _ = try store.commit(SaveRequest(changes: changes))
  }

  var streamFiles: [URL] { get throws { try exchange.listing(of: id).files.map(\.url) } }
  var dump: [String] { get throws { try CanonicalDump.lines(of: store) } }
}

extension ExchangeFolder {
  /// A snapshot of one chunk at most.
  func publish(_ payload: [UInt8], as manifest: SnapshotManifest, named name: SnapshotName) throws {
    if !payload.isEmpty { try publish(payload[...], at: 0, of: manifest, named: name) }
    try publish(manifest, named: name)
  }
}

/// Each to each other, as devices do it: what an owner has replaced goes in the copies, too.
func exchange(_ replicas: [TestReplica]) async throws {
  for from in replicas {
    for to in replicas where to !== from {
      _ = try await from.engine().export()
      var copy = ExchangeCopy(source: from.exchange, target: to.exchange)
      copy.applied = try to.store.read { try $0.versionVector }
      copy.stores = (from.store, to.store)
      copy.prunable = nil
      _ = try copy.run()
      _ = try await to.engine().import()
    }
  }
}

/// Whether a process would have died at the point with this number.
func isStopped(at point: Int, _ body: () async throws -> Void) async throws -> Bool {
  do {
    try await Interruption.$plan.withValue(Interruption.Plan(at: point), operation: body)
    return false
  } catch is Interruption.Stop {
    return true
  }
}

func stamp(_ time: UInt64, _ replica: UInt64) -> Stamp {
  Stamp(time: time, counter: 0, replica: ReplicaID(replica))
}

func id(_ number: UInt64) -> RecordID { RecordID(high: 0, low: number) }

/// A catalogue with people (name, age, home) and houses, whose deletion takes the people along.
let household = Catalogue(
  generation: 1,
  entities: [
    CatalogueEntity(
      number: 0, name: "Person",
      fields: [
        CatalogueField(ordinal: 0, name: "name", type: .string, isOptional: false),
        CatalogueField(ordinal: 1, name: "age", type: .int, isOptional: true),
        CatalogueField(ordinal: 2, name: "home", type: .reference, isOptional: true, destination: "House"),
      ],
      relationships: [
        CatalogueRelationship(
          name: "home", destination: "House", isToMany: false, isOptional: true, deleteRule: .nullify,
          inverse: "people", storage: .reference(ordinal: 2))
      ],
      indexes: [CatalogueIndex(number: 0, isUnique: true, components: [.init(ordinal: 0)])]),
    CatalogueEntity(
      number: 1, name: "House",
      fields: [CatalogueField(ordinal: 0, name: "street", type: .string, isOptional: false)],
      relationships: [
        CatalogueRelationship(
          name: "people", destination: "Person", isToMany: true, isOptional: true, deleteRule: .cascade,
          inverse: "home", storage: .inverse(entity: 0, ordinal: 2))
      ],
      indexes: []),
  ])

func smallChangeSet(
  _ transactions: [[UInt8]] = [[1, 2, 3], [], [9]], isPacked: Bool = true
) throws -> ChangeSet {
  ChangeSet(
    storeID: RecordID(high: 1, low: 2), replica: ReplicaID(7), firstSequence: 5,
    previousHash: [UInt8](repeating: 3, count: 32), schemaDescription: try SchemaDescription.encode(household),
    transactions: transactions, isPacked: isPacked)
}
