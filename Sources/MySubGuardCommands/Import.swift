import ArgumentParser
import Foundation
import MySubGuard

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import lists of subscriptions from CSV or JSON files.",
    discussion: """
      Rows meet stored subscriptions by their id: what differs is updated, the rest stays. A list that does not parse \
      is named with line and column, and nothing of any list is imported.

      Columns: id, name, amount, frequency, next_billing_date, category, created_at, billing_day, in any order, \
      separated by , or ; (id, created_at and billing_day may be left out). Both are what `export` prints.


      """ + Program.exitCodes)

  @Argument(help: "Files in CSV or JSON, by their names' endings.", completion: .file(extensions: ["csv", "json"]))
  var files: [String]
  @Option(help: "Take every file for this format: csv or json.")
  var format: SubscriptionList.Format?
  @Option(
    help: ArgumentHelp(
      "Save after so many rows, so that others see a long import grow. Default: one save a file.", valueName: "rows"))
  var every: Int?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let every, every < 1 { throw ValidationError("--every must be at least 1") }
  }

  func run() async throws {
    // All files are read before the first is written.
    let lists = try files.map {
      try SubscriptionList(contentsOf: URL(filePath: $0), format: format, importedAt: .now)
    }
    let book = try device.book(.readWrite)
    let summaries = try lists.map { try book.importList($0, rowsPerSave: every) }
    if output.json {
      try Report.json(zip(files, summaries).map { FileSummary(file: $0, summary: $1) })
      return
    }
    for (file, summary) in zip(files, summaries) {
      let name = URL(filePath: file).lastPathComponent
      try Report.line("\(name): \(summary.added) added, \(summary.updated) updated, \(summary.unchanged) unchanged")
    }
  }

  private struct FileSummary: Encodable {
    var file: String
    var summary: SubscriptionBook.ImportSummary
  }
}
