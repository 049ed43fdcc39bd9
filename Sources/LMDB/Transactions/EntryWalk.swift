/// Gives the entries of a tree, or of a part of it, in the order of their keys.
package protocol EntryWalk: ~Copyable {
  /// The following entry; nil behind the last one.
  mutating func next() throws -> Cursor.Entry?
}

extension Cursor: EntryWalk {}
