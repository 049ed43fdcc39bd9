import Foundation
import Synchronization

@testable import RecordStore
@testable import RecordSync

extension Harness {
  /// A stranger's file, intact by all checksums, in the exchange folder of a store that goes on: it synchronises, saves
  /// and synchronises again. Nothing that a file says may stop it, or leave the store unsound.
  ///
  /// Input: a change set, of which each transaction gets the name that its place asks for; a head; a snapshot's
  /// payload, which gets an honest version vector; or "TNDMCLAIM", a version vector and a payload that it may lie
  /// about.
  static let exchange = Harness(
    "exchange", maximumByteCount: 4096, errors: [SyncError.self, StoreError.self]
  ) { bytes in
    let plan = try ExchangeHarness.Plan(bytes)
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-fuzz-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try ExchangeHarness.run(plan, in: folder)
  }
}

private enum ExchangeHarness {
  static let stranger = ReplicaID(0x5757)
  /// An honest device, of which the store has read two transactions.
  static let neighbour = ReplicaID(0x6161)
  /// Stands for the store's own replica, whose id is drawn anew each time, in a vector that may lie.
  static let own = ReplicaID(1)
  static let claimMagic = Array("TNDMCLAIM".utf8)
  static let family = RecordID(high: 0x601D, low: 1)

