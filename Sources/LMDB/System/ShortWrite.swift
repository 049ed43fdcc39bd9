import CLMDB

/// Why the system took less than LMDB wanted to write.
///
/// LMDB reports a short write as `EIO`, and so does a device that fails.
enum ShortWrite {
  /// `ENOSPC` where the file system of an environment has no room, `EFBIG` where its data file has reached the limit of
  /// file size that the process has; nil where neither stands in the way.
  static func cause(at directory: String) -> Int32? {
    if FreeSpace.isExhausted(at: directory) { return ENOSPC }
    return FileSizeLimit.isReached(by: directory + "/data.mdb") ? EFBIG : nil
  }
}
