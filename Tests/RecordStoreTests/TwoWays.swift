import Foundation
import RecordStore
import StoreTables
import TestSupport
import Testing

/// What a save on both sides came to.
final class LastSave {
  /// Nil if it was refused.
  var result: SaveResult?
  /// Nil if it was not.
  var refusal: StoreError?
  /// How many saves were divided between the ways.
  var dividedCount = 0
}

/// Two families of two replicas each, alike in everything but the way that saves take.
struct TwoWays {
  let plain: ReplicaFamily
  let general: ReplicaFamily
  let last = LastSave()

  init(_ schema: StoreSchema = .plainSaves(hasDeny: true), uniqueness: UniquenessPolicy = .upsert) throws {
    func family(savesPlainly: Bool) throws -> ReplicaFamily {
      try ReplicaFamily(count: 2, schema: schema, uniqueness: uniqueness) { index, configuration in
        configuration.savesPlainly = savesPlainly
        configuration.replicaOfNewStore = ReplicaID(UInt64(index + 1))
      }
    }
    plain = try family(savesPlainly: true)
    general = try family(savesPlainly: false)
  }

  /// Saves on both sides and compares what came of it; true if the short way was taken.
  func save(_ request: SaveRequest, on replica: Int) throws -> Bool {
    for family in [plain, general] { family.clocks[replica].advance() }
    func outcome(_ family: ReplicaFamily) throws -> Result<SaveResult, StoreError> {
      do { return .success(try family.stores[replica].store.commit(request)) } catch let error as StoreError {
        return .failure(error)
      }
    }
    let (short, long) = (try outcome(plain), try outcome(general))
    var isPlain = false
    (last.result, last.refusal) = (try? short.get(), nil)
    switch (short, long) {
    case (.success(var short), .success(var long)):
      isPlain = short.isPlain
      if !isPlain, short.takenCount > 0 { last.dividedCount += 1 }
      #expect(long.takenCount == 0)
      (short.isPlain, short.takenCount) = (false, 0)
      (short.changes, long.changes) = (short.changes.inKeyOrder, long.changes.inKeyOrder)
      #expect(short == long, "after \(request.work)")
    case (.failure(let short), .failure(let long)):
      last.refusal = short
      #expect(short.code == long.code)
      #expect(short.message == long.message, "after \(request.work)")
    default: Issue.record("one way gave \(short), the other \(long), after \(request.work)")
    }
    try expectEqual(replica, after: "\(request.work)")
    return isPlain
  }

  func exchange() throws {
    for family in [plain, general] {
      for clock in family.clocks { clock.advance() }
      try family.exchangeAll()
    }
  }

