/// A named B-tree of an environment, or a section of one. A plain handle, copyable and sendable.
///
/// A handle serves every transaction that begins after it was opened, and the write transaction that
/// opened it. An older snapshot refuses it with `databaseOpenedLater`: LMDB fixes the list of handles
/// when a transaction begins.
public struct Database: Sendable, Hashable {
  @usableFromInline package let handle: UInt32
  /// The name of the tree.
  public let name: String
  /// Nil: the whole tree.
  public let section: KeySection?

  package init(handle: UInt32, name: String, section: KeySection? = nil) {
    self.handle = handle
    self.name = name
    self.section = section
  }
}
