import CLMDB

/// Why the system took less than LMDB wanted to write.
///
/// LMDB reports a short write as `EIO`, and so does a device that fails.
enum ShortWrite {
  /// `ENOSPC` where the file system of an environment has no room, `EFBIG` where its data file has reached the limit of
  /// file size that the process has; nil where neither stands in the way.
  static func cause(at directory: String) -> Int32? {
    if FreeSpace.isExhausted(at: directory) { return ENOSPC }
    return hasLargestSize(directory + "/data.mdb") ? EFBIG : nil
  }

  /// A write that reaches over the limit fills the file up to it.
  private static func hasLargestSize(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size >= largestFileBytes()
  }
}
