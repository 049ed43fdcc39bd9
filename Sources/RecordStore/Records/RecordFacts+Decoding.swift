package import LMDB

extension RecordFacts {
  /// Decodes a whole record. `type` names the type of each written field by its ordinal.
  ///
  /// Throws `damaged` if an invariant of the format is violated or a value does not fit its type.
  package init(
    decoding bytes: RawBytes, id: RecordID, entity: EntityNumber, type: (Int) throws -> FieldType
  ) throws {
    try RecordFormat.check(bytes, id: id, entity: entity)
    let view = RecordView(bytes)
    var registers: [Register] = []
    registers.reserveCapacity(view.fieldCount)
    for ordinal in 0..<view.fieldCount {
      guard let stamp = view.stamp(at: ordinal) else { continue }
      guard let value = view.registerValue(at: ordinal, type: try type(ordinal)) else {
        throw StoreError(
          .damaged,
          "record \(id) is damaged (field \(ordinal) does not have its type): run tandem check, and "
            + "restore the store from a copy or by sync")
      }
      registers.append(
        Register(ordinal: ordinal, value: value, stamp: stamp, isOnce: view.isOnce(at: ordinal)))
    }
    self.init(
      entity: entity, id: id, isInserted: view.isInserted, touch: view.touch, deleted: view.deleted,
      onceInserts: view.onceInserts, registers: registers)
  }

  /// As ``init(decoding:id:entity:type:)``, with the types of a catalogue entry.
  package init(decoding bytes: RawBytes, id: RecordID, entity: CatalogueEntity) throws {
    try self.init(decoding: bytes, id: id, entity: entity.number) { ordinal in
      guard entity.fields.indices.contains(ordinal) else {
        throw StoreError(
          .damaged,
          "record \(id) of \(entity.name) is damaged (field \(ordinal) is not in the catalogue): run "
            + "tandem check, and restore the store from a copy or by sync")
      }
      return entity.fields[ordinal].type
    }
  }
}
