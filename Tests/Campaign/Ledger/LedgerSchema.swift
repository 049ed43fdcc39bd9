import RecordStore

/// The schema of the stores under test, and the one that they are migrated to.
enum LedgerSchema {
  static let accountCount: Int64 = 8
  static let openingBalance: Int64 = 1000

  static let first = StoreSchema(entities: [item([], []), progress, account])

  /// The first one with values that lie beside the store.
  static let withScans = StoreSchema(entities: [
    item([AttributeDefinition(name: "scan", type: .data, isOptional: true, isStoredExternally: true)], []), progress,
    account,
  ])

  /// A new field with a default, which rewrites every item, and a new index.
  static let second = StoreSchema(
    version: SchemaVersion(2, 0, 0),
    entities: [
      item(
        [AttributeDefinition(name: "grade", type: .int, defaultValue: .int(7))], [IndexDefinition("writer", "text")]),
      progress, account,
    ])

  private static func item(_ more: [AttributeDefinition], _ indexes: [IndexDefinition]) -> EntityDefinition {
    EntityDefinition(
      name: "Item",
      attributes: [
        AttributeDefinition(name: "number", type: .int), AttributeDefinition(name: "writer", type: .int),
        AttributeDefinition(name: "text", type: .string),
      ] + more,
      uniquenessConstraints: [["number"]], indexes: [IndexDefinition("text")] + indexes)
  }

  private static let progress = EntityDefinition(
    name: "Progress",
    attributes: [AttributeDefinition(name: "writer", type: .int), AttributeDefinition(name: "save", type: .int)],
    uniquenessConstraints: [["writer"]])

  private static let account = EntityDefinition(
    name: "Account",
    attributes: [AttributeDefinition(name: "number", type: .int), AttributeDefinition(name: "balance", type: .int)],
    uniquenessConstraints: [["number"]])
}
