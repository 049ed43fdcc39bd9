import CLMDB

/// The calls for names of files that the C library does not offer.
package enum FileNames {
  /// Lets two paths of one file system change places in one step. Returns zero or the system's error: `EINVAL`,
  /// `ENOSYS` or `ENOTSUP` where the system or the file system cannot.
  package static func exchange(_ first: String, _ second: String) -> Int32 { exchangePaths(first, second) }
}
