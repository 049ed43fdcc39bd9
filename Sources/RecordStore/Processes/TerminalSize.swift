import Foundation

/// The size of the terminal that is standard output.
package enum TerminalSize {
  /// As the terminal tells it; either number may be 0, which says that it does not know. Nil where there is none.
  package static var current: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The columns, where there is a terminal that tells them.
  package static var currentColumns: Int? { current.flatMap { $0.columns > 0 ? $0.columns : nil } }

  /// The least width for a help screen. The parser of command lines keeps 26 columns for names; where nothing is left
  /// beside them it ends the process in a debug build, and else leaves out every text.
  static let leastHelpColumns = 40

  /// The width for a help screen: what `COLUMNS` asks for, else the terminal's, else 80; but never too narrow for the
  /// parser.
  package static var helpColumns: Int {
    let asked = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    let known = [asked, current?.columns].lazy.compactMap { $0 }.first { $0 > 0 }
    return max(leastHelpColumns, known ?? 80)
  }
}
