import CLMDB

/// The marks that make two paths one environment: the inodes of its files, not their names.
struct EnvironmentIdentity: Hashable, Sendable {
  struct File: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    /// Nil when there is no such file. Does not open it.
    init?(path: String) throws {
      var status = stat()
      guard stat(path, &status) == 0 else {
        let code = lastSystemError()
        if code == ENOENT { return nil }
        throw LMDBError(returnCode: code, operation: "look at \(path)")
      }
      self.init(status)
    }

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  var data: File
  /// Nil on a read-only file system, where LMDB does without.
  var lock: File?

  /// Nil when the directory has no data file yet.
  init?(directory: String) throws {
    guard let data = try File(path: directory + "/data.mdb") else { return nil }
    self.data = data
    lock = try File(path: directory + "/lock.mdb")
  }
}
