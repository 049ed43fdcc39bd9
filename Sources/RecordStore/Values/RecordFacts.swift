/// Everything known about one record, as facts that only grow: joining is commutative, associative
/// and idempotent, so neither order nor repetition of arrivals matters.
///
/// What an app sees of the record (is it visible, with which values) is computed from the facts; see
/// MergeRules. An entry of ``registers`` is absent until the field is written for the first time; a
/// default reads as if written at ``Stamp/zero``.
package struct RecordFacts: Hashable, Sendable {
  /// The newest known write of one field.
  package struct Register: Hashable, Sendable {
    /// The field's ordinal.
    package var ordinal: Int
    /// The value of the newest write that is known.
    package var value: FieldValue
    /// The time of that write.
    package var stamp: Stamp
    /// Whether an insert of a once transaction wrote it. Any other write beats it, whatever the stamps: the same
    /// effect, run again elsewhere, takes nothing back that was done to its records since.
    package var isOnce: Bool
    /// Creates a register from its parts.
    package init(ordinal: Int, value: FieldValue, stamp: Stamp, isOnce: Bool = false) {
      self.ordinal = ordinal
      self.value = value
      self.stamp = stamp
      self.isOnce = isOnce
    }
  }

  /// One once key that inserted the record.
  package struct OnceInsert: Hashable, Sendable {
    /// The key's name: the first eight bytes of its SHA-256.
    package var keyHash: UInt64
    /// The smallest stamp of the transactions that ran the key.
    package var stamp: Stamp
    /// Creates an insert from its parts.
    package init(keyHash: UInt64, stamp: Stamp) {
      self.keyHash = keyHash
      self.stamp = stamp
    }
  }

  /// The record's entity, in the numbering that the facts are told in.
  package var entity: EntityNumber
  /// The record's own id.
  package var id: RecordID
  /// Whether a full insert was seen. Without it the record waits, kept and invisible.
  package var isInserted: Bool
  /// The greatest stamp of inserts and user updates; inserts of once transactions left out.
  package var touch: Stamp?
  /// The greatest stamp of explicit deletes.
  package var deleted: Stamp?
  /// The once keys that inserted the record, by hash, each once. A key gives life at its first run only.
  package var onceInserts: [OnceInsert]
  /// Sorted by ordinal, each ordinal at most once.
  package var registers: [Register]

  /// Creates facts from their parts.
  package init(
    entity: EntityNumber, id: RecordID, isInserted: Bool = false, touch: Stamp? = nil,
    deleted: Stamp? = nil, onceInserts: [OnceInsert] = [], registers: [Register] = []
  ) {
    self.entity = entity
    self.id = id
    self.isInserted = isInserted
    self.touch = touch
    self.deleted = deleted
    self.onceInserts = onceInserts
    self.registers = registers
  }

  /// Whether the facts can be stored: registers and once inserts rise, and what once inserts wrote has one.
  ///
  /// Facts that a store makes always are; those that come from elsewhere are asked before anything is done with them.
  package var isSound: Bool {
    zip(registers, registers.dropFirst()).allSatisfy { $0.ordinal < $1.ordinal }
      && zip(onceInserts, onceInserts.dropFirst()).allSatisfy { $0.keyHash < $1.keyHash }
      && (!onceInserts.isEmpty || !registers.contains(where: \.isOnce))
  }

  /// Every stamp that the facts carry.
  package var stamps: [Stamp] {
    var stamps: [Stamp] = []
    forEachStamp { stamps.append($0) }
    return stamps
  }

  /// The greatest of them; nil if there is none.
  package var newestStamp: Stamp? {
    var newest: Stamp?
    forEachStamp { newest = max(newest ?? $0, $0) }
    return newest
  }

  /// Lends every stamp that the facts carry.
  package func forEachStamp(_ body: (Stamp) -> Void) {
    // By their places, for an element copied counts the references of its value.
    for index in registers.indices { body(registers[index].stamp) }
    for insert in onceInserts { body(insert.stamp) }
    touch.map(body)
    deleted.map(body)
  }

  /// The stamp that a delete must surpass: the greatest touch, or the first run of a once key that inserted the record.
  package var life: Stamp? {
    guard !onceInserts.isEmpty else { return touch }
    return onceInserts.reduce(touch) { life, insert in life.map { max($0, insert.stamp) } ?? insert.stamp }
  }
}
