import CLMDB

/// The calls for names of files that the C library does not offer.
package enum FileNames {
  /// Lets two paths of one file system change places in one step. Returns zero or the system's error: `EINVAL`,
  /// `ENOSYS` or `ENOTSUP` where the system or the file system cannot.
  package static func exchange(_ first: String, _ second: String) -> Int32 { exchangePaths(first, second) }

  /// The path of an open directory, wherever it was moved; nil where the system does not say.
  static func path(of descriptor: Int32) -> String? {
    var path = [CChar](repeating: 0, count: 4096)
    guard pathOfDirectory(descriptor, &path) else { return nil }
    return String(validating: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
