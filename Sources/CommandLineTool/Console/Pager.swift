import Foundation

/// Shows what is longer than the terminal by the program that `PAGER` names, else by `less`.
///
/// The file of the pipe is a C pointer, which never leaves this file.
struct Pager {
  private let terminal: Terminal
  private let command: String?

  init(_ options: PagingOptions, terminal: Terminal = .current) {
    let named = ProcessInfo.processInfo.environment["PAGER"]
    self.terminal = terminal
    command = options.noPager || named == "" || named == "cat" ? nil : named ?? "less"
  }

  /// Lines of data, to the terminal or wherever standard output leads.
  func show(_ lines: [String]) throws {
    if let command, let rows = terminal.rows, lines.count >= rows, try page(lines, by: command) { return }
    for line in lines { try Console.standard.print(line) }
  }

  /// Whether the pager took the lines. The shell that starts it ends with 127 where there is no such program.
  private func page(_ lines: [String], by command: String) throws -> Bool {
    try Console.standard.flush()
    let status = Interruption.shared.leavingSignalsToAnother {
      // Long lines are cut by the pager's own keys; colours pass, and the text stays when it ends.
      guard let pipe = popen("LESS=${LESS-FRX} exec \(command)", "w") else { return Int32(-1) }
      for line in lines where fputs(line + "\n", pipe) < 0 { break }
      return pclose(pipe)
    }
    let isMissing = status == -1 || status >> 8 == 127
    if isMissing { Console.standard.tell("there is no pager '\(command)'; set PAGER, or use --no-pager") }
    return !isMissing
  }
}
