import CLMDB

/// An environment's directory, wherever it is moved: says whether the files that are open are still there.
///
/// Two processes exclude each other by `lock.mdb`. If that file is removed or replaced, a process that opens the
/// environment afterwards takes locks that nobody else knows. If the data file is, commits go to a file without a name.
final class EnvironmentFolder: Sendable {
  private let path: String
  private let identity: EnvironmentIdentity
  /// Negative where the directory may not be listed; it is known by its path then.
  private let descriptor: Int32

  init(_ path: String, _ identity: EnvironmentIdentity) {
    self.path = path
    self.identity = identity
    descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Throws `filesReplaced` where a file is another one, or is gone. Costs two system calls.
  func requireFiles() throws {
    try require(.data, identity.data)
    if let lock = identity.lock { try require(.lock, lock) }
  }

  private func require(_ name: EnvironmentIdentity.Name, _ file: EnvironmentIdentity.File) throws {
    guard try found(name) != file else { return }
    throw LMDBError(
      .filesReplaced, operation: "write to the environment at \(path)",
      detail:
        "its \(name.text) was removed or replaced while it was open, so nothing was written; close it everywhere and "
        + "open it again")
  }

  private func found(_ name: EnvironmentIdentity.Name) throws -> EnvironmentIdentity.File? {
    if descriptor < 0 { return try EnvironmentIdentity.File(path: path + "/" + name.text) }
    return try EnvironmentIdentity.File(name, in: descriptor, at: path)
  }
}
