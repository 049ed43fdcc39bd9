import Foundation
import RecordStore

/// A store that has all that a schema can say, for the source of its models: `LibraryModels.swift` is what
/// `tandem schema --swift` makes of it.
enum Library {
  static let ada = RecordID(high: 0x100, low: 1)
  static let notes = RecordID(high: 0x200, low: 1)
  static let tales = RecordID(high: 0x200, low: 2)
  static let shelf = RecordID(high: 0x300, low: 1)

  static let schema = StoreSchema(
    version: SchemaVersion(2, 1, 0),
    entities: [
      EntityDefinition(
        name: "Author",
        attributes: [
          AttributeDefinition(name: "name", type: .string),
          AttributeDefinition(name: "born", type: .date, isOptional: true),
          AttributeDefinition(name: "rating", type: .double, defaultValue: .double(0.5)),
          AttributeDefinition(name: "motto", type: .string, defaultValue: .string("to \"be\"")),
        ],
        relationships: [
          RelationshipDefinition(
            name: "books", destination: "Book", isToMany: true, deleteRule: .cascade, inverse: "author")
        ], uniquenessConstraints: [["name"]]),
      EntityDefinition(
        name: "Book",
        attributes: [
          AttributeDefinition(name: "title", type: .string),
          AttributeDefinition(name: "pages", type: .int, defaultValue: .int(1)),
          AttributeDefinition(name: "price", type: .decimal),
          AttributeDefinition(name: "isLent", type: .bool, defaultValue: .bool(false)),
          AttributeDefinition(name: "printed", type: .date, isOptional: true),
          AttributeDefinition(name: "key", type: .uuid, isOptional: true),
          AttributeDefinition(name: "size", type: .uint, isOptional: true),
          AttributeDefinition(name: "cover", type: .data, isOptional: true, isStoredExternally: true),
          AttributeDefinition(name: "link", type: .url, isOptional: true),
          AttributeDefinition(name: "facts", type: .composite, isOptional: true),
          AttributeDefinition(name: "isbn", type: .string, isOptional: true, preservesValueOnDeletion: true),
          AttributeDefinition(name: "Novel.genre", type: .string, isOptional: true, defaultValue: .string("")).sparse,
          AttributeDefinition(
            name: ".class", type: .string, isOptional: true, preservesValueOnDeletion: true, isSparse: true),
          AttributeDefinition(name: "Author.books.order", type: .string, isOptional: true),
        ],
        relationships: [
          RelationshipDefinition(name: "author", destination: "Author", isOptional: false, inverse: "books"),
          RelationshipDefinition(name: "shelves", destination: "Shelf", isToMany: true, inverse: "books"),
          RelationshipDefinition(name: "label", destination: "Label", deleteRule: .cascade, inverse: "book"),
        ],
        uniquenessConstraints: [["title", "printed"]],
        indexes: [
          IndexDefinition("printed"), IndexDefinition(components: [.init("title", isForPeople: true), .init("pages")]),
          IndexDefinition(".class"),
        ], fieldGroups: [["pages", "price"]]),
      EntityDefinition(
        name: "Label",
        attributes: [AttributeDefinition(name: "default", type: .string, isOptional: true)],
        relationships: [RelationshipDefinition(name: "book", destination: "Book", inverse: "label")]),
      EntityDefinition(
        name: "Shelf", attributes: [AttributeDefinition(name: "place", type: .int)],
        relationships: [
          RelationshipDefinition(
            name: "books", destination: "Book", isToMany: true, inverse: "shelves", maximumCount: 100)
        ]),
    ])

  static func create(at url: URL) throws {
    let store = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: schema)
    let catalogue = try store.read { $0.catalogue }
    func insert(_ name: String, _ id: RecordID, _ values: [String: FieldValue]) -> RecordChange {
      guard let entity = catalogue.entity(named: name) else { preconditionFailure("the schema has no \(name)") }
      let fields = entity.fields.compactMap { field in values[field.name].map { FieldWrite(field.ordinal, $0) } }
      return .insert(entity: entity.number, id: id, fields: fields)
    }
    let book = catalogue.entities.first { $0.name == "Book" }?.number ?? 0
    _ = try store.commit(
      SaveRequest(changes: [
        insert("Author", ada, ["name": .string("Ada")]), insert("Shelf", shelf, ["place": .int(3)]),
        insert(
          "Book", notes,
          [
            "title": .string("Notes"), "price": .decimal(12), "author": .reference(ada), "size": .uint(7),
            "facts": .composite(Data(#"{"a":[1,true,null]}"#.utf8)), "link": .url("https://example.org/notes"),
          ]),
        insert(
          "Book", tales,
          [
            "title": .string("Tales"), "price": .decimal(9), "author": .reference(ada), ".class": .string("Novel"),
            "Novel.genre": .string("crime"),
          ]),
        .link(entity: book, id: notes, relationship: "shelves", other: shelf, isLinked: true),
      ]))
  }
}

/// As the library has a property of a subclass.
extension AttributeDefinition {
  var sparse: AttributeDefinition {
    var copy = self
    copy.isSparse = true
    return copy
  }
}
