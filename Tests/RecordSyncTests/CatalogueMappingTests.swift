import RecordStore
import TestSupport
import Testing

@testable import RecordSync

struct CatalogueMappingTests {
  private func facts(_ registers: [(Int, FieldValue)], entity: EntityNumber = 0) -> RecordFacts {
    RecordFacts(
      entity: entity, id: id(1), isInserted: true, touch: stamp(1, 1),
      registers: registers.map { RecordFacts.Register(ordinal: $0.0, value: $0.1, stamp: stamp(1, 1)) })
  }

  @Test func `numbers are translated by names`() {
    var local = household
    local.entities.swapAt(0, 1)
    local.entities[0].number = 0
    local.entities[1].number = 1
    local.entities[1].fields.swapAt(0, 1)
    local.entities[1].fields[0].ordinal = 0
    local.entities[1].fields[1].ordinal = 1
    let mapping = CatalogueMapping(author: household, local: local)
    #expect(mapping.additions.isEmpty)
    #expect(
      mapping.translate(facts([(0, .string("bob")), (1, .int(4))]))
        == facts([(0, .int(4)), (1, .string("bob"))], entity: 1))
  }

  @Test func `a rename on either side is followed`() {
    var renamed = household
    renamed.entities[0].name = "Human"
    renamed.entities[0].previousNames = ["Person"]
    renamed.entities[0].fields[0].name = "fullName"
    renamed.entities[0].fields[0].previousNames = ["name"]
    let bob = facts([(0, .string("bob"))])
    #expect(CatalogueMapping(author: household, local: renamed).translate(bob) == bob)
    #expect(CatalogueMapping(author: renamed, local: household).translate(bob) == bob)
    #expect(CatalogueMapping(author: renamed, local: household).additions.isEmpty)
  }

  /// A store that began with the new name did not know the old one: each device kept the other's values unseen.
  @Test func `a rename that a store began with is followed`() throws {
    func catalogue(_ name: String, from originalName: String? = nil) throws -> Catalogue {
      let attribute = AttributeDefinition(name: name, originalName: originalName, type: .string)
      let schema = StoreSchema(entities: [EntityDefinition(name: "Person", attributes: [attribute])])
      return try withTemporaryStore(schema: schema) { store in try store.read { $0.catalogue } }
    }
    let (old, new) = (try catalogue("name"), try catalogue("fullName", from: "name"))
    let bob = facts([(0, .string("bob"))])
    for (author, local) in [(old, new), (new, old)] {
      let mapping = CatalogueMapping(author: author, local: local)
      #expect(mapping.additions.isEmpty && mapping.translate(bob) == bob)
    }
  }

  /// Both were one field here, which then had two values in one record, and writing it trapped.
  @Test func `a field renamed and another with its old name stay two`() {
    var author = household
    author.entities[0].fields[0].name = "fullName"
    author.entities[0].fields[0].previousNames = ["name"]
    author.entities[0].fields.append(CatalogueField(ordinal: 3, name: "name", type: .string, isOptional: true))
    let both = facts([(0, .string("Olga Kovalenko")), (3, .string("Olya"))])
    let mapping = CatalogueMapping(author: author, local: household)
    #expect(mapping.additions.flatMap(\.attributes).map(\.name) == ["name~string"])
    let local = household.adding(mapping.additions)
    let known = CatalogueMapping(author: author, local: local)
    #expect(known.additions.isEmpty)
    #expect(known.translate(both) == both)
  }

  @Test func `values of a new field with an old name wait on a device that does not know of the rename`() async throws {
    func schema(_ version: SchemaVersion, _ attributes: [AttributeDefinition]) -> StoreSchema {
      StoreSchema(version: version, entities: [EntityDefinition(name: "Person", attributes: attributes)])
    }
    let name = AttributeDefinition(name: "name", type: .string, isOptional: true)
    let old = schema(SchemaVersion(1, 0, 0), [name])
    let new = schema(
      SchemaVersion(2, 0, 0),
      [AttributeDefinition(name: "fullName", originalName: "name", type: .string, isOptional: true), name])
    let (phone, laptop) = (try TestReplica(schema: old), try TestReplica(schema: old))
    try phone.store.migrate(to: new)
    let names = try FixtureNames(phone.store)
    try phone.save(
      names.insert("Person", fixtureID(1), ["fullName": .string("Olga Kovalenko"), "name": .string("Olya")]))
    _ = try await phone.send(to: laptop)
    #expect(try laptop.store.value("Person", fixtureID(1), "name") == .string("Olga Kovalenko"))
    try laptop.store.migrate(to: new)
    #expect(try laptop.store.value("Person", fixtureID(1), "fullName") == .string("Olga Kovalenko"))
    #expect(try laptop.store.value("Person", fixtureID(1), "name") == .string("Olya"))
    try expectSound(laptop.store)
  }

  @Test func `unknown entities and fields become additions`() {
    var local = household
    local.entities.removeLast()
    local.entities[0].fields.removeLast(2)
    local.entities[0].relationships = []
    let mapping = CatalogueMapping(author: household, local: local)
    #expect(mapping.additions.map(\.name) == ["Person", "House"])
    #expect(mapping.additions[0].attributes.map(\.name) == ["age"])
    #expect(mapping.additions[0].relationships.map(\.name) == ["home"])
    #expect(mapping.additions[0].relationships.map(\.destination) == ["House"])
    #expect(mapping.translate(facts([(0, .string("street"))], entity: 1)) == nil)
  }

  @Test func `a field of another type is kept apart and named; the others are taken`() throws {
    var local = household
    local.entities[0].fields[1].type = .string
    let mapping = CatalogueMapping(author: household, local: local)
    #expect(mapping.additions.map(\.name) == ["Person"])
    #expect(mapping.additions[0].attributes.map(\.name) == ["age~int"])
    let sentence = try #require(mapping.mismatches.first)
    #expect(sentence.hasPrefix("the field Person.age is of type string here and int where the change was made"))
    let extended = local.adding(mapping.additions)
    let kept = CatalogueMapping(author: household, local: extended)
    #expect(kept.additions.isEmpty)
    #expect(kept.translate(facts([(0, .string("bob")), (1, .int(4))])) == facts([(0, .string("bob")), (3, .int(4))]))
    // What was kept finds its way home, and says nothing there.
    let home = CatalogueMapping(author: extended, local: household)
    #expect(home.translate(facts([(3, .int(4))])) == facts([(1, .int(4))]))
    #expect(home.additions.map { $0.attributes.map(\.name) } == [["age~string"]])
  }

  @Test func `a hidden reference is no kept field`() {
    var field = household.entities[0].fields[2]
    field.name = "~reference"
    #expect(KeptField(field) == nil)
    field.name = "home~reference"
    #expect(KeptField(field) == KeptField(field: "home", type: .reference))
    field.name = "home~int"
    #expect(KeptField(field) == nil)
  }

  @Test func `the schema description reads back, and tells the schema`() throws {
    let bytes = try SchemaDescription.encode(household)
    #expect(try SchemaDescription.decode(bytes, subject: "it") == household)
    let schema = StoreSchema(declaredBy: household)
    #expect(schema.entities.map(\.name) == ["Person", "House"])
    #expect(schema.entities[0].attributes.map(\.name) == ["name", "age"])
    #expect(schema.entities[0].relationships.map(\.name) == ["home"])
    #expect(schema.entities[0].uniquenessConstraints == [["name"]])
    #expect(schema.entities[1].relationships.map(\.deleteRule) == [.cascade])
  }

  @Test func `a description that does not number its fields in order is refused`() throws {
    var wrong = household
    wrong.entities[0].fields[1].ordinal = 7
    let bytes = try SchemaDescription.encode(wrong)
    #expect(syncErrorCode { _ = try SchemaDescription.decode(bytes, subject: "it") } == .damagedFile)
  }

  /// Making a schema of it trapped.
  @Test func `a description whose rules name what is not there is refused`() throws {
    var wrong = Array(repeating: household, count: 4)
    wrong[0].entities[0].indexes[0].components[0].ordinal = 3
    wrong[1].entities[0].fieldGroups = [[0, -1]]
    wrong[2].entities[0].relationships[0].storage = .reference(ordinal: 9)
    wrong[3].entities[1].relationships[0].storage = .join(entity: 2, near: 0, far: 1)
    for catalogue in wrong {
      let bytes = try SchemaDescription.encode(catalogue)
      #expect(syncErrorCode { _ = try SchemaDescription.decode(bytes, subject: "it") } == .damagedFile)
    }
  }
}
