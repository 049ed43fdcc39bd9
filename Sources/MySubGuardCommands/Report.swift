import Foundation
import MySubGuard

/// Prints commands' answers on stdout.
enum Report {
  static func line(_ text: String) throws { try data(Data(text.utf8)) }

  /// Writes at once, so that a reader of a pipe sees each line. Throws `outputFailed`, as on a full disk.
  static func data(_ data: Data) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    } catch {
      throw SubscriptionError(
        .outputFailed, "cannot write to standard output: write it elsewhere, or free some space",
        cause: error.localizedDescription)
    }
  }

  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try data(try encoder.encode(value))
  }

  static func table(_ header: [String], _ rows: [[String]], rightAligned: Set<Int> = []) throws {
    for text in TextTable(rows: [header] + rows, rightAligned: rightAligned).lines { try line(text) }
  }

  /// One subscription that a command added, changed or deleted.
  static func changed(_ verb: String, _ details: SubscriptionDetails, as output: OutputOptions) throws {
    if output.json {
      try data(try SubscriptionList.json([details]))
      return
    }
    let (schedule, amount) = (details.schedule, Amount.display(details.amount))
    try line(
      "\(verb): \(details.name) · \(amount) · \(schedule.frequency.displayName) · next \(schedule.nextDay)"
        + " · \(details.category.displayName)")
  }
}
