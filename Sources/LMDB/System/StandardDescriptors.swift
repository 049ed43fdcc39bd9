import CLMDB

/// The descriptors 0, 1 and 2, to which a process writes whatever lies behind them.
package enum StandardDescriptors {
  /// Gives those that are closed to `/dev/null`. Cost: three system calls where none is.
  ///
  /// The system gives a file the lowest number that is free. In a process that was started without them, such as some
  /// services, the data file would be descriptor 1 or 2, and a line that is printed, or the report of a crash, would
  /// be written over its first page.
  package static func occupy() {
    for number in STDIN_FILENO...STDERR_FILENO where !isOpen(number) {
      // The wrong way round, so that reading and printing fail as on a descriptor that is closed.
      let descriptor = openFile("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY, 0)
      // Another thread may have taken the number meanwhile.
      if descriptor > STDERR_FILENO { close(descriptor) }
    }
  }

  private static func isOpen(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 || lastSystemError() != EBADF
  }
}
