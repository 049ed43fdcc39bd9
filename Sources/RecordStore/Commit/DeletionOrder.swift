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
