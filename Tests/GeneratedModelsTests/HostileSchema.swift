import Foundation
import RecordStore

/// A store whose names are those of Swift, Foundation and Tandem, or no names at all: `HostileModels.swift` is what
/// `tandem schema --swift` makes of it.
enum HostileSchema {
  static let schema = StoreSchema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      EntityDefinition(name: "String", attributes: types, relationships: links, uniquenessConstraints: [["self"]]),
      EntityDefinition(name: "Date", attributes: words + marks, fieldGroups: [["hashValue", "some"]]),
      EntityDefinition(
        name: "two words", attributes: [AttributeDefinition(name: "two words", type: .string, isOptional: true)],
        relationships: [
          RelationshipDefinition(name: "String", destination: "String", isToMany: true, inverse: "class")
        ]),
      EntityDefinition(
        name: "models",
        attributes: [
          AttributeDefinition(name: "models", type: .int),
          AttributeDefinition(name: "Type.models", type: .int, isOptional: true, defaultValue: .int(1)).sparse,
          AttributeDefinition(
            name: ".class", type: .string, isOptional: true, preservesValueOnDeletion: true, isSparse: true),
        ]),
    ] + others.map { EntityDefinition(name: $0, attributes: [AttributeDefinition(name: "value", type: .int)]) })

  /// Each of the types that source names, and properties of the same names.
  private static let types = [
    AttributeDefinition(name: "String", type: .string),
    AttributeDefinition(name: "Date", type: .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 0))),
    AttributeDefinition(name: "Data", type: .data, defaultValue: .data(Data())),
    AttributeDefinition(name: "UUID", type: .uuid, isOptional: true),
    AttributeDefinition(name: "URL", type: .url, isOptional: true),
    AttributeDefinition(name: "Tandem", type: .decimal), AttributeDefinition(name: "self", type: .double),
    AttributeDefinition(name: "facts", type: .composite, isOptional: true),
  ]

  private static let links = [
    RelationshipDefinition(name: "class", destination: "two words", inverse: "String"),
    RelationshipDefinition(name: "Self", destination: "models", isOptional: false, inverse: nil),
  ]

  /// Keywords, what other classes and the expansion of `@Model` are made of, and what any object has.
  private static let words = [
    "default", "init", "Type", "Self", "Any", "Protocol", "await", "some", "any", "subscript", "storage", "newValue",
    "initialValue", "backingData", "id", "description", "hash", "hashValue", "isDeleted", "hasChanges", "modelContext",
    "persistentModelID", "schemaMetadata", "copy", "models",
  ].map { AttributeDefinition(name: $0, type: .int) }

  /// Names of what is no name, some of which differ from others in signs alone.
  private static let marks = [
    "title", "_title", "_$storage", "$0", "_", "+", "1st", "some bool", "a`b", "a b", "aB", "\u{1F6B2}", "\"", "émile",
  ].map { AttributeDefinition(name: $0, type: .string) }

  private static let others = [
    "Int", "AnyKeyPath", "Codable", "Hashable", "Sendable", "Encoder", "Double", "Decimal", "Optional", "Swift",
    "Foundation", "Tandem", "Schema", "VersionedSchema", "PersistentModel", "Model", "Attribute", "Unique", "Group",
    "StoreModels", "JSONValue", "versionIdentifier", "class", "Any", "Self", "Protocol", "1st", "a.b-c",
  ]

  static func create(at url: URL) throws {
    let store = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: schema)
    let entity = try store.read { $0.catalogue }.entity(named: "Tandem")?.number ?? 0
    let id = RecordID(high: 1, low: 1)
    _ = try store.commit(
      SaveRequest(changes: [.insert(entity: entity, id: id, fields: [FieldWrite(0, .int(7))])]))
  }
}
