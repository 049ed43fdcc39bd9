import LMDB

/// Collects rows with their sort keys and gives them back in order: keys are extracted once into one buffer, and
/// what is sorted are small entries that begin with the key's first eight bytes.
///
/// With a window of n rows only about 2n are kept at a time. A pointer file: comparing keys inside one
/// buffer is the inner loop of every sort.
struct RowSorter {
  private struct Entry {
    /// The first eight bytes of the key, as a number in the same order.
    let head: UInt64
    let offset: Int
    let count: Int32
    let row: Int32
  }

  /// How many of the first rows are wanted; nil: all.
  private let window: Int?
  private var encoder = KeyEncoder()
  private var entries: [Entry] = []
  private var rows: [QueryRow] = []

  init(window: Int?) { self.window = window }

  /// `key` appends the row's sort key, which ends with the row's id.
  mutating func add(_ row: QueryRow, key: (inout KeyEncoder) throws -> Void) rethrows {
    let offset = encoder.count
    try key(&encoder)
    let count = encoder.count - offset
    entries.append(
      Entry(head: head(at: offset, count), offset: offset, count: Int32(count), row: Int32(rows.count)))
    rows.append(row)
    if let window, entries.count > 1024, entries.count / 2 > window { prune(to: window) }
  }

  private func head(at offset: Int, _ count: Int) -> UInt64 {
    precondition(count >= RecordID.byteCount, "a sort key ends with the record's id")
    return encoder.withRawBytes { $0.load(at: offset, as: UInt64.self).byteSwapped }
  }

  private mutating func sort() {
    encoder.withRawBytes { keys in
      entries.sort { left, right in
        guard left.head == right.head else { return left.head < right.head }
        let leftKey = keys.slice(left.offset..<left.offset + Int(left.count))
        return leftKey.compare(keys.slice(right.offset..<right.offset + Int(right.count))) < 0
      }
    }
  }

  /// Keeps the first rows and copies their keys together.
  private mutating func prune(to window: Int) {
    sort()
    var kept = KeyEncoder()
    var keptRows: [QueryRow] = []
    entries = entries.prefix(window).map { entry in
      let offset = kept.count
      encoder.withRawBytes { kept.append(raw: $0.slice(entry.offset..<entry.offset + Int(entry.count))) }
      keptRows.append(rows[Int(entry.row)])
      return Entry(head: entry.head, offset: offset, count: entry.count, row: Int32(keptRows.count - 1))
    }
    encoder = kept
    rows = keptRows
  }

  /// The rows in order, at most as many as the window.
  mutating func sorted() -> [QueryRow] {
    sort()
    return entries.prefix(window ?? entries.count).map { rows[Int($0.row)] }
  }
}
