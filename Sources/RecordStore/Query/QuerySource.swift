package import LMDB

/// The source of a query: one snapshot's transaction and the tables of its catalogue. A class, for every part of a
/// query holds it.
package final class QuerySource {
  package let transaction: TransactionView
  package let catalogue: Catalogue
  /// Visible records of each entity, by entity number.
  package let records: [Database]
  /// By index number.
  package let indexes: [Int: Database]
  /// Ids that became one with others: id -> canonical id.
  package let aliases: Database?
  /// How far scans of large tables are shared out among threads.
  package var sharing = ScanSharing()

  package init(
    transaction: TransactionView, catalogue: Catalogue, records: [Database], indexes: [Int: Database],
    aliases: Database? = nil
  ) {
    self.transaction = transaction
    self.catalogue = catalogue
    self.records = records
    self.indexes = indexes
    self.aliases = aliases
  }

  func entity(_ number: EntityNumber) throws -> CatalogueEntity {
    guard catalogue.entities.indices.contains(number) else {
      throw StoreError(.invalidRequest, "the store has no entity with number \(number)")
    }
    return catalogue.entities[number]
  }

  /// An entity and all that inherit from it, the entity first.
  func family(of entity: CatalogueEntity) -> [CatalogueEntity] {
    [entity] + catalogue.entities.filter { $0.superentity == entity.name }.flatMap { family(of: $0) }
  }

  func index(_ number: Int) throws -> Database {
    guard let database = indexes[number] else {
      throw StoreError(.damaged, "index \(number) has no table: run tandem check, which can build indexes anew")
    }
    return database
  }

  /// The bytes of a visible record; nil if there is none.
  func record(_ id: RecordID, of entity: EntityNumber) throws -> RawBytes? {
    try id.withRawBytes { (key: RawBytes) throws -> RawBytes? in try transaction.get(records[entity], key: key) }
  }

  /// The id that stands for `id`. Aliases lead to smaller ids, so this ends.
  func canonical(_ id: RecordID) throws -> RecordID {
    guard let aliases else { return id }
    var id = id
    while let next = try id.withRawBytes({ (key: RawBytes) throws -> RawBytes? in
      try transaction.get(aliases, key: key)
    }).flatMap({ RecordID(bytes: $0) }) {
      id = next
    }
    return id
  }
}
