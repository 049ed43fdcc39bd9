import Foundation
import RecordStore

/// The connections of the three standard streams.
struct Terminal: Hashable, Sendable {
  /// Nil where standard output is no terminal.
  var columns: Int?
  /// Nil where standard output is no terminal, or does not tell.
  var rows: Int?
  var usesColours: Bool
  var showsProgress: Bool

  static let plain = Terminal(columns: nil, usesColours: false, showsProgress: false)

  /// Colours need a terminal that is not `dumb`, and respect `NO_COLOR` (https://no-color.org).
  static let current: Terminal = {
    let environment = ProcessInfo.processInfo.environment
    let isDumb = environment["TERM"] == "dumb"
    let isTerminal = isatty(STDOUT_FILENO) == 1
    return Terminal(
      columns: isTerminal ? width(environment: environment) : nil, rows: isTerminal && !isDumb ? height : nil,
      usesColours: isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty,
      showsProgress: isatty(STDERR_FILENO) == 1 && !isDumb)
  }()

  private static func width(environment: [String: String]) -> Int {
    let told = TerminalSize.current.map(\.columns) ?? 0
    return told > 0 ? told : environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }

  private static var height: Int? { TerminalSize.current.flatMap { $0.rows > 0 ? $0.rows : nil } }

  enum Style: String {
    case bold = "1"
    case red = "31"
    case green = "32"
  }

  func styled(_ text: String, _ style: Style) -> String {
    usesColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
