import CLMDB

/// The marks that make two paths one environment: the inodes of its files, not their names.
struct EnvironmentIdentity: Hashable, Sendable {
  struct File: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    /// Nil when there is no such file. Does not open it.
    init?(path: String) throws {
      (device, inode) = (0, 0)
      let code = identifyFile(AT_FDCWD, path, &device, &inode)
      if code == ENOENT { return nil }
      if code != 0 { throw LMDBError(returnCode: code, operation: "look at \(path)") }
    }

    /// Nil when there is no such file, and where the system does not say.
    init?(at path: [CChar]) {
      (device, inode) = (0, 0)
      if identifyFile(AT_FDCWD, path, &device, &inode) != 0 { return nil }
    }

    /// A file of an open directory. Its path, for a message, is put together only then: each save comes by here.
    init?(_ name: Name, in directory: Int32, at path: @autoclosure () -> String) throws {
      (device, inode) = (0, 0)
      let code = identifyFile(directory, name.characters, &device, &inode)
      if code == ENOENT { return nil }
      if code != 0 { throw LMDBError(returnCode: code, operation: "look at \(path())/\(name.text)") }
    }
  }

  /// The name of one of the files, also as the system takes it: a short `String` is copied for each call.
  struct Name: Sendable {
    static let data = Name("data.mdb")
    static let lock = Name("lock.mdb")

    let text: String
    fileprivate let characters: [CChar]

    private init(_ text: String) {
      self.text = text
      characters = Array(text.utf8CString)
    }
  }

  var data: File
  /// Nil on a read-only file system, where LMDB does without.
  var lock: File?

  /// Nil when the directory has no data file yet.
  init?(directory: String) throws {
    guard let data = try File(path: directory + "/" + Name.data.text) else { return nil }
    self.data = data
    lock = try File(path: directory + "/" + Name.lock.text)
  }
}
