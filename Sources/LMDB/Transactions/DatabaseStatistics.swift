import CLMDB

/// The size and shape of one database in one snapshot.
public struct DatabaseStatistics: Sendable, Hashable {
  /// The number of entries.
  public var entries: Int
  /// The depth of the tree; 0 for an empty one.
  public var depth: Int
  /// The number of pages above the leaves.
  public var branchPages: Int
  /// The number of pages that hold entries.
  public var leafPages: Int
  /// The number of pages that hold values too large for a leaf.
  public var overflowPages: Int
  /// The size of a page in bytes.
  public var pageSizeBytes: Int

  init(_ statistics: MDB_stat) {
    entries = statistics.ms_entries
    depth = Int(statistics.ms_depth)
    branchPages = statistics.ms_branch_pages
    leafPages = statistics.ms_leaf_pages
    overflowPages = statistics.ms_overflow_pages
    pageSizeBytes = Int(statistics.ms_psize)
  }
}
