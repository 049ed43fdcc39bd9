/// One edit of one record.
public enum RecordChange: Hashable, Sendable {
  /// A new record. Fields that are not written get their defaults, written too: an insert writes every field.
  /// If a unique value belongs to a visible record already, the change becomes an update of that record
  /// and ``SaveResult/remapped`` says so (or the save throws, see ``UniquenessPolicy``).
  ///
  /// The id must be new to the store, whatever its entities: references and aliases know a record by its id alone, and
  /// a save does not look for it in other entities. ``RecordIDGenerator`` makes such ids.
  case insert(entity: EntityNumber, id: RecordID, fields: [FieldWrite])
  /// New values of some fields of a visible record. Equal values are not written.
  /// A record that is not visible any more (deleted by somebody else) makes the save throw `recordNotFound`.
  case update(entity: EntityNumber, id: RecordID, fields: [FieldWrite])
  /// A delete by the user. Delete rules apply. A record that is gone already is not an error.
  case delete(entity: EntityNumber, id: RecordID)
  /// Adds or removes one link of a many-to-many relationship: `id` and `other` stand on the two sides.
  case link(entity: EntityNumber, id: RecordID, relationship: String, other: RecordID, isLinked: Bool)
}
