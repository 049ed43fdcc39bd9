import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import lists of subscriptions from CSV or JSON files.",
    discussion: """
      Rows meet stored subscriptions by their id: what differs is updated, the rest stays. A list that does not parse \
      is named with line and column, and nothing of any list is imported.

      Columns: id, name, amount, frequency, next_billing_date, category, created_at, billing_day, currency, \
      trial_until, paused_from, paused_until, ends_on, in any order, separated by , or ; (all but name, amount, \
      frequency, next_billing_date and category may be left out). Without the column currency all is in euros, and \
      trial, pause, end and currency of stored subscriptions stay as they are. Both are what `export` prints.


      """ + Program.exitCodes)

  @Argument(
    help: "Files in CSV or JSON, by their names' endings.", completion: .file(extensions: ["csv", "json"]),
    transform: Report.path)
  var files: [String]
  @Option(help: "Take every file for this format: csv or json.")
  var format: SubscriptionList.Format?
  @Option(
    help: ArgumentHelp(
      "Save after so many rows, so that others see a long import grow. Default: one save a file.", valueName: "rows"))
  var every: Int?
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let every, every < 1 { throw ValidationError(Sentence(.everyOutside).text(in: .current)) }
  }

  func run() async throws {
    // All files are read before the first is written.
    let lists = try files.map {
      try SubscriptionList(contentsOf: URL(filePath: $0), format: format, importedAt: .now)
    }
    let book = try device.book(.readWrite, today.day)
    let summaries = try lists.map { try book.importList($0, rowsPerSave: every) }
    if output.json {
      try Report.json(zip(files, summaries).map { FileSummary(file: $0, summary: $1) })
      return
    }
    for (file, summary) in zip(files, summaries) {
      let name = URL(filePath: file).lastPathComponent
      try Report.line(
        AppLocale.current.text(
          .imported, name, "\(summary.added)", "\(summary.updated)", "\(summary.unchanged)"))
    }
  }

  private struct FileSummary: Encodable {
    var file: String
    var summary: SubscriptionBook.ImportSummary
  }
}
