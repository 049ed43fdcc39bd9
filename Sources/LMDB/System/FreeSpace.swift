import CLMDB

/// Whether a file system has room for what LMDB could not write.
///
/// One that has no room takes no more than it took then: so as many pages as LMDB writes at once are written to a file
/// without a name. One page is not enough: what some file systems set aside while they write is free again afterwards.
enum FreeSpace {
  /// `MDB_COMMIT_PAGES` (mdb.c).
  private static let writtenBytes = 64 * 4096

  /// False also where no file can be made, for whatever other reason.
  static func isExhausted(at directory: String) -> Bool {
    let descriptor = openNamelessFile(directory)
    guard descriptor >= 0 else { return isFull(lastSystemError()) }
    defer { close(descriptor) }
    // Beyond the process's limit of file size, a write is short whatever room there is.
    let pages = [UInt8](repeating: 1, count: min(writtenBytes, Int(largestFileBytes())))
    let count = pwrite(descriptor, pages, pages.count, 0)
    return count < pages.count && (count >= 0 || isFull(lastSystemError()))
  }

  private static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }
}
