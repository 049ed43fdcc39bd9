/// One record as the writes that name it tell it, whatever alias class it belongs to.
///
/// Rows of the store show the join of a class's members, with references to canonical ids. Members keep what the
/// row cannot give back: whose write it was, and which id a reference was written with.
struct Member {
  var facts: RecordFacts
  /// Writes of fields of unique keys that have lost to later ones, in order of field and time.
  private(set) var past: [PastWrite]
  /// As stored; nil for a record that the store does not know.
  let original: RecordFacts?
  let originalPast: [PastWrite]
  let wasInClass: Bool

  /// `past`: of a record that is worked out anew, what the store has of it all the same.
  init(new facts: RecordFacts, past: [PastWrite] = []) {
    self.facts = facts
    self.past = past
    original = nil
    originalPast = past
    wasInClass = false
  }

  /// `original`: as stored, where it differs from `facts` already.
  init(stored facts: RecordFacts, original: RecordFacts? = nil, past: [PastWrite], isInClass: Bool) {
    self.facts = facts
    self.past = past
    self.original = original ?? facts
    originalPast = past
    wasInClass = isInClass
  }

  /// With nothing of its held keys in the store, whose entries were all taken away.
  init(rebuilt member: Member) {
    facts = member.facts
    past = member.past
    original = nil
    originalPast = member.originalPast
    wasInClass = false
  }

  var key: RecordKey { RecordKey(entity: facts.entity, id: facts.id) }

  /// Joins facts; true if that changed which unique values the record has ever held.
  mutating func join(_ other: RecordFacts, uniqueOrdinals: Set<Int>) -> Bool {
    let before = facts
    facts.join(other)
    guard !uniqueOrdinals.isEmpty else { return false }
    var hasChanged = facts.isInserted != before.isInserted || before.deleted != nil && facts.deleted != before.deleted
    for register in other.registers where uniqueOrdinals.contains(register.ordinal) {
      guard let own = before.register(at: register.ordinal) else {
        hasChanged = true
        continue
      }
      let isBeaten = register.beats(own)
      if own.stamp != register.stamp, remember(isBeaten ? own : register) { hasChanged = true }
      hasChanged = hasChanged || isBeaten
    }
    return hasChanged
  }

  /// Takes away what a collection covers.
  mutating func forget(_ covered: VersionVector, _ forks: ForkedStreams) {
    past.removeAll { forks.covers(covered, $0.stamp) }
  }

  /// Keeps a write that has lost; false if it is kept already.
  ///
  /// What a once insert wrote is not: whether it was ever held would depend on what arrived first.
  mutating func remember(_ register: RecordFacts.Register) -> Bool {
    guard !register.isOnce else { return false }
    let write = PastWrite(ordinal: register.ordinal, stamp: register.stamp, value: register.value)
    guard let place = past.firstIndex(where: { ($0.ordinal, $0.stamp) >= (write.ordinal, write.stamp) }) else {
      past.append(write)
      return true
    }
    guard (past[place].ordinal, past[place].stamp) == (write.ordinal, write.stamp) else {
      past.insert(write, at: place)
      return true
    }
    // Two writes under one stamp are those of a clone.
    guard register.beats(past[place].register) else { return false }
    past[place] = write
    return true
  }
}

/// An overwritten value of a unique key, and whose it was.
package struct RecordPastWrite: Hashable, Sendable {
  package let entity: EntityNumber
  package let id: RecordID
  package let write: PastWrite

  package init(entity: EntityNumber, id: RecordID, write: PastWrite) {
    self.entity = entity
    self.id = id
    self.write = write
  }
}

/// A write of a field of a unique key that lost to a later one.
package struct PastWrite: Hashable, Sendable {
  package let ordinal: Int
  package let stamp: Stamp
  package let value: FieldValue

  package init(ordinal: Int, stamp: Stamp, value: FieldValue) {
    self.ordinal = ordinal
    self.stamp = stamp
    self.value = value
  }

  func isSameWrite(as other: PastWrite) -> Bool { ordinal == other.ordinal && stamp == other.stamp }

  var register: RecordFacts.Register { RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp) }
}
