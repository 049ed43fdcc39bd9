import LMDB

/// Entries that several parts of a commit add to indexes without unique values, kept until there are enough of them.
///
/// Entries of one part lie all over an index, so each part would change most pages of the tree again. Together they
/// change each page once.
struct GatheredEntries {
  private static let enoughBytes = 16 << 20

  /// By index, which is a section of its entity's tree.
  private var changes: [Database: IndexChanges] = [:]
  private var byteCount = 0

  /// Whether they take so much memory that they should be written.
  var areEnough: Bool { byteCount >= Self.enoughBytes }

  mutating func take(_ other: IndexChanges) {
    byteCount += other.byteCount
    changes[other.database, default: IndexChanges(database: other.database)].add(other)
  }

  /// Writes all that were taken, and keeps none.
  mutating func write(to transaction: borrowing WriteTransaction) throws {
    for database in changes.keys { try changes[database]?.write(to: transaction) }
    changes = [:]
    byteCount = 0
  }
}
