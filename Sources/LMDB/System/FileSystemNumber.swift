import CLMDB

/// The number by which Linux knows a kind of file system (man 2 statfs): one system call, where the kind's name takes
/// the list of all mounts. Kinds of one driver share a number, as all of FUSE do.
package struct FileSystemNumber: Hashable, Sendable, ExpressibleByIntegerLiteral {
  private let value: Int64

  package init(integerLiteral value: Int64) { self.value = value }

  /// Nil where there is nothing at the path, and on other systems.
  package init?(ofFileAt path: String) {
    value = numberOfFileSystem(path)
    if value == 0 { return nil }
  }
}
