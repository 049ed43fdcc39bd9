import Foundation
import RecordStore
import Testing

/// The code of RecordStore's landing page and of the article Queries, over a store of cities and their streets.
struct RecordStoreArticleTests {
  private func withStreets(_ body: (RecordStore) throws -> Void) async throws {
    try await withFolder { root in
      let city = EntityDefinition(
        name: "City", attributes: [AttributeDefinition(name: "name", type: .string)],
        relationships: [
          RelationshipDefinition(
            name: "streets", destination: "Street", isToMany: true, deleteRule: .cascade, inverse: "city")
        ],
        uniquenessConstraints: [["name"]])
      let street = EntityDefinition(
        name: "Street",
        attributes: [
          AttributeDefinition(name: "name", type: .string),
          AttributeDefinition(name: "length", type: .double, isOptional: true),
        ],
        relationships: [
          RelationshipDefinition(name: "city", destination: "City", isOptional: false, inverse: "streets")
        ],
        indexes: [IndexDefinition("length")])
      let schema = StoreSchema(version: SchemaVersion(1, 0, 0), entities: [city, street])
      let store = try RecordStore.open(StoreConfiguration(url: root.appending(path: "map.store")), schema: schema)
      try body(store)
      #expect(try store.integrityViolations() == [])
    }
  }

  /// A city with a street of each length; returns the city.
  private func fill(_ store: RecordStore, _ lengths: [Double]) throws -> RecordID {
    let catalogue = try store.read { $0.catalogue }
    let (city, street) = (
      try #require(catalogue.entity(named: "City")), try #require(catalogue.entity(named: "Street"))
    )
    func write(_ entity: CatalogueEntity, _ name: String, _ value: FieldValue) throws -> FieldWrite {
      FieldWrite(try #require(entity.field(named: name)).ordinal, value)
    }
    let rome = RecordIDGenerator.shared.next()
    var changes: [RecordChange] = [
      .insert(entity: city.number, id: rome, fields: [try write(city, "name", .string("Rome"))])
    ]
    for length in lengths {
      changes.append(
        .insert(
          entity: street.number, id: RecordIDGenerator.shared.next(),
          fields: [
            try write(street, "name", .string("\(length)")), try write(street, "length", .double(length)),
            try write(street, "city", .reference(rome)),
          ]))
    }
    _ = try store.commit(SaveRequest(changes: changes))
    return rome
  }

  @Test func `a save says what changed, and history tells it to others`() async throws {
    try await withStreets { store in
      let rome = try fill(store, [100, 200])
      let city = try #require(try store.read { $0.catalogue }.entity(named: "City"))

      let result = try store.commit(
        SaveRequest(author: "importer", changes: [.delete(entity: city.number, id: rome)]))
      print(result.number, result.changes.map(\.kind))  // the streets went along
      let news = try store.read { try $0.history(after: result.number - 1) }
      for transaction in news {
        print(transaction.author ?? "", transaction.committedAt, transaction.changes.count)
      }
      #expect(result.changes.map(\.kind) == [.delete, .delete, .delete])
      #expect(news.map(\.author) == ["importer"] && news[0].changes == result.changes)
    }
  }

  @Test func `a query finds the longest streets, and says by which index`() async throws {
    try await withStreets { store in
      _ = try fill(store, [100, 900, 500, 700])
      let street = try #require(try store.read { $0.catalogue }.entity(named: "Street"))
      let length = try #require(street.field(named: "length"))

      let path = FieldPath(length.ordinal)
      let query = RecordQuery(
        entity: street.number, filter: .compare(path, .greaterOrEqual, .double(500)),
        sort: [RecordQuery.SortKey(path, isDescending: true)], limit: 2)
      let longest = try store.read { try $0.fetch(query) }
      print(longest.map { $0.value(of: length) })
      print(try store.read { try $0.explain(query) })
      #expect(longest.map { $0.value(of: length) } == [.double(900), .double(700)])
      #expect(try store.read { try $0.explain(query) }.contains("on (length), backward: length ≥ 500.0"))
    }
  }
}
