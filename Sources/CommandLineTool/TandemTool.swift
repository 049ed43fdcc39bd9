import ArgumentParser
import Foundation
import LMDB
import LocalizedTexts
import RecordStore
import RecordSync
import SQLiteBridge
import ScenarioRunner
import StoreInspection

/// The `tandem` program as a function.
public enum TandemTool {
  /// Runs one command and returns the exit code. `arguments` are those after the program's name.
  ///
  /// Takes over SIGINT, SIGTERM, SIGPIPE and the signals of a crash: called once, from the main thread.
  public static func run(_ arguments: [String]) -> Int32 {
    // Before anything is opened that would take their numbers.
    StandardDescriptors.occupy()
    // Before the first of them is wanted.
    if let refusal = ThreadRoom.refusal { return attempt { throw CommandFailure(refusal) }.code }
    Interruption.shared.install()
    CrashSentence.install()
    var status = attempt { try parseAndRun(arguments) }
    let flushed = attempt { try Console.standard.flush() }
    if flushed != .success { status = flushed }
    return status.code
  }

  private static func parseAndRun(_ arguments: [String]) throws {
    if let refusal = ProgramArguments.refusal { throw CommandFailure(refusal) }
    try CommandPath.check(arguments, of: TandemCommand.self)
    var command = try TandemCommand.parseAsRoot(arguments)
    try command.run()
  }

  /// Runs a command; a failure has been told on standard error when this returns.
  static func attempt(_ body: () throws -> Void) -> ExitStatus {
    do {
      try body()
      return .success
    } catch let exit as SilentExit {
      return exit.status
    } catch {
      return explain(error)
    }
  }

  /// Says on standard error what went wrong, in one place for every command.
  private static func explain(_ error: any Error) -> ExitStatus {
    if let failure = error as? CommandFailure {
      Console.standard.tell(failure.sentence)
      for line in failure.excerpt { Console.standard.note(line) }
      return failure.status
    }
    if let sentence = sentence(of: error) { return note(sentence, mayBeDone(error) ? .found : .nothingDone) }
    return explainParsing(error)
  }

  /// The sentence of an error that people can do something about; nil for one of the command line, and others.
  static func sentence(of error: any Error) -> String? {
    switch error {
    case let failure as CommandFailure: failure.message
    case let error as StoreError: error.message
    case let error as SyncError: error.message
    case let error as ScenarioError: error.message
    case let error as InspectionError: error.message
    case let error as BridgeError: error.message
    // Foundation's errors describe themselves in several lines.
    case let error as CocoaError: sentence(error)
    default: nil
    }
  }

  /// Whether the work may have taken place all the same: nobody may do it again without a look.
  private static func mayBeDone(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.code == .commitOutcomeUnknown
    case let error as SyncError: error.cause.map(mayBeDone) ?? false
    case let error as BridgeError: error.cause.map(mayBeDone) ?? false
    default: false
    }
  }

  private static func sentence(_ error: CocoaError) -> String {
    let place = error.filePath ?? error.url?.path ?? "a file"
    return "cannot use \(place): \(error.systemReason); check the path and its permissions"
  }

  private static func note(_ message: String, _ status: ExitStatus) -> ExitStatus {
    Console.standard.tell(message)
    return status
  }

  /// Requests for help and completion scripts come as errors too; their text is data.
  private static func explainParsing(_ error: any Error) -> ExitStatus {
    // The parser looks there for the width of help, and finds none too narrow for it.
    setenv("COLUMNS", "\(TerminalSize.helpColumns)", 1)
    let text = TandemCommand.fullMessage(for: error)
    if TandemCommand.exitCode(for: error) == .success {
      return attempt { try Console.standard.print(text) }
    }
    guard TandemCommand.exitCode(for: error) == .validationFailure else {
      return note(
        "\((error as? any LocalizedError)?.errorDescription ?? String(describing: error))", .nothingDone)
    }
    // The parser quotes words as they are; here they neither break its lines nor steer the terminal.
    Console.standard.note(TerminalText.visibleLines(text, quoting: CommandLine.arguments.dropFirst()))
    return .nothingDone
  }
}
