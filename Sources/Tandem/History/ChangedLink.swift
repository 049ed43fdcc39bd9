import RecordStore

/// A link of a many-to-many relationship that a transaction made or took away.
struct ChangedLink {
  struct End {
    /// The id that the link was made with.
    let written: RecordID
    /// The id that stands for it now.
    let canonical: RecordID
  }
  let id: RecordID
  /// The entity of the link.
  let entity: EntityNumber
  /// Left and right, as the link's fields are.
  let ends: [End]

  /// Nil for a link of which the store knows nothing any more.
  init?(_ id: RecordID, of entity: EntityNumber, in snapshot: borrowing StoreSnapshot) throws {
    guard let facts = try snapshot.storedFacts(id, of: entity) else { return nil }
    self.id = id
    self.entity = entity
    var ends: [End] = []
    for ordinal in 0...1 {
      guard let end = facts.reference(at: ordinal) else { return nil }
      ends.append(End(written: end, canonical: try snapshot.canonical(end)))
    }
    self.ends = ends
  }
}
