import Foundation

/// The stream on which a program tells people of trouble.
package enum StandardError {
  /// Writes a sentence. It may name texts of others, which do not steer the terminal. Nobody can be told if it fails.
  package static func tell(_ sentence: String) {
    let shown = TerminalText.visibleLines(sentence, quoting: CommandLine.arguments.dropFirst())
    do {
      try FileHandle.standardError.write(contentsOf: Data((shown + "\n").utf8))
    } catch {
      // The form that does not throw would end the program.
      return
    }
  }
}
