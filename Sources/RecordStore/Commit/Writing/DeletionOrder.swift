import LMDB

/// The order in which a commit takes out many keys that rise.
///
/// From the end, because LMDB moves what lies behind an entry in its page's order, and what was written after it in the
/// page's bytes, which is mostly the same. And a third of them last: a page that falls below a quarter takes an entry
/// from its neighbour at each further delete. If all are thinned out first, neighbours have nothing to give, and pages
/// are joined instead.
enum DeletionOrder {
  private static let keptAtFirst = 3

  static func forEach(_ count: Int, _ body: (Int) throws -> Void) rethrows {
    for index in (0..<count).reversed() where index % keptAtFirst != 0 { try body(index) }
    for index in stride(from: (count - 1) / keptAtFirst * keptAtFirst, through: 0, by: -keptAtFirst) where count > 0 {
      try body(index)
    }
  }
}

extension DeletionOrder {
  /// Takes out keys that come in this order: where they follow each other in the tree, the next one lies a step or two
  /// before the cursor's place, and need not be searched.
  struct Steps {
    /// The entry before, or the one before that: it may be one that is kept at first.
    private static let count = 2
    private static let greatestPatience = 4
    /// How often it is still worth to look there first. Not before a search has brought the cursor to its place.
    private var patience: Int?

    /// `key` must not lie in the tree.
    mutating func delete(_ key: RawBytes, from cursor: borrowing WriteCursor) throws {
      if let left = patience, left > 0 {
        if try cursor.delete(key: key, back: Self.count) { return patience = Self.greatestPatience }
        patience = left - 1
      }
      try cursor.delete(key: key)
      patience = patience ?? Self.greatestPatience
    }
  }
}