  /// Lists with items, of which some belong together: unique names, a cascade, references and a group.
  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "List", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "items", destination: "Item", isToMany: true, deleteRule: .cascade, inverse: "list")
      ],
      uniquenessConstraints: [["name"]]),
    EntityDefinition(
      name: "Item",
      attributes: [
        AttributeDefinition(name: "title", type: .string), AttributeDefinition(name: "price", type: .decimal),
        AttributeDefinition(name: "x", type: .double), AttributeDefinition(name: "y", type: .double),
        AttributeDefinition(name: "key", type: .uuid, isOptional: true),
      ],
      relationships: [
        RelationshipDefinition(name: "list", destination: "List", inverse: "items"),
        RelationshipDefinition(name: "next", destination: "Item"),
      ],
      indexes: [IndexDefinition("price", "title")], fieldGroups: [["x", "y"]]),
  ])

  static let author = Catalogue().adding(schema.entities)

  /// What an input puts into the folder.
  enum Plan {
    case changeSet(ChangeSet)
    case head(ReplicaHead)
    case payload([UInt8], VersionVector, schema: [UInt8])

    init(_ bytes: [UInt8]) throws {
      if bytes.starts(with: ChangeSetHeader.magic) {
        self = .changeSet(try Plan.renamed(try ChangeSetCodec.decode(bytes.sealedChangeSet)))
      } else if bytes.starts(with: ReplicaHead.magic) {
        var head = try ReplicaHead(bytes.sealedAtEnd, subject: "a fuzzed head")
        (head.storeID, head.replica) = (family, stranger)
        self = .head(head)
      } else if bytes.starts(with: claimMagic) {
        var reader = FileReader(bytes.dropFirst(claimMagic.count), subject: "a fuzzed claim")
        let vector = try reader.versionVector()
        self = .payload(Array(try reader.take(reader.remaining)), vector, schema: try SchemaDescription.encode(author))
      } else {
        let content = try SnapshotContent(bytes, author: author, subject: "a fuzzed payload")
        self = .payload(bytes, Plan.vector(of: content), schema: try SchemaDescription.encode(author))
      }
    }

    /// As an honest author would say what the payload holds: the newest stamp of each replica, and one of the stranger.
    private static func vector(of content: SnapshotContent) -> VersionVector {
      let stamps =
        content.records.flatMap(\.stamps) + content.pastWrites.map(\.write.stamp) + content.once.flatMap(\.runs)
        + content.contexts.flatMap { [$0.since] + $0.context.stamps } + [Stamp(time: 1, counter: 0, replica: stranger)]
      return VersionVector(
        entries: Dictionary(grouping: stamps, by: \.replica).mapValues { stamps in
          VersionVector.Entry(sequence: 9, stamp: stamps.max() ?? .zero)
        })
    }

    /// The transactions as far as they can be read, named after their places.
    private static func renamed(_ set: ChangeSet) throws -> ChangeSet {
      let author = FieldTypes(try SchemaDescription.decode(set.schemaDescription, subject: "it"), subject: "it")
      var set = set
      (set.storeID, set.replica, set.firstSequence) = (family, stranger, 1)
      set.transactions = try set.transactions.enumerated().map { index, bytes in
        var facts = try TransactionCodec.decode(bytes.sealedAfterFlags, fieldType: author.type)
        facts.dot = Dot(replica: stranger, sequence: UInt64(index) + 1)
        facts.stamp = Stamp(time: facts.stamp.time, counter: facts.stamp.counter, replica: stranger)
        return TransactionCodec.encode(facts)
      }
      guard !set.transactions.isEmpty else { throw SyncError(.damagedFile, "there is no transaction") }
      return set
    }
  }

  static func run(_ plan: Plan, in folder: URL) throws {
    let store = try RecordStore.open(
      StoreConfiguration(url: folder.appending(path: "fuzzed.store"), mapSizeBytes: 16 << 20), schema: schema)
    var options = SyncOptions()
    options.storeID = family
    let engine = SyncEngine(store: store, folder: folder.appending(path: "exchange"), options: options)
    let exchange = ExchangeFolder(root: folder.appending(path: "exchange"), storeID: family)
    try save("before", store)
    try plant(.changeSet(try neighbours()), of: neighbour, own: stranger, in: exchange)
    try synchronise(engine)
    try plant(plan, of: stranger, own: try store.read { try $0.replica }, in: exchange)
    try synchronise(engine)
    try save("after", store)
    try synchronise(engine)
    let violations = try store.integrityViolations()
    try promise(violations.isEmpty, "a stranger's file left the store unsound: \(violations)")
  }

  private static func save(_ name: String, _ store: RecordStore) throws {
    _ = try store.commit(
      SaveRequest(changes: [
        .insert(entity: 0, id: RecordIDGenerator.shared.next(), fields: [FieldWrite(0, .string(name))])
      ]))
  }

  /// Two lists, of which the first shares its row with the store's own.
  private static func neighbours() throws -> ChangeSet {
    let transactions = ["before", "theirs"].enumerated().map { index, name in
      let stamp = Stamp(time: 0x0180_0000_0000 + UInt64(index), counter: 0, replica: neighbour)
      let record = RecordFacts(
        entity: 0, id: RecordID(high: 0x0180_0000_0000, low: UInt64(index) + 1), isInserted: true, touch: stamp,
        registers: [.init(ordinal: 0, value: .string(name), stamp: stamp)])
      return TransactionCodec.encode(
        TransactionFacts(
          dot: Dot(replica: neighbour, sequence: UInt64(index) + 1), stamp: stamp, author: nil,
          context: VersionVector(), records: [record]))
    }
    return ChangeSet(
      storeID: family, replica: neighbour, firstSequence: 1, previousHash: ContentHash.none.bytes,
      schemaDescription: try SchemaDescription.encode(author), transactions: transactions)
  }

  private static func plant(
    _ plan: Plan, of replica: ReplicaID, own: ReplicaID, in folder: ExchangeFolder
  ) throws {
    switch plan {
    case .changeSet(let set):
      let bytes = ChangeSetCodec.encode(set)
      let name = ChangeSetName(from: set.firstSequence, to: set.lastSequence, hash: ContentHash(of: bytes))
      try DurableFile.publish(bytes, named: name.text, in: folder.stream(of: replica))
    case .head(let head): try folder.publish(head)
    case .payload(let payload, let claimed, let schema):
      let vector = renamed(claimed, own: own)
      let stamp = vector.stamps.max() ?? .zero
      let manifest = SnapshotManifest(
        storeID: family, replica: replica, clock: stamp, vector: vector, schemaDescription: schema,
        chunks: [SnapshotManifest.Chunk(byteCount: payload.count, hash: ContentHash(of: payload))])
      let name = SnapshotName(vector: manifest.vector, manifest: manifest.encoded())
      try folder.publish(payload[...], at: 0, of: manifest, named: name)
      try folder.publish(manifest, named: name)
      var head = ReplicaHead(
        storeID: family, replica: replica, lastSequence: 9, clock: stamp, applied: manifest.vector, displayName: "")
      head.schemaID = [UInt8](repeating: 1, count: ReplicaHead.schemaIDBytes)
      head.oldestSequence = 10
      try folder.publish(head)
    }
  }

  private static func renamed(_ vector: VersionVector, own: ReplicaID) -> VersionVector {
    var vector = vector
    if let entry = vector.entries.removeValue(forKey: Self.own) {
      let stamp = Stamp(time: entry.stamp.time, counter: entry.stamp.counter, replica: own)
      vector.entries[own] = VersionVector.Entry(sequence: entry.sequence, stamp: stamp)
    }
    return vector
  }

  /// The engine is an actor with a queue of its own, so waiting for it here blocks nothing that it needs.
  private static func synchronise(_ engine: SyncEngine) throws {
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        _ = try await engine.sync()
      } catch {
        outcome.trouble.withLock { $0 = "\(error)" }
      }
      done.signal()
    }
    done.wait()
    if let trouble = outcome.trouble.withLock({ $0 }) {
      throw Violation("a stranger's file stops the synchronisation: \(trouble)")
    }
  }

  private final class Outcome: Sendable {
    let trouble = Mutex<String?>(nil)
  }
}
