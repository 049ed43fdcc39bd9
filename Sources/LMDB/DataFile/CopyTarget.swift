import CLMDB

/// The new data file of a copy: made with strict permissions, and flushed together with its directory.
struct CopyTarget: ~Copyable {
  let descriptor: Int32
  private let directory: String
  private let operation: String

  /// Refuses to replace a file.
  init(directory: String, operation: String) throws {
    self.directory = directory
    self.operation = operation
    descriptor = openFile(directory + "/data.mdb", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw Self.failure(operation, directory) }
  }

  deinit { close(descriptor) }

  func flush() throws {
    if fsync(descriptor) != 0 { throw Self.failure(operation, directory) }
    let code = flushFolder(directory)
    if code != 0 { throw LMDBError(returnCode: code, operation: operation, directory: directory) }
  }

  func remove() { unlink(directory + "/data.mdb") }

  private static func failure(_ operation: String, _ directory: String) -> LMDBError {
    LMDBError(returnCode: lastSystemError(), operation: operation, directory: directory)
  }
}
