import CLMDB

/// Whether a file system has room for what LMDB could not write.
///
/// LMDB reports a short write as `EIO`, and so does a device that fails. A file system that has no room takes not one
/// more page, since a short write ends only there; so a page is written to a file without a name.
enum FreeSpace {
  private static let pageBytes = 4096

  /// False also where no file can be made, for whatever other reason.
  static func isExhausted(at directory: String) -> Bool {
    let descriptor = openNamelessFile(directory)
    guard descriptor >= 0 else { return isFull(lastSystemError()) }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 1, count: pageBytes)
    let count = pwrite(descriptor, page, page.count, 0)
    return count < page.count && (count >= 0 || isFull(lastSystemError()))
  }

  private static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }
}
