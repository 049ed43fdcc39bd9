import Dispatch
import Foundation

/// Ends a process that works for another one of this program when that one is gone, however that ended: nobody would
/// hear of the work any more, and the next attempt would meet it.
enum ParentWatch {
  /// In the process that starts another one: the other one's standard input. The system closes its other end with this
  /// process.
  static func input() -> Pipe { Pipe() }

  /// In the process that was started. Its standard input is a pipe then; by hand it may be anything.
  static func begin() {
    guard isWatched else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global(qos: .utility))
    // The handler keeps the source, so it lives as long as the process.
    source.setEventHandler {
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) <= 0 else { return }
      source.cancel()
      // As a request to end, which tidies up.
      kill(getpid(), SIGTERM)
    }
    source.resume()
  }

  /// In the process that was started, before it makes its work visible: on a busy machine the watch may come late.
  static func endIfAlone() throws {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard isWatched, poll(&input, 1, 0) > 0, input.revents & Int16(POLLHUP) != 0 else { return }
    throw SilentExit(ExitStatus(endedBy: SIGTERM))
  }

  private static var isWatched: Bool {
    var status = stat()
    return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
}
