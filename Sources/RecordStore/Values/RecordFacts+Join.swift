extension RecordFacts {
  /// Adds what `other` knows of the same record: per register the greater of (not by a once insert, stamp, the
  /// value's bytes), the greatest touch and delete, the first run of each once key. Commutative, associative and
  /// idempotent.
  ///
  /// Cost: one pass over both lists of registers; nothing is allocated when `other` has no new register.
  /// A register's bytes are compared only under equal stamps, which a clone of a replica can make.
  package mutating func join(_ other: RecordFacts) {
    isInserted = isInserted || other.isInserted
    touch = max(touch, other.touch)
    deleted = max(deleted, other.deleted)
    if !other.onceInserts.isEmpty { join(other.onceInserts) }
    var index = 0
    for register in other.registers {
      while index < registers.count, registers[index].ordinal < register.ordinal { index += 1 }
      guard index < registers.count, registers[index].ordinal == register.ordinal else {
        registers.insert(register, at: index)
        continue
      }
      if register.beats(registers[index]) { registers[index] = register }
    }
  }

  mutating func join(_ others: [OnceInsert]) {
    for insert in others {
      let index = onceInserts.firstIndex { $0.keyHash >= insert.keyHash } ?? onceInserts.endIndex
      if index < onceInserts.endIndex, onceInserts[index].keyHash == insert.keyHash {
        onceInserts[index].stamp = min(onceInserts[index].stamp, insert.stamp)
      } else {
        onceInserts.insert(insert, at: index)
      }
    }
  }

  private func max(_ left: Stamp?, _ right: Stamp?) -> Stamp? {
    guard let left, let right else { return left ?? right }
    return Swift.max(left, right)
  }
}

extension RecordFacts.Register {
  /// Whether this write wins over another of the same field. A write never beats an equal one.
  package func beats(_ other: RecordFacts.Register) -> Bool {
    if isOnce != other.isOnce { return other.isOnce }
    if stamp != other.stamp { return stamp > other.stamp }
    return FieldValue.isOrderedByBytes(other.value, before: value)
  }
}

extension FieldValue {
  /// A total order without meaning, equal on every device: null first, then the payload's bytes. Values of
  /// two types, which a schema that differs between devices can give one field, are ordered by type first. A large
  /// value stands where its reference stands, whether a device keeps it in the record or beside the store.
  static func isOrderedByBytes(_ left: FieldValue, before right: FieldValue) -> Bool {
    guard left.type == right.type else { return (left.type?.rawValue ?? 0) < (right.type?.rawValue ?? 0) }
    return left.canonicalForm.encodedBytes.lexicographicallyPrecedes(right.canonicalForm.encodedBytes)
  }
}
