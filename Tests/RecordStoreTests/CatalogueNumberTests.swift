import TestSupport
import Testing

@testable import RecordStore

/// Entities, fields and indexes keep their numbers through every sequence of schemas, and none is given twice.
struct CatalogueNumberTests {
  private static let text = AttributeDefinition(name: "text", type: .string)
  private static let size = AttributeDefinition(name: "size", type: .int, isOptional: true)
  private static let due = AttributeDefinition(name: "due", type: .date, isOptional: true)

  private static func entity(
    _ name: String, _ attributes: [AttributeDefinition] = [text], _ relationships: [RelationshipDefinition] = [],
    from originalName: String? = nil, unique: [[String]] = [], indexes: [IndexDefinition] = []
  ) -> EntityDefinition {
    EntityDefinition(
      name: name, originalName: originalName, attributes: attributes, relationships: relationships,
      uniquenessConstraints: unique, indexes: indexes)
  }

  private static func named(_ name: String, from originalName: String, _ type: FieldType = .string)
    -> AttributeDefinition
  {
    AttributeDefinition(name: name, originalName: originalName, type: type)
  }

  private static func to(
    _ destination: String, _ name: String, isToMany: Bool = false, inverse: String? = nil, rule: DeleteRule = .nullify
  ) -> RelationshipDefinition {
    RelationshipDefinition(name: name, destination: destination, isToMany: isToMany, deleteRule: rule, inverse: inverse)
  }

  /// A sequence of schemas, each a version later, and the catalogue's entities at the end: number, name and fields by
  /// ordinal; what is not declared stands in parentheses.
  struct Row: Sendable, CustomTestStringConvertible {
    let title: String
    let schemas: [[EntityDefinition]]
    let entities: [String]
    var testDescription: String { title }

    init(_ title: String, _ schemas: [[EntityDefinition]], _ entities: String...) {
      (self.title, self.schemas, self.entities) = (title, schemas, entities)
    }
  }

