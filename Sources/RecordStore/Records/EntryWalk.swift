import LMDB

/// Gives the entries of a tree, or of a part of it, in the order of their keys.
///
/// Declared here and not with its walks, whose code is inlined into loops over rows for that.
protocol EntryWalk: ~Copyable {
  /// The following entry; nil behind the last one.
  mutating func next() throws -> Cursor.Entry?
}

extension Cursor: EntryWalk {}
extension TreePart: EntryWalk {}
