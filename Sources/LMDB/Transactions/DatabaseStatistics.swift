import CLMDB

/// The size and shape of one database in one snapshot.
public struct DatabaseStatistics: Sendable, Hashable {
  public var entries: Int
  public var depth: Int
  public var branchPages: Int
  public var leafPages: Int
  public var overflowPages: Int
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
