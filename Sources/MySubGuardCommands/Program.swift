import ArgumentParser
import Dispatch
import Foundation
import LocalizedTexts
import MySubGuard
import RecordStore

/// Runs a root command the way both programs do: data on stdout, trouble in one sentence on stderr, a documented exit
/// code. The codes are those of `tandem`.
enum Program {
  /// The end of every `--help`.
  static let exitCodes = """
    LANGUAGE: English or French, by --language, else by LC_ALL, LC_MESSAGES or LANG; dates and money follow. Help and \
    wrong usage are told in English, and what programs read is the same in both.

    EXIT CODES: 0 done · 1 no subscription of that name, or several, or nothing to pay or to undo: nothing was \
    changed; or a reminder was not taken, or the answer could not be written · 2 nothing was done: wrong usage, a \
    value or list that is not allowed, or a store that cannot be used
    """

  /// Runs the command line in the language that it or the environment names.
  /// Called from the main thread. What is asynchronous begins once the system has shown that it has threads for it.
  static func start<Root: AsyncParsableCommand & SendableMetatype>(_ root: Root.Type) -> Never {
    if let refusal = ThreadRoom.refusal ?? ProgramArguments.refusal {
      report("\(root._commandName): \(refusal)")
      exit(2)
    }
    EnvironmentLocale.replaceUnreadable()
    let (arguments, environment) = (CommandLine.arguments, ProcessInfo.processInfo.environment)
    let locale = AppLocale(language: Language.asked(by: arguments), environment: environment)
    Task {
      await AppLocale.$current.withValue(locale) { await run(root) }
      exit(0)
    }
    dispatchMain()
  }

  private static let refusals: Set<SubscriptionError.Code> = [
    .notFound, .ambiguous, .outputFailed, .nothingToUndo, .nothingDue, .reminderFailed,
  ]

  private static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
    do {
      var command = try root.parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as SubscriptionError {
      report("\(root._commandName): \(error)")
      exit(refusals.contains(error.code) ? 1 : 2)
    } catch {
      // The parser looks there for the width of help, and finds none too narrow for it.
      setenv("COLUMNS", "\(TerminalSize.helpColumns)", 1)
      let message = root.fullMessage(for: error)
      // `--help` and `--version` come as errors too; what they ask for is an answer like any other.
      if root.exitCode(for: error).isSuccess { answer(root, message) }
      // Only wrong usage needs the usage beside the sentence.
      let isUsage = root.exitCode(for: error) == .validationFailure
      report(isUsage ? message : "\(root._commandName): \(root.message(for: error))")
      exit(2)
    }
  }

  private static func answer<Root: ParsableCommand>(_ root: Root.Type, _ text: String) -> Never {
    do {
      try Report.text(text)
      exit(0)
    } catch {
      report("\(root._commandName): \(error)")
      exit(1)
    }
  }

  /// Tells people what is not data.
  static func report(_ sentence: String) { StandardError.tell(sentence) }
}
