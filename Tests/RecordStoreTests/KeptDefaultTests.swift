import TestSupport
import Testing

@testable import RecordStore

/// Values that records read because they were never given any: those of the first default, whatever the schema says of
/// the property later.
struct KeptDefaultTests {
  private static let name = AttributeDefinition(name: "name", type: .string)

  private func schema(_ version: Int, _ size: AttributeDefinition?) -> StoreSchema {
    StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [EntityDefinition(name: "Page", attributes: [Self.name] + (size.map { [$0] } ?? []))])
  }

  private static func size(_ value: Int64?, isOptional: Bool) -> AttributeDefinition {
    AttributeDefinition(
      name: "size", type: .int, isOptional: isOptional, defaultValue: value.map { .int($0) })
  }

  static let rows: [(title: String, AttributeDefinition, AttributeDefinition, FieldValue)] = [
    ("required, then optional", size(7, isOptional: false), size(nil, isOptional: true), .int(7)),
    ("required, then optional with another", size(7, isOptional: false), size(3, isOptional: true), .int(7)),
    ("optional with one, then without", size(7, isOptional: true), size(nil, isOptional: true), .int(7)),
    ("optional with one, then required", size(7, isOptional: true), size(3, isOptional: false), .int(7)),
    ("required, then another", size(7, isOptional: false), size(3, isOptional: false), .int(7)),
    ("required, then none", size(7, isOptional: false), size(nil, isOptional: false), .int(7)),
    ("optional without, then required", size(nil, isOptional: true), size(3, isOptional: false), .int(3)),
  ]

  @Test(arguments: rows) func `records that were given no value go on reading the first default`(
    title: String, first: AttributeDefinition, second: AttributeDefinition, value: FieldValue
  ) throws {
    try withTemporaryStore(schema: schema(1, nil)) { store throws in
      try store.save(try FixtureNames(store).insert("Page", fixtureID(1), ["name": .string("a")]))
      try store.migrate(to: schema(2, first))
      try store.migrate(to: schema(3, second))
      #expect(try store.value("Page", fixtureID(1), "size") == value)
      let names = try FixtureNames(store)
      let path = FieldPath(names.ordinal("Page", "size"))
      let query = RecordQuery(entity: names.entity("Page"), filter: .compare(path, .equal, value))
      #expect(try store.read { try $0.identifiers(query) } == [fixtureID(1)])
    }
  }

  /// Others have never heard of the record, whatever a migration has written down for it here.
  @Test func `a salvaged store repeats the insert of a record that has kept a default`() throws {
    try withTemporaryStore(schema: schema(1, nil)) { store throws in
      try store.save(try FixtureNames(store).insert("Page", fixtureID(1), ["name": .string("a")]))
      try store.migrate(to: schema(2, Self.size(7, isOptional: false)))
      try store.migrate(to: schema(3, Self.size(nil, isOptional: true)))
      let entity = try FixtureNames(store).entity("Page")
      let (own, known) = try store.read { (try $0.replica, try $0.storedFacts(fixtureID(1), of: entity)) }
      let facts = try #require(known)
      #expect(facts.registers.map(\.stamp).contains(.zero))
      var work = MaintenanceWork()
      work.repetition = Repetition(after: [own: .zero], records: [facts])
      _ = try store.commit(SaveRequest(author: "a salvage", .maintenance(work)))
      var last: TransactionFacts?
      try store.read { snapshot in
        let catalogue = snapshot.catalogue
        try snapshot.forEachOutgoing(after: 0) { outgoing in
          last = try TransactionCodec.decode(outgoing.encoded) { catalogue.entities[$0].fields[$1].type }
          return true
        }
      }
      let said = try #require(last?.records.first)
      #expect(said.isInserted && said.registers.map(\.value) == [.string("a")])
    }
  }
}
