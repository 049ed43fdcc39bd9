import CLMDB

/// Whether a file system has room for what LMDB could not write.
///
/// LMDB reports a short write as `EIO`, and so does a device that fails. A file system that has no room takes no more
/// than it took then: so as many pages as LMDB writes at once are written to a file without a name. One page is not
/// enough: what some file systems set aside while they write is free again afterwards.
enum FreeSpace {
  /// `MDB_COMMIT_PAGES` (mdb.c).
  private static let writtenBytes = 64 * 4096

  /// False also where no file can be made, for whatever other reason.
  static func isExhausted(at directory: String) -> Bool {
    let descriptor = openNamelessFile(directory)
    guard descriptor >= 0 else { return isFull(lastSystemError()) }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 1, count: writtenBytes)
    let count = pwrite(descriptor, page, page.count, 0)
    return count < page.count && (count >= 0 || isFull(lastSystemError()))
  }

  private static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }
}
