/// One record while a commit works on it: what the store has, and what it will have.
struct WorkingRecord {
  var facts: RecordFacts
  /// As stored; nil for a record that the store does not know.
  let original: RecordFacts?
  let wasVisible: Bool
  let originalDangling: [Int]

  var isVisible: Bool
  /// Ordinals of references that read as nil because their target is not visible, rising.
  var dangling: [Int]
  /// Whether the facts differ from the original's.
  var isDirty = false
  var isQueued = false
  /// How often its visibility was turned.
  var turns = 0
  /// Whether it was dead when last settled; nil before.
  var wasDead: Bool?
  /// Inserted by this very save.
  var isInsertedHere = false
  /// Touched by this very save on behalf of the caller, not by an effect.
  var isWrittenHere = false
  /// Deleted by name in this very save.
  var isDeletedHere = false
  /// The place of the change that was the first to reach it, where a save is divided.
  var place = 0
  /// Joined into another record of the same alias class: the row goes.
  var isRemoved = false

  /// A record that the store does not know yet.
  init(new facts: RecordFacts) {
    self.facts = facts
    original = nil
    wasVisible = false
    originalDangling = []
    isVisible = false
    dangling = []
    isDirty = true
  }

  init(stored facts: RecordFacts, isVisible: Bool, dangling: [Int]) {
    self.facts = facts
    original = facts
    wasVisible = isVisible
    originalDangling = dangling
    self.isVisible = isVisible
    self.dangling = dangling
  }

  var key: RecordKey { RecordKey(entity: facts.entity, id: facts.id) }
}

// The outcome.
extension WorkingRecord {
  /// Whether anything must be written.
  var hasChanged: Bool {
    if isRemoved { return original != nil }
    guard isDirty || isVisible != wasVisible || dangling != originalDangling else { return false }
    return isVisible != wasVisible || dangling != originalDangling || original != facts
  }

  /// How the record changed for readers; nil if it did not.
  func effect(in entity: CatalogueEntity, keepsValues: Bool) -> HistoryChange? {
    switch (wasVisible, isVisible) {
    case (false, false): return nil
    case (false, true): return HistoryChange(kind: .insert, entity: facts.entity, id: facts.id)
    case (true, false):
      let preserved = entity.fields.filter(\.preservesValueOnDeletion).compactMap { field in
        original.map { FieldWrite(field.ordinal, $0.value(of: field)) }
      }
      return HistoryChange(kind: .delete, entity: facts.entity, id: facts.id, preserved: preserved)
    case (true, true):
      let fields = changedFields(in: entity)
      guard !fields.isEmpty else { return nil }
      let values = keepsValues ? fields.flatMap { changedValues(of: entity.fields[$0]) } : []
      return HistoryChange(kind: .update, entity: facts.entity, id: facts.id, fields: fields, preserved: values)
    }
  }

  private func changedValues(of field: CatalogueField) -> [FieldWrite] {
    guard let original else { return [] }
    let old = originalDangling.contains(field.ordinal) ? .null : original.value(of: field)
    let new = dangling.contains(field.ordinal) ? .null : facts.value(of: field)
    return [FieldWrite(field.ordinal, old), FieldWrite(field.ordinal, new)]
  }

  private func changedFields(in entity: CatalogueEntity) -> [Int] {
    guard let original else { return [] }
    return entity.fields.filter { field in
      let old = originalDangling.contains(field.ordinal) ? .null : original.value(of: field)
      let new = dangling.contains(field.ordinal) ? .null : facts.value(of: field)
      // A value that is not equal to itself has not changed for that.
      return old != new && !old.isIdentical(asStored: new)
    }.map(\.ordinal)
  }

  /// The word of a save with this stamp on the record, as other devices need it; nil if nothing.
  func outgoing(stamp: Stamp) -> RecordFacts? {
    var outgoing = RecordFacts(entity: facts.entity, id: facts.id, isInserted: isInsertedHere)
    if facts.touch == stamp { outgoing.touch = stamp }
    if facts.deleted == stamp { outgoing.deleted = stamp }
    outgoing.onceInserts = facts.onceInserts.filter { $0.stamp == stamp }
    outgoing.registers = facts.registers.filter { $0.stamp == stamp }
    let says =
      outgoing.isInserted || outgoing.touch != nil || outgoing.deleted != nil
      || !outgoing.onceInserts.isEmpty || !outgoing.registers.isEmpty
    return says ? outgoing : nil
  }
}