  static let rows: [Row] = [
    Row("entities are numbered as they are declared", [[entity("B"), entity("A")]], "0 B: text", "1 A: text"),
    Row(
      "another order is no change", [[entity("A"), entity("B")], [entity("B"), entity("A")]], "0 A: text", "1 B: text"),
    Row("one that comes is the next", [[entity("A")], [entity("B"), entity("A")]], "0 A: text", "1 B: text"),
    Row("one that goes keeps its number", [[entity("A"), entity("B")], [entity("B")]], "(0 A: (text))", "1 B: text"),
    Row(
      "one that comes after another went does not get its number",
      [[entity("A"), entity("B")], [entity("B")], [entity("B"), entity("C")]],
      "(0 A: (text))", "1 B: text", "2 C: text"),
    Row(
      "one that comes back has its number again",
      [[entity("A"), entity("B")], [entity("B")], [entity("A"), entity("B")]],
      "0 A: text", "1 B: text"),
    Row("a renamed one keeps it", [[entity("A")], [entity("B", from: "A")]], "0 B: text"),
    Row(
      "a name that was given away is that of a new one",
      [[entity("A")], [entity("B", from: "A"), entity("A", [size])]],
      "0 B: text", "1 A: size"),
    Row(
      "renamed twice", [[entity("A")], [entity("B", from: "A")], [entity("C", from: "B")]], "0 C: text"),
    Row("fields are numbered as they are declared", [[entity("A", [size, text])]], "0 A: size text"),
    Row("a field that comes is the next", [[entity("A", [text])], [entity("A", [size, text])]], "0 A: text size"),
    Row(
      "a field that goes keeps its ordinal", [[entity("A", [text, size])], [entity("A", [size])]], "0 A: (text) size"),
    Row(
      "a field that comes after another went is behind it",
      [[entity("A", [text, size])], [entity("A", [size])], [entity("A", [size, due])]], "0 A: (text) size due"),
    Row(
      "a field that comes back has its ordinal again",
      [[entity("A", [text, size])], [entity("A", [size])], [entity("A", [size, text])]], "0 A: text size"),
    Row(
      "a renamed field keeps it", [[entity("A", [text, size])], [entity("A", [named("name", from: "text"), size])]],
      "0 A: name size"),
    Row(
      "two fields that change their names with each other keep their ordinals",
      [
        [entity("A", [text, AttributeDefinition(name: "name", type: .string)])],
        [entity("A", [named("name2", from: "text"), named("text2", from: "name")])],
        [entity("A", [named("name", from: "name2"), named("text", from: "text2")])],
      ], "0 A: name text"),
    Row(
      "fields whose names move on keep their ordinals",
      [
        [entity("A", [text, AttributeDefinition(name: "name", type: .string)])],
        [entity("A", [named("name", from: "text"), named("title", from: "name")])],
      ], "0 A: name title"),
    Row(
      "three of them in the other order",
      [
        [entity("A", ["a", "b", "c"].map { AttributeDefinition(name: $0, type: .string) })],
        [entity("A", [named("d", from: "c"), named("c", from: "b"), named("b", from: "a")])],
      ], "0 A: b c d"),
    Row(
      "and the name that is left over is that of a new one",
      [
        [entity("A", ["a", "b"].map { AttributeDefinition(name: $0, type: .string) })],
        [entity("A", [AttributeDefinition(name: "a", type: .string), named("b", from: "a"), named("c", from: "b")])],
      ], "0 A: b c a"),
    Row(
      "a field is renamed once",
      [[entity("A", [text])], [entity("A", [named("b", from: "text"), named("c", from: "text")])]], "0 A: b c"),
    Row(
      "entities whose names move on keep their numbers",
      [[entity("A"), entity("B", [size])], [entity("B", from: "A"), entity("C", [size], from: "B")]],
      "0 B: text", "1 C: size"),
    Row(
      "three entities, in both orders",
      [
        [entity("A"), entity("B", [size]), entity("C", [due])],
        [entity("D", [due], from: "C"), entity("B", from: "A"), entity("C", [size], from: "B")],
      ],
      "0 B: text", "1 C: size", "2 D: due"),
    Row(
      "a field of another type beside one that went is a new one",
      [
        [entity("A", [text])], [entity("A", [size])],
        [entity("A", [AttributeDefinition(name: "text", type: .int), size])],
      ],
      "0 A: (text~string) size text"),
    Row(
      "and the first type takes its own again",
      [
        [entity("A", [text])], [entity("A", [size])],
        [entity("A", [AttributeDefinition(name: "text", type: .int), size])],
        [entity("A", [size])], [entity("A", [text, size])],
      ], "0 A: text size (text~int)"),
    Row("a to-one is a field of its entity", [[entity("A", [], [to("B", "b")]), entity("B")]], "0 A: b", "1 B: text"),
    Row(
      "attributes stand before references", [[entity("A", [text], [to("B", "b")]), entity("B")]], "0 A: text b",
      "1 B: text"),
    Row(
      "a to-many is the reference of its inverse",
      [
        [
          entity("A", [], [to("B", "bs", isToMany: true, inverse: "a")]),
          entity("B", [], [to("A", "a", inverse: "bs")]),
        ]
      ],
      "0 A:", "1 B: a"),
    Row(
      "a to-many without inverse is a hidden field of the other side",
      [[entity("A", [], [to("B", "bs", isToMany: true)]), entity("B")]],
      "0 A:", "1 B: text ~A.bs"),
    Row(
      "a many-to-many is an entity, named after the side that comes first",
      [
        [
          entity("B", [], [to("A", "as", isToMany: true, inverse: "bs")]),
          entity("A", [], [to("B", "bs", isToMany: true, inverse: "as")]),
        ]
      ],
      "0 B:", "1 A:", "2 ~A.bs: left right"),
    Row(
      "which keeps its name and number when a side is renamed",
      [
        [
          entity("A", [], [to("B", "bs", isToMany: true, inverse: "as")]),
          entity("B", [], [to("A", "as", isToMany: true, inverse: "bs")]),
        ],
        [
          entity("Z", [], [to("B", "bs", isToMany: true, inverse: "as")], from: "A"),
          entity("B", [], [to("Z", "as", isToMany: true, inverse: "bs")]),
        ],
      ], "0 Z:", "1 B:", "2 ~A.bs: left right"),
    Row(
      "a one-to-one is stored by the side that comes first",
      [[entity("B", [], [to("A", "a", inverse: "b")]), entity("A", [], [to("B", "b", inverse: "a")])]], "0 B:", "1 A: b"
    ),
    Row(
      "unless that side cascades",
      [[entity("B", [], [to("A", "a", inverse: "b")]), entity("A", [], [to("B", "b", inverse: "a", rule: .cascade)])]],
      "0 B: a", "1 A:"),
    Row(
      "where both cascade the names decide again",
      [
        [
          entity("B", [], [to("A", "a", inverse: "b", rule: .cascade)]),
          entity("A", [], [to("B", "b", inverse: "a", rule: .cascade)]),
        ]
      ],
      "0 B:", "1 A: b"),
    Row(
      "a one-to-one within an entity is stored by the property that comes first",
      [[entity("A", [], [to("A", "right", inverse: "left"), to("A", "left", inverse: "right")])]], "0 A: left"),
  ]

  private func versions(_ schemas: [[EntityDefinition]]) -> [StoreSchema] {
    schemas.enumerated().map { StoreSchema(version: SchemaVersion($0.offset + 1, 0, 0), entities: $0.element) }
  }