  func expectEqual(_ replica: Int, after what: String = "") throws {
    let tables = try [plain, general].map { try $0.stores[replica].store.tables() }
    for name in tables[0].keys.sorted() where tables[0][name] != tables[1][name] {
      Issue.record("table \(name) differs after \(what)")
    }
    let told = try [plain, general].map { try $0.stores[replica].store.told() }
    #expect(told[0].history == told[1].history, "after \(what)")
    // A save that is divided may name a record sooner or later than one that is not.
    if last.dividedCount == 0 { #expect(told[0].outgoing == told[1].outgoing, "after \(what)") }
    for (one, other) in zip(told[0].facts, told[1].facts) { #expect(one == other, "after \(what)") }
    #expect(told[0].facts.count == told[1].facts.count)
  }

  func check() throws {
    try plain.check()
    try general.check()
  }
}

extension RecordStore {
  /// What other processes and other devices are told. The two ways may name records that go along with others in
  /// another order.
  fileprivate func told() throws -> (
    history: [HistoryTransaction], outgoing: [OutgoingTransaction], facts: [[UInt8]]
  ) {
    try read { snapshot throws in
      var outgoing: [OutgoingTransaction] = []
      try snapshot.forEachOutgoing(after: 0) {
        outgoing.append($0)
        return true
      }
      let entities = snapshot.catalogue.entities
      let facts = try outgoing.map { transaction in
        var facts = try TransactionCodec.decode(transaction.encoded) { entities[$0].fields[$1].type }
        facts.records.sort { ($0.entity, $0.id) < ($1.entity, $1.id) }
        // As bytes: a value that is not a number does not equal itself.
        return TransactionCodec.encode(facts)
      }
      return (try historyInKeyOrder(), outgoing, facts)
    }
  }
}

extension [HistoryChange] {
  var inKeyOrder: Self { sorted { ($0.entity, $0.id) < ($1.entity, $1.id) } }
}

extension StoreSchema {
  /// The fixture, and entities of which most saves are plain: one with a field of every kind, and three that go with
  /// each other.
  static func plainSaves(hasDeny: Bool) -> StoreSchema {
    var schema = StoreSchema.fixture
    for entity in schema.entities.indices where !hasDeny {
      for relationship in schema.entities[entity].relationships.indices
      where schema.entities[entity].relationships[relationship].deleteRule == .deny {
        schema.entities[entity].relationships[relationship].deleteRule = .nullify
      }
    }
    schema.entities += [.sample] + albums
    return schema
  }

  private static var albums: [EntityDefinition] {
    [
      EntityDefinition(
        name: "Album",
        attributes: [
          AttributeDefinition(name: "name", type: .string, preservesValueOnDeletion: true),
          AttributeDefinition(name: "rank", type: .int, isOptional: true),
          AttributeDefinition(
            name: "label", type: .string, isOptional: true, defaultValue: .string("none"), isSparse: true),
        ],
        relationships: [
          RelationshipDefinition(
            name: "photos", destination: "Photo", isToMany: true, deleteRule: .cascade, inverse: "album")
        ],
        uniquenessConstraints: [["name"]]),
      EntityDefinition(
        name: "Photo",
        attributes: [
          AttributeDefinition(name: "code", type: .int, isOptional: true, preservesValueOnDeletion: true)
        ],
        relationships: [
          RelationshipDefinition(name: "album", destination: "Album", inverse: "photos"),
          RelationshipDefinition(
            name: "captions", destination: "Caption", isToMany: true, deleteRule: .cascade, inverse: "photo"),
        ],
        uniquenessConstraints: [["album", "code"]]),
      EntityDefinition(
        name: "Caption", attributes: [AttributeDefinition(name: "text", type: .string)],
        relationships: [
          RelationshipDefinition(name: "photo", destination: "Photo", isOptional: false, inverse: "captions")
        ]
      ),
    ]
  }
}

extension EntityDefinition {
  fileprivate static var sample: EntityDefinition {
    EntityDefinition(
      name: "Sample",
      attributes: [
        AttributeDefinition(name: "code", type: .uuid, isOptional: true),
        AttributeDefinition(name: "title", type: .string),
        AttributeDefinition(name: "memo", type: .string, isOptional: true),
        AttributeDefinition(name: "number", type: .int, defaultValue: .int(7)),
        AttributeDefinition(name: "size", type: .uint, defaultValue: .uint(1)),
        AttributeDefinition(name: "amount", type: .double, defaultValue: .double(0.5)),
        AttributeDefinition(name: "price", type: .decimal, defaultValue: .decimal(0)),
        AttributeDefinition(name: "day", type: .date, isOptional: true),
        AttributeDefinition(name: "isOn", type: .bool, defaultValue: .bool(true)),
        AttributeDefinition(name: "blob", type: .data, isOptional: true),
        AttributeDefinition(name: "site", type: .url, isOptional: true),
        AttributeDefinition(name: "shape", type: .composite, isOptional: true),
      ],
      relationships: [RelationshipDefinition(name: "city", destination: "City")],
      uniquenessConstraints: [["code"]],
      indexes: [IndexDefinition("title", "number"), IndexDefinition("day"), IndexDefinition("price", "amount")])
  }
}
