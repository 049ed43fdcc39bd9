import ArgumentParser
import Foundation
import MySubGuard

/// Runs a root command the way both programs do: data on stdout, trouble in one sentence on stderr, a documented exit code.
enum Program {
  /// What every `--help` ends with.
  static let exitCodes = """
    EXIT CODES: 0 done · 1 the store or a file cannot be used · 2 a value or a list is not allowed, nothing was \
    changed · 3 no subscription of that name, or several · 4 the device has no subscriptions yet · 64 the command \
    line is not understood
    """

  static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
    do {
      var command = try root.parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      guard let code = exitCode(of: error) else { root.exit(withError: error) }
      report("\(root._commandName): \(error)")
      Foundation.exit(code)
    }
  }

  /// A line for people that is not data.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Nil for errors that the argument parser explains itself: usage, `--help`, `--version`.
  private static func exitCode(of error: any Error) -> Int32? {
    guard let error = error as? SubscriptionError else { return isArgumentParser(error) ? nil : 1 }
    return switch error.code {
    case .invalidValue, .malformedList: 2
    case .notFound, .ambiguous: 3
    case .noStore: 4
    default: 1
    }
  }

  private static func isArgumentParser(_ error: any Error) -> Bool {
    error is ValidationError || error is CleanExit || error is ExitCode || "\(type(of: error))" == "CommandError"
  }
}
