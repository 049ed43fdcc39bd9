import LMDB

/// The commonest query, one record by a unique value, answered without making a plan; see ``UniqueField``. The result
/// is that of the plan.
struct UniqueLookUp {
  private let field: UniqueField
  private let value: FieldValue

  /// Nil unless the query is an equality with one field that a unique index holds alone, of one entity, from
  /// the first record on, and with a value of the field's type.
  init?(_ query: RecordQuery, in snapshot: borrowing StoreSnapshot) throws {
    guard case .compare(let path, .equal, let value) = query.filter, path.ordinals.count == 1, query.sort.isEmpty,
      query.offset == 0, query.behind == nil, query.limit ?? 1 > 0, !value.isNotANumber, let type = value.type,
      let field = snapshot.uniqueField(path.ordinals[0], of: query.entity, type: type),
      !query.includesSubentities || !field.hasSubentities
    else { return nil }
    self.field = field
    if case .reference(let id) = value {
      self.value = .reference(try snapshot.canonical(id))
    } else {
      self.value = value
    }
  }

  /// The record that the index names.
  func id(in snapshot: borrowing StoreSnapshot) throws -> RecordID? {
    var key = KeyEncoder()
    return try field.id(of: value, &key, in: snapshot.transaction)
  }

  func row(_ id: RecordID, in snapshot: borrowing StoreSnapshot) throws -> QueryRow {
    try field.row(id, in: snapshot.transaction)
  }
}
