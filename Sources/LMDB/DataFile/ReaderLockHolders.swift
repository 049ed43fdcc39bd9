import CLMDB

/// The processes that hold the locks by which LMDB knows that a reader's process lives: each locks one byte of the lock
/// file, at the process's number.
///
/// The lock file is not opened for that, because closing it again would drop this process's own locks. Linux lists all
/// locks in `/proc/locks`, with process ids as the reader of the list sees them.
struct ReaderLockHolders {
  private var processIDs: [Int32: Int32] = [:]

  /// Empty where the system has no such list.
  init(of lock: EnvironmentIdentity.File) {
    for line in SystemFile.lines(of: "/proc/locks") {
      // `1: POSIX  ADVISORY  READ 4711 fe:01:131074 4711 4711`
      let parts = line.split(separator: " ")
      guard parts.count >= 8, parts[1] == "POSIX", let process = Int32(parts[4]), process > 0,
        let inode = parts[5].split(separator: ":").last, UInt64(inode) == lock.inode, let byte = Int32(parts[6])
      else { continue }
      processIDs[byte] = process
    }
  }

  func processID(of number: Int32) -> Int32? { processIDs[number] }
}
