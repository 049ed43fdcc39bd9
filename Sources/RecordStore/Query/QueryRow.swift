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

  /// The record copied out of the map, checked.
  package func image() throws -> RecordImage {
    try RecordImage(id: id, entity: entity, copying: view.bytes)
  }
}
