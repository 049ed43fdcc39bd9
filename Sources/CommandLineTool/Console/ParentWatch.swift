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
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
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
}
