import Foundation

/// The end of a command with one sentence for standard error, which names the thing and the remedy.
struct CommandFailure: Error, Sendable, CustomStringConvertible {
  var message: String
  var status: ExitStatus

  init(_ message: String, status: ExitStatus = .nothingDone) {
    self.message = message
    self.status = status
  }
  var description: String { message }

  /// A sentence without its remedy, which stands behind the last semicolon, for one that has another remedy.
  static func cause(_ sentence: String) -> String {
    sentence.range(of: "; ", options: .backwards).map { String(sentence[..<$0.lowerBound]) } ?? sentence
  }
}

/// The end of a command that has said all that there is to say.
struct SilentExit: Error, Sendable {
  var status: ExitStatus
  init(_ status: ExitStatus) { self.status = status }
}
