import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard
import RecordStore

/// Prints commands' answers on stdout.
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
      throw SubscriptionError(
        .outputFailed, Sentence(.cannotPrint), cause: error.systemReason)
    }
  }

  /// A viewer of the picture sees a whole one.
  static func picture(_ svg: String, into path: String) throws {
    do {
      try FileItem.write(Data(svg.utf8), to: URL(filePath: path))
    } catch {
      throw SubscriptionError(
        .unreadableFile, Sentence(.cannotWritePicture, .text(path)), cause: error.systemReason)
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
    try data(try encoder.encode(value))
  }

  static func table(_ header: [MessageKey], _ rows: [[String]], rightAligned: Set<Int> = []) throws {
    let titles = header.map { AppLocale.current.text($0) }
    try table(TextTable(rows: [titles] + rows, rightAligned: rightAligned))
  }

  /// A table whose first row has the titles, as wide as the terminal.
  static func table(_ table: TextTable) throws {
    for text in table.lines(fitting: TerminalSize.currentColumns) { try line(text) }
  }

  /// One subscription that a command added, changed or deleted.
  static func changed(
    _ verb: MessageKey, _ details: SubscriptionDetails, on today: CalendarDay, as output: OutputOptions
  )
    throws
  {
    if output.json {
      try data(try SubscriptionList.json([details]))
      return
    }
    let locale = AppLocale.current
    var parts = [details.name, locale.text(details.storedPrice), details.schedule.frequency.name()]
    if let next = details.firstCharge(onOrAfter: today) {
      parts.append(locale.text(.nextOn, locale.text(next)))
    }
    parts.append(details.category.name())
    let state = details.state(on: today)
    if state != .active { parts.append(state.text) }
    try line("\(locale.text(verb)): \(parts.joined(separator: " · "))")
  }
}
