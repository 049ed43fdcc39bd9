import LMDB

/// One record while a query looks at it: nothing is copied.
package struct QueryRow {
  package let id: RecordID
  package let entity: EntityNumber
  package let view: RecordView

  init(id: RecordID, entity: EntityNumber, bytes: RawBytes) {
    self.id = id
    self.entity = entity
    view = RecordView(bytes)
  }

  /// The record behind the cursor's place in the table of an entity; nil at the end.
  @inline(__always)
  static func next(_ cursor: borrowing Cursor, of entity: CatalogueEntity) throws -> QueryRow? {
    guard let entry = try cursor.next() else { return nil }
    guard let id = RecordID(bytes: entry.key) else { throw IndexReader.damaged(entity, "a key of its table") }
    return QueryRow(id: id, entity: entity.number, bytes: entry.value)
  }

  /// The record copied out of the map, checked.
  package func image() throws -> RecordImage {
    try RecordImage(id: id, entity: entity, copying: view.bytes)
  }
}
