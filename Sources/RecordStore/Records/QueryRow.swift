import LMDB

/// One record while a query looks at it: nothing is copied. A pointer file, for callers that copy it elsewhere.
package struct QueryRow {
  package let id: RecordID
  package let entity: EntityNumber
  package let view: RecordView

  init(id: RecordID, entity: EntityNumber, bytes: RawBytes) {
    self.id = id
    self.entity = entity
    view = RecordView(bytes)
  }

  /// The next record of a walk over the table of an entity; nil at the end.
  @inline(__always)
  static func next<Walk: EntryWalk & ~Copyable>(_ walk: inout Walk, of entity: CatalogueEntity) throws -> QueryRow? {
    guard let entry = try walk.next() else { return nil }
    guard let id = RecordID(bytes: entry.key) else { throw StoreError.damaged(tableOf: entity, "a key of its table") }
    return QueryRow(id: id, entity: entity.number, bytes: entry.value)
  }

  package var byteCount: Int { view.bytes.count }

  /// Copies the record to where there is room for ``byteCount`` bytes. The copy is not to be used before ``verify(_:)``
  /// has passed it.
  package func copy(to room: UnsafeMutableRawPointer) -> RecordView {
    room.copyMemory(from: view.bytes.start, byteCount: view.bytes.count)
    return RecordView(RawBytes(start: room, count: view.bytes.count))
  }

  /// Throws `damaged` if the checksum of a copy is wrong.
  package func verify(_ copy: RecordView) throws { try RecordFormat.verify(copy.bytes, id: id, entity: entity) }

  /// The record copied out of the map, checked.
  package func image() throws -> RecordImage {
    try RecordImage(id: id, entity: entity, copying: view.bytes)
  }
}
