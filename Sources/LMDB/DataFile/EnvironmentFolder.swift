import CLMDB

/// An environment's directory, wherever it is moved: says whether the files that are open are still there.
///
/// Two processes exclude each other by `lock.mdb`. If that file is removed or replaced, a process that opens the
/// environment afterwards takes locks that nobody else knows. If the data file is, commits go to a file without a name.
/// A directory that was moved keeps its files, and writes go on; but not where another environment is in its place, for
/// what belongs to the store beside them is found by the path.
final class EnvironmentFolder: Sendable {
  private let path: String
  /// The data file's path as the system takes it: each save looks there. Nil for a relative one, which leads elsewhere
  /// once the process changes its working directory.
  private let data: [CChar]?
  private let identity: EnvironmentIdentity
  /// Negative where the directory may not be listed; it is known by its path then.
  private let descriptor: Int32

  init(_ path: String, _ identity: EnvironmentIdentity) {
    self.path = path
    data = path.hasPrefix("/") ? Array("\(path)/\(EnvironmentIdentity.Name.data.text)".utf8CString) : nil
    self.identity = identity
    descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Throws `filesReplaced` where a file is another one, or is gone. Costs two system calls, a few more where the
  /// directory was moved.
  func requireFiles() throws {
    let present = found
    if present != identity.data {
      try require(.data, identity.data)
      if present != nil { throw replaced("its directory was moved, and another was put in its place,") }
    }
    if let lock = identity.lock { try require(.lock, lock) }
  }

  /// The data file to which the path leads; nil for a relative one.
  private var found: EnvironmentIdentity.File? { data.flatMap { EnvironmentIdentity.File(at: $0) } }

  /// Whether the path leads to another environment.
  var isReplaced: Bool { found.map { $0 != identity.data } ?? false }

  /// Where the files that are open lie now; nil where they have lost their names, or the system does not say.
  var presentPath: String? {
    if data == nil || found == identity.data { return path }
    guard descriptor >= 0, let moved = FileNames.path(of: descriptor),
      EnvironmentIdentity.File(at: Array("\(moved)/\(EnvironmentIdentity.Name.data.text)".utf8CString)) == identity.data
    else { return nil }
    return moved
  }

  private func require(_ name: EnvironmentIdentity.Name, _ file: EnvironmentIdentity.File) throws {
    guard try found(name) != file else { return }
    throw replaced("its \(name.text) was removed or replaced")
  }

  private func replaced(_ event: String) -> LMDBError {
    LMDBError(
      .filesReplaced, operation: "write to the environment at \(path)",
      detail: "\(event) while it was open, so nothing was written; close it everywhere and open it again")
  }

  private func found(_ name: EnvironmentIdentity.Name) throws -> EnvironmentIdentity.File? {
    if descriptor < 0 { return try EnvironmentIdentity.File(path: path + "/" + name.text) }
    return try EnvironmentIdentity.File(name, in: descriptor, at: path)
  }
}