  private func words(_ catalogue: Catalogue) -> [String] {
    catalogue.entities.enumerated().map { number, entity in
      let fields = entity.fields.enumerated().map { ordinal, field in
        #expect(field.ordinal == ordinal)
        return field.isDeclared ? field.name : "(\(field.name))"
      }
      #expect(entity.number == number)
      let line = (["\(entity.number) \(entity.name):"] + fields).joined(separator: " ")
      return entity.isDeclared ? line : "(\(line))"
    }
  }

  @Test(arguments: rows) func `numbers are given once`(row: Row) throws {
    var catalogue: Catalogue?
    for schema in versions(row.schemas) {
      let next = try CatalogueBuilder.build(schema, onto: catalogue)
      try expectKept(catalogue, in: next)
      #expect(next.isSound)
      // A schema that is there already makes no new generation.
      #expect(try CatalogueBuilder.build(schema, onto: next) == next)
      catalogue = next
    }
    #expect(words(try #require(catalogue)) == row.entities)
  }

  /// Types and numbers of what was there are those that records were written with.
  private func expectKept(_ before: Catalogue?, in after: Catalogue) throws {
    guard let before else { return }
    #expect(after.generation == before.generation + (after == before ? 0 : 1))
    #expect(after.entities.count >= before.entities.count && after.nextIndexNumber >= before.nextIndexNumber)
    for entity in before.entities {
      let fields = after.entities[entity.number].fields
      #expect(fields.count >= entity.fields.count)
      for field in entity.fields { #expect(fields[field.ordinal].type == field.type, "\(entity.name).\(field.name)") }
    }
  }

  @Test(arguments: rows) func `a store goes the same way, and keeps what it holds`(row: Row) throws {
    let schemas = versions(row.schemas)
    try withTemporaryStore(schema: schemas[0]) { store throws in
      for schema in schemas.dropFirst() { try store.migrate(to: schema) }
      #expect(words(try store.read { $0.catalogue }) == row.entities)
    }
  }

  /// The numbers of the indexes of A after a sequence of schemas: unique ones marked with an exclamation mark.
  static let indexed: [(title: String, schemas: [[EntityDefinition]], indexes: [String])] = [
    ("none", [[entity("A")]], []),
    (
      "unique ones first", [[entity("A", [text, size], unique: [["text"]], indexes: [IndexDefinition("size")])]],
      ["0! text", "1 size"]
    ),
    (
      "one that is declared twice is one",
      [[entity("A", indexes: [IndexDefinition("text"), IndexDefinition("text")])]], ["0 text"]
    ),
    (
      "unique and not unique are two", [[entity("A", unique: [["text"]], indexes: [IndexDefinition("text")])]],
      ["0! text", "1 text"]
    ),
    (
      "one that goes and comes back has a new number, for its entries went",
      [
        [entity("A", indexes: [IndexDefinition("text")])], [entity("A")],
        [entity("A", indexes: [IndexDefinition("text")])],
      ],
      ["1 text"]
    ),
    (
      "one that becomes unique is another",
      [[entity("A", indexes: [IndexDefinition("text")])], [entity("A", unique: [["text"]])]], ["1! text"]
    ),
    (
      "one that turns round is another",
      [
        [entity("A", indexes: [IndexDefinition("text")])],
        [entity("A", indexes: [IndexDefinition(components: [.init("text", isDescending: true)])])],
      ], ["1 text↓"]
    ),
    (
      "one over a renamed field stays",
      [
        [entity("A", indexes: [IndexDefinition("text")])],
        [entity("A", [named("name", from: "text")], indexes: [IndexDefinition("name")])],
      ],
      ["0 name"]
    ),
    ("a reference has one of its own", [[entity("A", [], [to("B", "b")]), entity("B")]], ["0 b"]),
    (
      "unless another begins with it",
      [[entity("A", [text], [to("B", "b")], indexes: [IndexDefinition("b", "text")]), entity("B")]], ["0 b text"]
    ),
    (
      "one that has it elsewhere does not do",
      [[entity("A", [text], [to("B", "b")], indexes: [IndexDefinition("text", "b")]), entity("B")]],
      ["0 text b", "1 b"]
    ),
    (
      "nor one that stands the other way round",
      [
        [
          entity("A", [], [to("B", "b")], indexes: [IndexDefinition(components: [.init("b", isDescending: true)])]),
          entity("B"),
        ]
      ],
      ["0 b↓", "1 b"]
    ),
    (
      "a reference that goes takes its index with it",
      [[entity("A", [text], [to("B", "b")]), entity("B")], [entity("A"), entity("B")]], []
    ),
  ]

  @Test(arguments: indexed) func `an index has a number that no other had`(
    title: String, schemas: [[EntityDefinition]], indexes: [String]
  ) throws {
    var catalogue: Catalogue?
    for schema in versions(schemas) { catalogue = try CatalogueBuilder.build(schema, onto: catalogue) }
    let entity = try #require(catalogue?.entities.first)
    let found = entity.indexes.map { index in
      let fields = index.components.map { entity.fields[$0.ordinal].name + ($0.isDescending ? "↓" : "") }
      return "\(index.number)\(index.isUnique ? "!" : "") \(fields.joined(separator: " "))"
    }
    #expect(found == indexes)
    #expect(entity.indexes.allSatisfy { $0.sharesTree })
  }

  // MARK: What a schema may not do

  /// Each type, declared where another was: records hold values of the other.
  @Test(arguments: FieldType.allCases) func `a type does not change under its values`(type: FieldType) throws {
    guard type != .reference else { return }
    func schema(_ version: Int, _ type: FieldType) -> StoreSchema {
      StoreSchema(
        version: SchemaVersion(version, 0, 0),
        entities: [Self.entity("A", [AttributeDefinition(name: "a", type: type, isOptional: true)])])
    }
    let before = try CatalogueBuilder.build(schema(1, type), onto: nil)
    for other in FieldType.allCases where other != type && other != .reference {
      for version in [1, 2] {
        let error = #expect(throws: StoreError.self) {
          try CatalogueBuilder.build(schema(version, other), onto: before)
        }
        #expect(error?.code == .incompatibleSchema)
        #expect(
          error?.message
            == "A.a is of type \(type) in the store and of type \(other) in the schema: convert the values in a stage "
            + "of a migration plan, or give the new property another name")
      }
      // A stage of the app's own converts them: the former values are set aside under their type.
      let converted = try CatalogueBuilder.build(schema(2, other), onto: before, replacesTypes: true)
      #expect(words(converted) == ["0 A: (a~\(type)) a"])
      #expect(converted.entities[0].fields.map(\.type) == [type, other])
    }
  }

  /// An older schema goes on where all that it declares is there as declared.
  static let older: [(title: String, newer: [EntityDefinition], older: [EntityDefinition], code: StoreError.Code?)] = [
    ("the same", [entity("A")], [entity("A")], nil),
    ("without an entity", [entity("A"), entity("B")], [entity("A")], nil),
    ("without a field", [entity("A", [text, size])], [entity("A")], nil),
    ("without an index", [entity("A", indexes: [IndexDefinition("text")])], [entity("A")], nil),
    ("with an index that the newer one lacks", [entity("A")], [entity("A", indexes: [IndexDefinition("text")])], nil),
    ("with an entity that went", [entity("A")], [entity("A"), entity("B")], .backwardMigration),
    ("with a field that went", [entity("A")], [entity("A", [text, size])], .backwardMigration),
    ("with a field that was renamed", [entity("A", [named("name", from: "text")])], [entity("A")], .backwardMigration),
    ("with an entity that was renamed", [entity("B", from: "A")], [entity("A")], .backwardMigration),
    (
      "with a field that became optional",
      [entity("A", [AttributeDefinition(name: "text", type: .string, isOptional: true)])], [entity("A")],
      .backwardMigration
    ),
    (
      "with a relationship to another entity", [entity("A", [], [to("B", "x")]), entity("B")],
      [entity("A", [], [to("A", "x")])], .backwardMigration
    ),
    (
      "with a to-one that became a to-many", [entity("A", [], [to("A", "x", isToMany: true)])],
      [entity("A", [], [to("A", "x")])],
      .backwardMigration
    ),
  ]

  @Test(arguments: older) func `an older schema goes on where all of it is there`(
    title: String, newer: [EntityDefinition], older: [EntityDefinition], code: StoreError.Code?
  ) throws {
    // From the older one on, as a store comes by the newer one.
    let first = try CatalogueBuilder.build(StoreSchema(entities: older), onto: nil)
    let schema = StoreSchema(version: SchemaVersion(2, 0, 0), entities: newer)
    let catalogue: Catalogue
    do {
      catalogue = try CatalogueBuilder.build(schema, onto: first)
    } catch let error as StoreError where error.code == .incompatibleSchema {
      catalogue = try CatalogueBuilder.build(schema, onto: nil)
    }
    let found = storeErrorCode {
      let kept = try CatalogueBuilder.build(StoreSchema(entities: older), onto: catalogue)
      #expect(kept == catalogue, "an older schema changes nothing")
    }
    #expect(found == code)
    #expect(CatalogueBuilder.contains(StoreSchema(entities: older), in: catalogue) == (code == nil))
  }
}
