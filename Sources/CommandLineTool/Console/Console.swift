import Foundation
import StoreInspection
import Synchronization

/// Standard output for data and standard error for trouble.
///
/// Output is buffered; ``flush()`` is called at the end, and by commands that follow something after
/// each piece. Safe to use from any thread; lines do not mix.
final class Console: Sendable {
  static let standard = Console()

  private let pending = Mutex<[UInt8]>([])
  private static let bufferBytes = 1 << 16

  /// One line of data.
  func print(_ line: String) throws {
    try pending.withLock { pending in
      pending.append(contentsOf: line.utf8)
      pending.append(UInt8(ascii: "\n"))
      if pending.count >= Console.bufferBytes { try Console.drain(&pending) }
    }
  }

  func print(_ json: JSON) throws { try print(json.description) }

  func flush() throws { try pending.withLock { try Console.drain(&$0) } }

  /// A sentence of the program on standard error. It may name files and texts of others, such as a file that somebody
  /// has put into a shared folder: they neither break the line nor steer the terminal.
  func tell(_ sentence: String) { note("tandem: \(DisplayText.visible(sentence))") }

  /// Text for people on standard error. Nobody can be told if that fails too.
  func note(_ line: String) { ask(line + "\n") }

  /// A question on standard error, whose answer stands in the same line.
  func ask(_ question: String) {
    let bytes = Array(question.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func drain(_ pending: inout [UInt8]) throws {
    var start = 0
    defer { pending.removeFirst(start) }
    while start < pending.count {
      let written = pending[start...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        let code = errno
        start = pending.count
        if code == EPIPE { throw SilentExit(.outputClosed) }
        throw CommandFailure(
          "cannot write to standard output: \(String(cString: strerror(code))); write it elsewhere", status: .found)
      }
      start += written
    }
  }
}
