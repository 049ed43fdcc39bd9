import Foundation
import Synchronization

/// How far a campaign has come, on standard error: a line that is written over on a terminal, else one now and then.
final class Progress: Sendable {
  private static let isTerminal = isatty(STDERR_FILENO) != 0
  private let next = Mutex(ContinuousClock.now)

  func show(_ text: @autoclosure () -> String) {
    let now = ContinuousClock.now
    let isDue = next.withLock { next in
      guard now >= next else { return false }
      next = now + .milliseconds(Self.isTerminal ? 200 : 10_000)
      return true
    }
    if isDue { Self.write(Self.isTerminal ? "\r\u{1B}[K\(text())" : "\(text())\n") }
  }

  /// A line of its own.
  static func say(_ text: String) { write(isTerminal ? "\r\u{1B}[K\(text)\n" : "\(text)\n") }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
