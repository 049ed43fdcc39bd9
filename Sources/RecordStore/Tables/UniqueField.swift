package import LMDB

/// A field that a unique index holds alone: a value names a record, which two look-ups find.
///
/// Made once for a layout, so that the commonest query, one record by a unique value, neither makes a plan nor copies
/// from the catalogue: each of both would cost more than the look-ups.
package final class UniqueField: Sendable {
  let type: FieldType
  /// Whether records that the index does not have belong to the entity too.
  let hasSubentities: Bool
  private let entity: CatalogueEntity
  private let index: CatalogueIndex
  private let limit: IndexKeyLimit
  private let entries: Database
  private let records: Database

  private init(
    _ field: CatalogueField, _ index: CatalogueIndex, of entity: CatalogueEntity, in catalogue: Catalogue,
    _ databases: NamedDatabases
  ) {
    type = field.type
    hasSubentities = catalogue.entities.contains { $0.superentity != nil && $0.superentity == entity.name }
    self.entity = entity
    self.index = index
    limit = index.keyLimit
    entries = databases.index(index.number)
    records = databases.records[entity.number]
  }

  /// By entity number and ordinal; nil for all other fields.
  static func all(of catalogue: Catalogue, _ databases: NamedDatabases) -> [[UniqueField?]] {
    catalogue.entities.map { entity in
      entity.fields.map { field in
        let index = entity.indexes.first {
          $0.isUnique && $0.components.count == 1 && $0.components[0].ordinal == field.ordinal
        }
        return index.map { UniqueField(field, $0, of: entity, in: catalogue, databases) }
      }
    }
  }

  /// The record that has a value of the field's type; nil if there is none. `key`: any encoder, which is cleared; one
  /// that was used before has its memory.
  package func id(
    of value: FieldValue, _ key: inout KeyEncoder, in transaction: TransactionView
  ) throws -> RecordID? {
    key.removeAll()
    key.append(value, isDescending: index.components[0].isDescending)
    key.cut(to: limit)
    return try key.withRawBytes { try transaction.get(entries, key: $0) }.flatMap { RecordID(bytes: $0) }
  }

  /// The record that the index names.
  package func row(_ id: RecordID, in transaction: TransactionView) throws -> QueryRow {
    guard let bytes = try id.withRawBytes({ (key: RawBytes) throws in try transaction.get(records, key: key) }) else {
      throw StoreError.damaged(tableOf: entity, "index \(index.number) names a record that is not there")
    }
    return QueryRow(id: id, entity: entity.number, bytes: bytes)
  }
}

extension StoreSnapshot {
  /// The field that answers a query for one value; nil where a look-up does not.
  package func uniqueField(_ ordinal: Int, of entity: EntityNumber, type: FieldType) -> UniqueField? {
    let fields = layout.uniqueFields
    guard fields.indices.contains(entity), fields[entity].indices.contains(ordinal),
      let field = fields[entity][ordinal], field.type == type
    else { return nil }
    return field
  }
}
