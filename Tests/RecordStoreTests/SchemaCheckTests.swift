import RecordStore
import TestSupport
import Testing

/// Schemas that contradict themselves, each with what is said of it.
struct SchemaCheckTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let flaw: String
    let entities: [EntityDefinition]
    var testDescription: String { flaw }

    init(_ flaw: String, _ entities: EntityDefinition...) { (self.flaw, self.entities) = (flaw, entities) }
  }

  private static let name = AttributeDefinition(name: "name", type: .string)
  private static func entity(
    _ name: String, _ attributes: [AttributeDefinition] = [name], _ relationships: [RelationshipDefinition] = []
  ) -> EntityDefinition {
    EntityDefinition(name: name, attributes: attributes, relationships: relationships)
  }
  private static func toB(
    _ name: String = "b", isToMany: Bool = false, inverse: String? = nil, least: Int = 0, most: Int = 0
  ) -> RelationshipDefinition {
    RelationshipDefinition(
      name: name, destination: "B", isToMany: isToMany, inverse: inverse, minimumCount: least, maximumCount: most)
  }

  static let rows: [Row] = [
    Row("the entity A is declared twice", entity("A"), entity("A")),
    Row("an entity may not be named “”", entity("")),
    Row("an entity may not be named “~A”", entity("~A")),
    Row("a property of A may not be named “”", entity("A", [AttributeDefinition(name: "", type: .int)])),
    Row("a property of A may not be named “~a”", entity("A", [AttributeDefinition(name: "~a", type: .int)])),
    Row("a property of A may not be named “~b”", entity("A", [], [toB("~b")]), entity("B")),
    Row("A.name is declared twice", entity("A", [name, name])),
    Row("A.name is declared twice", entity("A", [name], [toB("name")]), entity("B")),
    Row(
      "the default of A.a does not have the attribute's type",
      entity("A", [AttributeDefinition(name: "a", type: .int, defaultValue: .string("1"))])),
    Row(
      "the default of A.a does not have the attribute's type",
      entity("A", [AttributeDefinition(name: "a", type: .int, defaultValue: .null)])),
    Row("A.b leads to B, which is not declared", entity("A", [], [toB()])),
    Row(
      "the counts of A.b contradict each other",
      entity("A", [], [toB(isToMany: true, least: 3, most: 2)]), entity("B")),
    Row("the counts of A.b contradict each other", entity("A", [], [toB(isToMany: true, least: -1)]), entity("B")),
    Row("the counts of A.b contradict each other", entity("A", [], [toB(isToMany: true, most: -1)]), entity("B")),
    Row("the inverse of A.b is B.a, which is not declared", entity("A", [], [toB(inverse: "a")]), entity("B")),
    Row(
      "A.b and its inverse B.a do not name each other", entity("A", [], [toB(inverse: "a")]),
      entity("B", [], [RelationshipDefinition(name: "a", destination: "B")])),
    Row(
      "A.b and its inverse B.a do not name each other", entity("A", [], [toB(inverse: "a"), toB("c")]),
      entity("B", [], [RelationshipDefinition(name: "a", destination: "A", inverse: "c")])),
    Row("A inherits from B, which is not declared", EntityDefinition(name: "A", superentity: "B")),
    Row(
      "an index, constraint or group of A is empty or names a property twice",
      EntityDefinition(name: "A", attributes: [name], uniquenessConstraints: [[]])),
    Row(
      "an index, constraint or group of A is empty or names a property twice",
      EntityDefinition(name: "A", attributes: [name], uniquenessConstraints: [["name", "name"]])),
    Row(
      "an index, constraint or group of A is empty or names a property twice",
      EntityDefinition(name: "A", attributes: [name], indexes: [IndexDefinition(components: [])])),
    Row(
      "an index, constraint or group of A is empty or names a property twice",
      EntityDefinition(name: "A", attributes: [name], fieldGroups: [["name", "name"]])),
    Row(
      "A.size is used in an index, constraint or group but is not stored there",
      EntityDefinition(name: "A", attributes: [name], uniquenessConstraints: [["name", "size"]])),
    Row(
      "A.size is used in an index, constraint or group but is not stored there",
      EntityDefinition(name: "A", attributes: [name], indexes: [IndexDefinition("size")])),
    Row(
      "A.b is used in an index, constraint or group but is not stored there",
      EntityDefinition(
        name: "A", relationships: [RelationshipDefinition(name: "b", destination: "A", isToMany: true)],
        fieldGroups: [["b"]])),
    Row(
      "an index of A orders b as for people, which is no text",
      EntityDefinition(
        name: "A", relationships: [RelationshipDefinition(name: "b", destination: "A")],
        indexes: [IndexDefinition(components: [.init("b", isForPeople: true)])])),
  ]

  @Test(arguments: rows) func `a schema that contradicts itself is refused by name`(row: Row) throws {
    let error = #expect(throws: StoreError.self) { _ = try TemporaryStore(schema: StoreSchema(entities: row.entities)) }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message == "the schema contradicts itself: \(row.flaw); correct the declaration")
  }

  @Test func `a migration to a schema that contradicts itself is refused and changes nothing`() throws {
    try withTemporaryStore { store throws in
      let before = try store.read { $0.catalogue }
      for row in Self.rows {
        let error = #expect(throws: StoreError.self) { try store.migrate(to: StoreSchema(entities: row.entities)) }
        #expect(error?.code == .invalidSchema, "\(row.flaw)")
      }
      #expect(try store.read { $0.catalogue } == before)
    }
  }

  @Test func `an inverse that one side names is that of both`() throws {
    let owner = EntityDefinition(
      name: "A", relationships: [RelationshipDefinition(name: "b", destination: "B", isToMany: true, inverse: "a")])
    let member = EntityDefinition(name: "B", relationships: [RelationshipDefinition(name: "a", destination: "A")])
    for entities in [[owner, member], [member, owner]] {
      try withTemporaryStore(schema: StoreSchema(entities: entities)) { store throws in
        let names = try FixtureNames(store)
        try store.save(
          names.insert("A", fixtureID(1)), names.insert("B", fixtureID(2), ["a": .reference(fixtureID(1))]))
        #expect(try store.related("A", fixtureID(1), "b") == [fixtureID(2)])
        #expect(names.catalogue.entity(named: "B")?.relationship(named: "a")?.inverse == "b")
      }
    }
  }
}
