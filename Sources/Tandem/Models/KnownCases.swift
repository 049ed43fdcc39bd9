import RecordStore
import Synchronization

/// The values of one property that is an enumeration by the bytes that records have for them, as far as they were read
/// already: to make one anew takes its raw value, often a text, and comparisons with that of each case.
///
/// Read by all threads without a lock: an entry is counted when it is there, and never changes.
/// A pointer file: entries are read where they lie, and a value that is bits alone is kept as these.
struct KnownCases: ~Copyable {
  private struct Entry {
    let field: ShortField
    /// The type of the value: a question for another type gets none of these bits.
    let type: ObjectIdentifier
    let bits: UInt64
  }

  /// An enumeration with more cases in use makes the others at each read.
  private static let capacity = 32
  /// Nil as long as there are none.
  private let entries = Atomic<UnsafeMutablePointer<Entry>?>(nil)
  private let count = Atomic<Int>(0)
  /// Held while an entry is added.
  private let lock = Mutex(())

  deinit { entries.load(ordering: .relaxed)?.deallocate() }

  /// The bits of the value that was noted for a field.
  @inline(__always)
  func bits(_ field: ShortField, of type: ObjectIdentifier) -> UInt64? {
    let count = count.load(ordering: .acquiring)
    guard count > 0, let entries = entries.load(ordering: .relaxed) else { return nil }
    for place in 0..<count where entries[place].field == field && entries[place].type == type {
      return entries[place].bits
    }
    return nil
  }

  func note(_ bits: UInt64, _ field: ShortField, of type: ObjectIdentifier) {
    lock.withLock { _ in
      let number = count.load(ordering: .relaxed)
      guard number < Self.capacity, self.bits(field, of: type) == nil else { return }
      let entries = entries.load(ordering: .relaxed) ?? .allocate(capacity: Self.capacity)
      (entries + number).initialize(to: Entry(field: field, type: type, bits: bits))
      self.entries.store(entries, ordering: .relaxed)
      count.store(number + 1, ordering: .releasing)
    }
  }
}

/// The parts that a read of a property needs at hand.
struct PropertyPlace: ~Copyable {
  /// The field's ordinal; -1 where the value does not lie in this entity's records.
  let ordinal: Int
  let cases = KnownCases()
}
