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
    let row: Int
  }

  /// How many of the first rows are wanted; nil: all.
  private let window: Int?
  private var encoder = KeyEncoder()
  private var entries: [Entry] = []
  private var rows: [QueryRow] = []
  /// Where the key of each row ends and the next one's begins.
  private var ends: [Int] = []

  init(window: Int?) { self.window = window }

  /// `key` appends the row's sort key, which ends with the row's id.
  mutating func add(_ row: QueryRow, key: (inout KeyEncoder) throws -> Void) rethrows {
    let offset = encoder.count
    try key(&encoder)
    entries.append(Entry(head: head(at: offset, encoder.count - offset), row: rows.count))
    rows.append(row)
    ends.append(encoder.count)
    if let window, entries.count > 1024, entries.count / 2 > window { prune(to: window) }
  }

  private func head(at offset: Int, _ count: Int) -> UInt64 {
    precondition(count >= RecordID.byteCount, "a sort key ends with the record's id")
    return encoder.withRawBytes { $0.load(at: offset, as: UInt64.self).byteSwapped }
  }

  private func range(of row: Int) -> Range<Int> { (row > 0 ? ends[row - 1] : 0)..<ends[row] }

  private mutating func sort() {
    var sorted = entries
    // One owner, or the sort would copy them.
    entries = []
    encoder.withRawBytes { keys in
      sorted.sort { left, right in
        guard left.head == right.head else { return left.head < right.head }
        return keys.slice(range(of: left.row)).compare(keys.slice(range(of: right.row))) < 0
      }
    }
    entries = sorted
  }

  /// Keeps the first rows and copies their keys together.
  private mutating func prune(to window: Int) {
    sort()
    var kept = KeyEncoder()
    var keptRows: [QueryRow] = []
    var keptEnds: [Int] = []
    entries = entries.prefix(window).map { entry in
      encoder.withRawBytes { kept.append(raw: $0.slice(range(of: entry.row))) }
      keptRows.append(rows[entry.row])
      keptEnds.append(kept.count)
      return Entry(head: entry.head, row: keptRows.count - 1)
    }
    encoder = kept
    rows = keptRows
    ends = keptEnds
  }

  /// The rows in order, at most as many as the window.
  mutating func sorted() -> [QueryRow] {
    sort()
    return entries.prefix(window ?? entries.count).map { rows[$0.row] }
  }
}
