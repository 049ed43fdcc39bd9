import CLMDB

extension Environment {
  /// How much the system is asked for: the meta pages, and what the first commits wrote behind them.
  private static let prefetchedBytes: Int32 = 64 << 10

  /// Asks the system to begin reading what an opening reads first, and does not wait: from a cold disk it arrives while
  /// the caller does something else. Three system calls; nothing happens where there is no data file.
  public static func prefetch(at directory: String) {
    // Whatever has that name: a pipe would wait for somebody who writes.
    let descriptor = openFile(directory + "/data.mdb", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return }
    beginReading(descriptor, prefetchedBytes)
    close(descriptor)
  }
}
