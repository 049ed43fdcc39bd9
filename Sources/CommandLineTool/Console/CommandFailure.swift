/// The end of a command with one sentence for standard error, which names the thing and the remedy.
struct CommandFailure: Error, Sendable, CustomStringConvertible {
  var message: String
  var status: ExitStatus

  init(_ message: String, status: ExitStatus = .nothingDone) {
    self.message = message
    self.status = status
  }
  var description: String { message }
}

/// The end of a command that has said all that there is to say.
struct SilentExit: Error, Sendable {
  var status: ExitStatus
  init(_ status: ExitStatus) { self.status = status }
}
