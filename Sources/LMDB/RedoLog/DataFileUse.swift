import CLMDB

/// Which processes use an environment that has a redo log: locks on two bytes beyond all pages of `data.mdb`.
///
/// One belongs to who opens the environment or closes it, the other to each who uses it. So who opens knows whether he
/// is alone. The locks are this descriptor's; LMDB has its own in another file.
final class DataFileUse: Sendable {
  private static let openingByte: Int64 = 1 << 62
  private static let usingByte = openingByte + 1

  private let path: String
  private let descriptor: Int32
  private let isReadOnly: Bool

  /// Makes an empty data file where there is none, unless it is opened for reading. LMDB takes that for a new one.
  init(directory: String, options: Environment.Options) throws {
    path = directory + "/data.mdb"
    isReadOnly = options.isReadOnly
    descriptor = openFile(path, isReadOnly ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, options.fileMode)
    if descriptor < 0 { throw LMDBError(returnCode: lastSystemError(), operation: "open \(path)") }
  }

  /// Takes no lock away: a forked child, where this may go as well, shares the descriptor with its parent.
  deinit { close(descriptor) }

  /// Runs `body` while nobody else opens or closes the environment, and then counts as one who uses it. Waits for who
  /// opens it now.
  func join<Result>(_ body: (_ isAlone: Bool) throws -> Result) throws -> Result {
    // Who reads only can have no other lock; it suffices to keep those away who do commits again.
    try lock(Self.openingByte, isReadOnly ? F_RDLCK : F_WRLCK, waits: true)
    defer { unlock(Self.openingByte) }
    let isAlone =
      isReadOnly
      ? isByteLocked(descriptor, Self.usingByte) == 0
      : lockByte(descriptor, Self.usingByte, Int16(F_WRLCK), 0) == 0
    do {
      let result = try body(isAlone)
      try lock(Self.usingByte, F_RDLCK, waits: false)
      return result
    } catch {
      unlock(Self.usingByte)
      throw error
    }
  }

  /// Runs `body` if nobody else uses the environment, and keeps others from opening it until the ``end()``. Waits for
  /// nobody.
  func leave(_ body: () -> Void) {
    guard !isReadOnly, lockByte(descriptor, Self.openingByte, Int16(F_WRLCK), 0) == 0 else { return }
    if lockByte(descriptor, Self.usingByte, Int16(F_WRLCK), 0) == 0 { body() } else { unlock(Self.openingByte) }
  }

  /// This process uses the environment no more. Unlocks, and does not leave that to the descriptor's end: a process
  /// that was forked meanwhile shares it, and would keep the locks a moment longer.
  func end() {
    unlock(Self.usingByte)
    unlock(Self.openingByte)
  }

  private func lock(_ byte: Int64, _ type: Int32, waits: Bool) throws {
    let code = lockByte(descriptor, byte, Int16(type), waits ? 1 : 0)
    if code == 0 { return }
    let words = String(cString: strerror(code))
    throw LMDBError(
      .other(code), operation: "lock \(path)",
      detail: "\(words); its file system must know locks that belong to a descriptor (fcntl, F_OFD_SETLK)")
  }

  private func unlock(_ byte: Int64) { _ = lockByte(descriptor, byte, Int16(F_UNLCK), 0) }
}
