import Foundation

/// A line on standard error that says how far long work has come; nothing where that is no terminal.
///
/// Not Sendable: used by the thread that does the work.
final class Progress {
  private let title: String
  private let isShown: Bool
  private var lastDrawn: ContinuousClock.Instant?

  init(_ title: String, terminal: Terminal = .current) {
    self.title = title
    isShown = terminal.showsProgress
  }

  /// Draws at most ten times a second, one line whatever the width.
  func update(_ count: Int, _ unit: String) { update("\(count) \(unit)") }

  func update(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    lastDrawn = now
    write("\r\u{1B}[K\(title): \(text())")
  }

  /// Takes the line away. Called before anything else is written to the terminal.
  func finish() {
    if lastDrawn != nil { write("\r\u{1B}[K") }
    lastDrawn = nil
  }

  deinit { finish() }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
