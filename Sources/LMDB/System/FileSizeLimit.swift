import CLMDB

/// The limit of file size that the process has (`ulimit -f`).
package enum FileSizeLimit {
  /// Whether a file has reached it: a write that reaches over the limit fills the file up to it.
  package static func isReached(by path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size >= largestFileBytes()
  }
}
