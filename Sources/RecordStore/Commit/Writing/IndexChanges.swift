import LMDB

/// The entries that one commit adds to and removes from one index, written in key order: pages fill in
/// turn, and entries beyond the last key of the tree are appended.
///
/// All keys lie one after another in one array; an entry is a place in it. To sort them, eight bytes of each key are
/// taken as a number, and of those that are equal in it the next eight: keys of one index often begin alike. Many are
/// first dealt out by the leading bits in which they differ, into about as many parts as there are keys: three passes,
/// where comparing would take as many as the number of keys has digits.
///
/// Sorted entries name keys that lie all over the array. Before some are written, their keys are laid side by side:
/// memory brings many at once, where the writes between would have it bring one at a time.
///
/// A pointer file: parts of the array of entries are sorted where they lie.
struct IndexChanges {
  private struct Entry {
    /// Eight bytes of the key, from the place that is being sorted by.
    var part: UInt64 = 0
    var start = 0
    var count: Int32 = 0
    /// A unique entry: its value, the record's id, follows the key. Otherwise the key ends with the id.
    var isUnique = false
  }

  let database: Database
  private var keys = GrowingBytes(capacity: 0)
  private var additions: [Entry] = []
  private var removals: [Entry] = []
  /// How many of the entries are in key order: all, or it counts for nothing.
  private var sortedCount = 0

  init(database: Database) { self.database = database }

  /// Adds the entries of new records; rewritten ones are left out. `encoder` lends its memory.
  mutating func add(_ rows: [RecordDrafts.Entry], _ key: IndexKey, _ encoder: inout KeyEncoder) {
    additions.reserveCapacity(additions.count + rows.count)
    for row in rows where row.isNew {
      let isUnique = key.encode(RecordView(row.bytes), id: row.id, into: &encoder)
      // Keys of one index are mostly of one size. For longer ones the memory grows as it must.
      if keys.count == 0 { keys.reserve(rows.count * min(Self.usualByteCount, encoder.count + RecordID.byteCount)) }
      add(encoder, value: isUnique ? row.id : nil)
    }
  }

  private static let usualByteCount = 64

  mutating func add(_ key: borrowing KeyEncoder, value: RecordID?) { key.withRawBytes { add($0, value: value) } }

  /// Adds an entry without a value.
  mutating func add(_ key: GrowingBytes) { key.withRawBytes { add($0, value: nil) } }

  mutating func add(_ key: RawBytes, value: RecordID?) {
    additions.append(Entry(start: keys.count, count: Int32(key.count), isUnique: value != nil))
    keys.append(key)
    if let value { keys.append(value) }
  }

  /// Adds the entries that another adds to the same index.
  mutating func add(_ other: IndexChanges) {
    precondition(other.removals.isEmpty, "entries that go are not gathered")
    let start = keys.count
    other.keys.withRawBytes { keys.append($0) }
    for var entry in other.additions {
      entry.start += start
      additions.append(entry)
    }
  }

  /// The memory of keys and entries.
  var byteCount: Int { keys.count + (additions.count + removals.count) * MemoryLayout<Entry>.stride }

  mutating func remove(_ key: borrowing KeyEncoder) { key.withRawBytes { remove($0) } }

  mutating func remove(_ key: [UInt8]) { key.withRawBytes { remove($0) } }

  mutating func remove(_ key: RawBytes) {
    removals.append(Entry(start: keys.count, count: Int32(key.count), isUnique: false))
    keys.append(key)
  }

  /// Lends the key of each addition.
  func forEachAddition(_ body: (RawBytes) throws -> Void) rethrows {
    try keys.withRawBytes { keys in try additions.forEach { try body(Self.key(of: $0, keys)) } }
  }

  /// Throws LMDB's `keyExists` when a unique value has two holders; some entries may be written then.
  mutating func write(to transaction: borrowing WriteTransaction) throws {
    guard try writeFree(to: transaction).isEmpty else {
      throw LMDBError(.keyExists, operation: "write to \(database.name)", detail: "a unique value has two holders")
    }
  }

  /// As ``write(to:)``, but leaves out unique values that have a holder. Returns the records that wanted these.
  mutating func addFree(to transaction: borrowing WriteTransaction) throws -> [RecordID] {
    try writeFree(to: transaction).map { place in
      let entry = additions[place]
      return keys.withRawBytes { keys in
        // The id follows the key, or ends it.
        let end = entry.start + Int(entry.count) + Self.valueByteCount(of: entry)
        guard let id = RecordID(bytes: keys.slice(end - RecordID.byteCount..<end)) else {
          preconditionFailure("each entry has an id of \(RecordID.byteCount) bytes")
        }
        return id
      }
    }
  }

  /// Brings the entries into key order, as writing does where it was not done before.
  mutating func sort() {
    guard sortedCount < additions.count + removals.count else { return }
    Self.sort(&removals, keys)
    Self.sort(&additions, keys)
    sortedCount = additions.count + removals.count
  }

