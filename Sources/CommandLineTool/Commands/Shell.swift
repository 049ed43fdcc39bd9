import ArgumentParser
import Foundation
import RecordStore

struct Shell: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look into a store and change it, line by line.",
    discussion: """
      Every line is a tandem command about the store, without its path; .help lists
      the shell's own. Tab completes commands, options, entities and fields. Ctrl-C
      ends the command that runs, or leaves the line; Ctrl-D ends the shell. Lines
      that were entered are kept for the next time in $XDG_STATE_HOME/tandem/history,
      readable by this user alone.

      Without a terminal, lines are read from standard input and no prompt is
      written; the first that fails ends the shell, with its exit code.

      Example: tandem shell shop.store
               echo 'query Item --count' | tandem shell shop.store
      """)

  @OptionGroup var store: StoreOptions

  func run() throws {
    let location = try store.location()
    let catalogue = try store.openForReading().read { $0.catalogue }
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let name = DisplayText.visible(location.deletingPathExtension().lastPathComponent)
    let lines: any LineSource =
      (isTerminal ? EditedLines(prompt: "\(name)> ", catalogue: catalogue) : nil) ?? PlainLines()
    let session = ShellSession(path: location.path, access: store.access, isInteractive: isTerminal)
    guard isTerminal else { return try Shell.run(session, over: lines) }
    // The whole session: Ctrl-C is a key of the line or meant for a command, also when it is heard late.
    try Interruption.shared.leavingSignalsToAnother { try Shell.run(session, over: lines) }
  }

  private static func run(_ start: ShellSession, over lines: any LineSource) throws {
    var session = start
    while !session.isOver, let line = lines.next() {
      let status = session.run(line)
      if status != .success, !session.isInteractive { throw SilentExit(status) }
    }
    if session.isInteractive, !session.isOver { try Console.standard.print("") }
  }
}
