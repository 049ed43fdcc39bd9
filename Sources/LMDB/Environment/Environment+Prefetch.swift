import CLMDB
import ForeignLayouts

extension Environment {
  /// How much the system is asked for: the meta pages, and what the first commits wrote behind them.
  private static let prefetchedBytes: Int32 = 64 << 10

  /// Asks the system to begin reading what an opening reads first, and does not wait: from a cold disk it arrives while
  /// the caller does something else. Three system calls; nothing happens where there is no data file.
  public static func prefetch(at directory: String) {
    // Whatever has that name: a pipe would wait for a writer.
    let descriptor = openFile(directory + "/data.mdb", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return }
    beginReading(descriptor, 0, prefetchedBytes)
    close(descriptor)
  }

  /// Asks the system to begin reading the roots of some trees, those that are not in memory, and does not wait: a
  /// look-up then waits for one page less. Costs the list of databases, which is read anyway, and a system call
  /// a tree.
  static func prefetchRoots(
    _ transaction: OpaquePointer, _ main: UInt32, _ descriptor: Int32, pageBytes: Int,
    where isWanted: (String) -> Bool
  ) throws {
    // Without it the pages are read one after the other, when LMDB comes to them.
    guard ForeignLayout.pages.isOn else { return }
    let operation = "read the list of databases"
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, main, &cursor), operation)
    defer { mdb_cursor_close(cursor) }
    var pages: SnapshotPages?
    var key = MDB_val()
    var value = MDB_val()
    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
      if pages == nil { pages = try SnapshotPages(around: RawBytes(key), pageBytes: pageBytes, transaction) }
      guard let pages, let root = SnapshotPages.root(RawBytes(value)), let page = pages.page(root) else { continue }
      guard isWanted(String(decoding: RawBytes(key).buffer, as: UTF8.self)) else { continue }
      if !isInMemory(page, pageBytes) { beginReading(descriptor, off_t(root) * off_t(pageBytes), Int32(pageBytes)) }
    }
  }
}
