import Foundation

/// How a command ended, for scripts. Printed by `tandem help`; the numbers are for ever.
struct ExitStatus: Hashable, Sendable {
  var code: Int32

  /// All was done; for questions, the answer is good.
  static let success = ExitStatus(code: 0)
  /// The command ran, and found or met something: damage, a missing key, a scenario that does not hold, a refused file.
  static let found = ExitStatus(code: 1)
  /// Nothing was done: wrong usage or input, or the store cannot be used.
  static let nothingDone = ExitStatus(code: 2)
  /// Ended by Ctrl-C, as shells count it.
  static let interrupted = ExitStatus(code: 130)
  /// Ended since its terminal has gone, as shells count it.
  static let hungUp = ExitStatus(code: 129)
  /// Ended by SIGTERM, as shells count it.
  static let terminated = ExitStatus(code: 143)
  /// The reader of the output has gone, as shells count SIGPIPE.
  static let outputClosed = ExitStatus(code: 141)

  static let explanation = """
    Exit codes:
      0    done, and all is well
      1    done, but something was found or refused: damage, records that
           could not be recovered, a missing key, a scenario that does not
           hold, a file that sync had to skip
      2    nothing was done: wrong usage, bad input, or a store that cannot
           be used; one sentence on standard error says why and what to do
      129  ended since its terminal was closed; what was saved is whole
      130  interrupted by Ctrl-C; what was saved is whole
      141  the reader of the output went away
      143  ended by SIGTERM; what was saved is whole
    """
}

extension ExitStatus {
  /// The status of a command that ended early because it was asked to.
  init(endedBy signal: Int32) {
    self =
      switch signal {
      case SIGTERM: .terminated
      case SIGHUP: .hungUp
      default: .interrupted
      }
  }
}
