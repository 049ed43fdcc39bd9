/// A page of a tree that cannot be read, or only in part, and what it stood for.
package struct DataFileDamage: Hashable, Sendable {
  /// The named database; nil for the list of databases itself.
  package var table: String?
  package var page: UInt64
  /// The keys that lie there are not below this one.
  package var lowest: [UInt8]
  /// The keys that lie there are below this one; nil: up to the end.
  package var end: [UInt8]?
  /// The damage, as the end of a sentence.
  package var reason: String

  /// Whether a key of the table could have been in the page.
  package func mayHaveHeld(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lowest) && end.map { key.lexicographicallyPrecedes($0) } ?? true
  }
}