  /// Takes entries out, then adds those whose values are free. Returns the places of the others among the additions, in
  /// key order.
  private mutating func writeFree(to transaction: borrowing WriteTransaction) throws -> [Int] {
    guard !additions.isEmpty || !removals.isEmpty else { return [] }
    sort()
    let (additions, removals, database) = (additions, removals, database)
    return try keys.withRawBytes { keys throws in
      let cursor = try transaction.writeCursor(database)
      var steps = DeletionOrder.Steps()
      try DeletionOrder.forEach(removals.count) { try steps.delete(Self.key(of: removals[$0], keys), from: cursor) }
      guard let first = additions.first else { return [] }
      if additions.count == 1 {
        // It lies as it is to be written, and LMDB looks itself whether it is the last one.
        let valueStart = first.start + Int(first.count)
        let value = keys.slice(valueStart..<valueStart + Self.valueByteCount(of: first))
        return try cursor.insert(key: Self.key(of: first, keys), value: value, mode: .append) ? [] : [0]
      }
      var reader = try transaction.view.cursor(database)
      let last = try reader.last()
      let appends = last.map { Self.key(of: first, keys).compare($0.key) > 0 } ?? true
      var taken: [Int] = []
      var near = GrowingBytes(capacity: 0)
      var start = 0
      while start < additions.count {
        let part = additions[start...].prefix(Self.nearCount)
        Self.gather(part, keys, into: &near)
        // Equal keys stand side by side.
        let before = start > 0 ? Self.key(of: additions[start - 1], keys) : nil
        try near.withRawBytes { near throws in
          try Self.put(part, near, after: before, appends: appends, cursor, &taken)
        }
        start += part.count
      }
      return taken
    }
  }

  private static let nearCount = 64

  /// Copies keys and values, one after another.
  private static func gather(_ entries: ArraySlice<Entry>, _ keys: RawBytes, into near: inout GrowingBytes) {
    near.removeAll()
    for entry in entries {
      near.append(keys.slice(entry.start..<entry.start + Int(entry.count) + valueByteCount(of: entry)))
    }
  }

  /// Adds gathered entries, and notes the places of those whose value is taken. `before`: the key of the entry before
  /// them.
  private static func put(
    _ entries: ArraySlice<Entry>, _ near: RawBytes, after before: RawBytes?, appends: Bool,
    _ cursor: borrowing WriteCursor, _ taken: inout [Int]
  ) throws {
    var (start, last) = (0, before)
    for place in entries.indices {
      let entry = entries[place]
      let valueStart = start + Int(entry.count)
      let key = near.slice(start..<valueStart)
      start = valueStart + valueByteCount(of: entry)
      let value = near.slice(valueStart..<start)
      if appends {
        // A key that ends with its record is nobody else's.
        if entry.isUnique, let last, last == key {
          taken.append(place)
        } else {
          try cursor.put(key: key, value: value, mode: .append)
        }
      } else if try !cursor.insert(key: key, value: value) {
        taken.append(place)
      }
      last = key
    }
  }

  private static func key(of entry: Entry, _ keys: RawBytes) -> RawBytes {
    keys.slice(entry.start..<entry.start + Int(entry.count))
  }

  private static func valueByteCount(of entry: Entry) -> Int { entry.isUnique ? RecordID.byteCount : 0 }
}

// Key order.
extension IndexChanges {
  private static func sort(_ entries: inout [Entry], _ keys: GrowingBytes) {
    guard entries.count > 1 else { return }
    keys.withRawBytes { keys in
      entries.withUnsafeMutableBufferPointer { sort($0, keys, from: 0) }
    }
  }

  /// Sorts entries whose keys are equal before `depth`.
  private static func sort(_ entries: UnsafeMutableBufferPointer<Entry>, _ keys: RawBytes, from depth: Int) {
    // A view, whose elements are sorted where they lie.
    var entries = entries
    let shortest = entries.reduce(Int32.max) { min($0, $1.count) }
    guard entries.count > 8, depth + 8 <= shortest else {
      entries.sort { key(of: $0, keys).compare(key(of: $1, keys)) < 0 }
      return
    }
    for index in entries.indices {
      entries[index].part = keys.load(at: entries[index].start + depth, as: UInt64.self).byteSwapped
    }
    sortByPart(entries)
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].part == entries[start].part { end += 1 }
      if end - start > 1 {
        sort(UnsafeMutableBufferPointer(rebasing: entries[start..<end]), keys, from: depth + 8)
      }
      start = end
    }
  }

  private static let fewest = 256

  /// Sorts by the eight bytes that were taken last.
  private static func sortByPart(_ entries: UnsafeMutableBufferPointer<Entry>) {
    // A view, whose elements are sorted where they lie.
    var entries = entries
    if zip(entries, entries.dropFirst()).allSatisfy({ $0.part <= $1.part }) { return }
    guard entries.count >= fewest else { return entries.sort { $0.part < $1.part } }
    let (least, greatest) = entries.reduce((UInt64.max, 0)) { (min($0.0, $1.part), max($0.1, $1.part)) }
    // The bits in which parts can differ, less those that the number of places leaves out.
    let width = UInt64.bitWidth - (greatest - least).leadingZeroBitCount
    let shift = max(0, width - (Int.bitWidth - 1 - entries.count.leadingZeroBitCount))
    func place(_ part: UInt64) -> Int { Int(truncatingIfNeeded: (part - least) >> UInt64(shift)) }
    // Where the entries of each place begin, one place on: dealing moves every beginning to the end.
    var starts = [Int](repeating: 0, count: place(greatest) + 3)
    for entry in entries { starts[place(entry.part) + 2] += 1 }
    for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
    let dealt = [Entry](unsafeUninitializedCapacity: entries.count) { buffer, count in
      for entry in entries {
        let place = place(entry.part) + 1
        buffer.initializeElement(at: starts[place], to: entry)
        starts[place] += 1
      }
      count = entries.count
    }
    _ = entries.update(from: dealt)
    for (start, end) in zip(starts, starts.dropFirst()) where end - start > 1 {
      var part = UnsafeMutableBufferPointer(rebasing: entries[start..<end])
      part.sort { $0.part < $1.part }
    }
  }
}
