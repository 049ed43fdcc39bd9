import Foundation
import RecordStore
import Testing

/// A folder with one store of shopping lists: the same schema and records for all tests of commands.
///
/// Every type of value occurs, a to-many relationship that cascades, a many-to-many one, a deleted record.
struct Shop {
  let folder: URL
  /// Not open in this process while a test runs, unless the test opens it.
  var url: URL { folder.appendingPathComponent("shop.store", isDirectory: true) }
  var path: String { url.path }
  var dataFile: URL { url.appendingPathComponent("data.mdb") }

  static let bread = RecordID(high: 0x1000, low: 1)
  static let milk = RecordID(high: 0x1000, low: 2)
  static let soap = RecordID(high: 0x1000, low: 3)
  static let gone = RecordID(high: 0x1000, low: 4)
  static let food = RecordID(high: 0x2000, low: 1)
  static let home = RecordID(high: 0x2000, low: 2)
  static let fresh = RecordID(high: 0x3000, low: 1)

  static let schema = StoreSchema(
    version: SchemaVersion(1, 2, 0),
    entities: [
      EntityDefinition(
        name: "Item",
        attributes: [
          AttributeDefinition(name: "title", type: .string),
          AttributeDefinition(name: "price", type: .decimal, isOptional: true),
          AttributeDefinition(name: "amount", type: .int, defaultValue: .int(1)),
          AttributeDefinition(name: "due", type: .date, isOptional: true),
          AttributeDefinition(name: "done", type: .bool),
          AttributeDefinition(name: "key", type: .uuid, isOptional: true),
          AttributeDefinition(name: "weight", type: .double),
          AttributeDefinition(name: "picture", type: .data, isOptional: true),
          AttributeDefinition(name: "page", type: .url, isOptional: true),
          AttributeDefinition(name: "size", type: .uint),
          AttributeDefinition(name: "colour", type: .composite, isOptional: true),
        ],
        relationships: [
          RelationshipDefinition(name: "list", destination: "List", inverse: "items"),
          RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "items"),
        ],
        indexes: [IndexDefinition("due")]),
      EntityDefinition(
        name: "List", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [
          RelationshipDefinition(
            name: "items", destination: "Item", isToMany: true, deleteRule: .cascade, inverse: "list")
        ],
        uniquenessConstraints: [["name"]]),
      EntityDefinition(
        name: "Tag", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [RelationshipDefinition(name: "items", destination: "Item", isToMany: true, inverse: "tags")],
        uniquenessConstraints: [["name"]]),
    ])

  /// A new folder with the store in it, gone afterwards; the store is checked before.
  static func with(isFilled: Bool = true, _ body: (Shop) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-shop-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove(folder) }
    let shop = Shop(folder: folder)
    try shop.create(at: shop.url, isFilled: isFilled)
    try body(shop)
    if FileManager.default.fileExists(atPath: shop.dataFile.path) {
      #expect(try shop.open().integrityViolations() == [])
    }
  }

  private static func remove(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("could not remove \(folder.path): \(error)")
    }
  }

  func open(_ url: URL? = nil) throws -> RecordStore {
    try RecordStore.open(
      StoreConfiguration(url: url ?? self.url, createsIfMissing: false, durability: .unsafeNoFlush))
  }

  /// Makes a store with the schema.
  func create(at url: URL, isFilled: Bool) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let store = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: Shop.schema)
    if isFilled { try fill(store) }
  }

  private func fill(_ store: RecordStore) throws {
    let catalogue = try store.read { $0.catalogue }
    func insert(_ name: String, _ id: RecordID, _ values: KeyValuePairs<String, FieldValue>) throws -> RecordChange {
      let entity = try #require(catalogue.entity(named: name))
      let fields = try values.map { FieldWrite(try #require(entity.field(named: $0)).ordinal, $1) }
      return .insert(entity: entity.number, id: id, fields: fields)
    }
    let item = try #require(catalogue.entity(named: "Item"))
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    _ = try store.commit(
      SaveRequest(
        author: "ada",
        changes: [
          try insert("List", Shop.food, ["name": .string("Food")]),
          try insert("List", Shop.home, ["name": .string("Home")]),
          try insert("Tag", Shop.fresh, ["name": .string("fresh")]),
          try insert(
            "Item", Shop.bread,
            [
              "title": .string("Bread"), "price": .decimal(Decimal(string: "3.50")!), "list": .reference(Shop.food),
              "due": .date(Date(timeIntervalSinceReferenceDate: 816_942_600)), "key": .uuid(uuid),
              "picture": .data(Data([0, 255])), "page": .url("https://example.org/bread"), "size": .uint(.max),
              "colour": .composite(Data([7])), "weight": .double(0.1),
            ]),
          try insert("Item", Shop.milk, ["title": .string("Milk \u{1B}[31m\n漢"), "list": .reference(Shop.food)]),
          try insert(
            "Item", Shop.soap, ["title": .string("Soap"), "done": .bool(true), "list": .reference(Shop.home)]),
          try insert("Item", Shop.gone, ["title": .string("Gone")]),
          .link(entity: item.number, id: Shop.bread, relationship: "tags", other: Shop.fresh, isLinked: true),
        ]))
    let price = try #require(item.field(named: "price"))
    _ = try store.commit(
      SaveRequest(changes: [
        .update(
          entity: item.number, id: Shop.milk, fields: [FieldWrite(price.ordinal, .decimal(Decimal(string: "1.2")!))]),
        .delete(entity: item.number, id: Shop.gone),
      ]))
  }
}
