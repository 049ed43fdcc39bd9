import Foundation

/// The end of a command with one sentence for standard error, which names the thing and the remedy.
struct CommandFailure: Error, Sendable, CustomStringConvertible {
  let sentence: String
  var status: ExitStatus
  /// Lines below the sentence, which show the place of a mistake, with control characters made visible.
  let excerpt: [String]

  init(_ sentence: String, status: ExitStatus = .nothingDone, excerpt: [String] = []) {
    self.sentence = sentence
    self.status = status
    self.excerpt = excerpt
  }

  /// The sentence and the lines below it.
  var message: String { ([sentence] + excerpt).joined(separator: "\n") }
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
