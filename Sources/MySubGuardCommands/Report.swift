import Foundation
import MySubGuard

/// What commands print on stdout.
enum Report {
  static func line(_ text: String) { data(Data(text.utf8)) }

  /// Writes through the file handle, so that a reader of a pipe sees each line at once.
  static func data(_ data: Data) { FileHandle.standardOutput.write(data + Data("\n".utf8)) }

  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    data(try encoder.encode(value))
  }

  static func table(_ header: [String], _ rows: [[String]], rightAligned: Set<Int> = []) {
    for text in TextTable(rows: [header] + rows, rightAligned: rightAligned).lines { line(text) }
  }

  /// One subscription that a command added, changed or deleted.
  static func changed(_ verb: String, _ details: SubscriptionDetails, as output: OutputOptions) throws {
    if output.json {
      data(try SubscriptionList.json([details]))
      return
    }
    let (schedule, amount) = (details.schedule, Amount.display(details.amount))
    line(
      "\(verb): \(details.name) · \(amount) · \(schedule.frequency.displayName) · next \(schedule.nextDay)"
        + " · \(details.category.displayName)")
  }
}
