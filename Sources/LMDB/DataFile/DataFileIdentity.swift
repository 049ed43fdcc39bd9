import CLMDB

/// The marks that tell an environment's data file from a copy of it.
package struct DataFileIdentity: Hashable, Sendable {
  /// The file's number in its file system.
  package let inode: UInt64
  /// When the file came into being; 0 where the file system does not say.
  package let createdAtMilliseconds: UInt64

  /// Throws when there is no data file, or it cannot be looked at. Does not open it.
  package init(directory: String) throws {
    let path = directory + "/data.mdb"
    guard let file = try EnvironmentIdentity.File(path: path) else {
      throw LMDBError(returnCode: ENOENT, operation: "look at \(path)")
    }
    let created = creationOfFile(path)
    guard created >= 0 else { throw LMDBError(returnCode: lastSystemError(), operation: "look at \(path)") }
    inode = file.inode
    createdAtMilliseconds = UInt64(created)
  }
}
