import AppStorePurchases
import AppStoreTesting
import ArgumentParser
import AstroSvitla
import Dispatch
import Foundation
import LocalizedTexts
import RecordStore

/// Runs the root command: data on stdout, trouble in one sentence on stderr, a documented exit code. What is said about
/// purchases comes in the person's language.
enum Program {
  /// What every `--help` ends with.
  static let exitCodes = """
    LANGUAGE: English or Ukrainian, by --language, else by LC_ALL, LC_MESSAGES or LANG; days, numbers and money \
    follow. Help and wrong usage are told in English, and what programs read is the same in both.

    EXIT CODES: 0 done, or cancelled, or waiting for approval · 1 the answer is no: nothing of that name, or \
    several; no free credit; a report that was bought before; not sold here; purchases turned off; no houses by \
    Placidus there; or the answer could not be written · 2 nothing was done: wrong usage, a value that is not \
    allowed, positions of another sky, or a store that cannot be used · 3 the App Store failed, a \
    purchase could not be verified, or a report could not be written; what was paid is delivered at the next launch, \
    and the credit of such a report is free
    """

  /// Runs the command line in the language that it or the environment names.
  /// Called from the main thread. What is asynchronous begins once the system has shown that it has threads for it.
  static func start<Root: AsyncParsableCommand & SendableMetatype>(_ root: Root.Type) -> Never {
    if let refusal = ThreadRoom.refusal ?? ProgramArguments.refusal {
      report("\(root._commandName): \(refusal)")
      exit(2)
    }
    EnvironmentLocale.replaceUnreadable()
    Task {
      await AppLanguage.$current.withValue(OutputOptions.spokenLanguage) { await run(root) }
      exit(0)
    }
    dispatchMain()
  }

  private static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
    do {
      var command = try root.parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as AstroSvitlaError {
      end(root, error, code: code(of: error.code), text: error.text(in: .current))
    } catch let error as AppStoreTestingError {
      end(root, error, code: 2, text: "\(error)")
    } catch let error as StoreKitError {
      // Also a cancellation of which the person knows nothing: their own is an outcome, and none of these.
      end(root, error, code: 3, text: "\(error)")
    } catch {
      if PurchaseMessage(for: error) != nil { end(root, error, code: 3, text: "\(error)") }
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

  private static func end<Root: ParsableCommand>(
    _ root: Root.Type, _ error: any Error, code: Int32, text: String
  ) -> Never {
    report("\(root._commandName): \(text)")
    // In the person's language, beside the sentence that names the cause.
    if let message = PurchaseMessage(for: error) { report(message.text(in: .current)) }
    exit(code)
  }

  private static func answer<Root: ParsableCommand>(_ root: Root.Type, _ text: String) -> Never {
    do {
      try Report.text(text)
      exit(0)
    } catch {
      end(root, error, code: 1, text: (error as? AstroSvitlaError)?.text(in: .current) ?? "\(error)")
    }
  }

  private static func code(of code: AstroSvitlaError.Code) -> Int32 {
    switch code {
    case .notFound, .ambiguous, .notEnoughCredits, .alreadyPurchased, .productUnavailable, .purchasesTurnedOff,
      .outputFailed, .housesUndefined, .incorrectProductType:
      1
    case .verificationFailed, .generationFailed: 3
    default: 2
    }
  }

  /// Tells people what is not data.
  static func report(_ sentence: String) { StandardError.tell(sentence) }
}
