import ArgumentParser
import AstroSvitla
import Foundation
import LocalizedTexts
import RecordStore

/// What commands print on stdout.
enum Report {
  /// One line, in which stored text cannot steer the terminal.
  static func line(_ text: String) throws { try self.text(TerminalText.visible(text)) }

  /// Lines as they are: help, a whole table, or a text for other programs.
  static func text(_ text: String) throws { try data(Data(text.utf8)) }

  /// Writes at once, so that a reader of a pipe sees each line. Throws `outputFailed`, as on a full disk.
  static func data(_ data: Data) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    } catch {
      throw AstroSvitlaError(
        .outputFailed, .cannotPrint,
        cause: error.systemReason)
    }
  }

  /// The path of a file or folder, as an option gives it. An empty one would lead to the working directory.
  @Sendable static func path(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("a path has at least one character; '.' is the folder that you are in")
    }
    return text
  }

  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try data(try encoder.encode(value))
  }

  /// Rows under a header, as wide as the terminal.
  static func table(_ header: [String], _ rows: [[String]]) throws {
    for text in TableLayout(rows: [header] + rows).lines(fitting: TerminalSize.currentColumns) { try line(text) }
  }

  /// A day and minute in UTC as they are typed, the same in every language.
  static func date(_ date: Date) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(timeSeparator: .colon).year().month().day().dateTimeSeparator(.space)
        .time(includingFractionalSeconds: false))
  }
}
