import ArgumentParser
import AstroSvitla
import Foundation

struct ReportGenerate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make a report for one credit.",
    discussion: """
      With the --request of an earlier run it prints that run's report and charges nothing; so a run that was cut \
      short can be repeated safely.


      """ + Program.exitCodes)

  @Argument(help: "The chart: its name, its id, or the first four or more characters of the id.")
  var chart: String
  @Option(
    help: "personality, career, relationship or wellness.", transform: OutputOptions.reading(ReportArea.checkedForSale))
  var area: ReportArea
  @Option(help: "The request's id; a new one unless given.", transform: uuid)
  var request: UUID?
  @Flag(help: "Pay for another report where one about this area of the chart was bought before.")
  var again = false
  @Option(help: ArgumentHelp("How long the credit is held while the report is made.", valueName: "seconds"))
  var lease: Double = 60
  @Option(help: ArgumentHelp("Wait so long at each step, and name it on stderr.", valueName: "seconds"))
  var pause: Double = 0
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...86_400).contains(lease) else { throw ValidationError("the lease is 1 to 86400 seconds") }
    guard (0...3600).contains(pause) else { throw ValidationError("the pause is 0 to 3600 seconds") }
  }

  func run() async throws {
    let store = try device.store(.readWrite)
    let details = try await ChartService(store).chart(named: chart)
    let observer = pause > 0 ? Self.pausing(pause) : .silent
    let reports = ReportService(store, credits: CreditManager(store, observer: observer), observer: observer)
    let order = try ReportOrder(chartID: details.id, area: area, language: output.spoken, isAgain: again)
    let report = try await reports.generate(order, requestID: request ?? UUID(), leaseSeconds: lease)
    try ReportAnswer.print(report, output, withText: true)
  }

  private static func pausing(_ seconds: Double) -> StepObserver {
    StepObserver { step in
      Program.report("step: \(step.rawValue)")
      Thread.sleep(forTimeInterval: seconds)
    }
  }

  @Sendable private static func uuid(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else { throw ValidationError("“\(text)” is not a UUID") }
    return id
  }
}

/// A report as JSON; its price is a text, as in all answers.
struct ReportRow: Encodable {
  var requestID: UUID
  var area: ReportArea
  var text: String
  var languageCode: String
  var wordCount: Int
  var readingMinutes: Int
  var price: String?
  var currencyCode: String?
  var generatedAt: Date
  var profileID: UUID?
  var chartID: UUID?
  var chartName: String?

  init(_ report: ReportDetails) {
    requestID = report.requestID
    area = report.area
    text = report.text
    languageCode = report.languageCode
    wordCount = report.wordCount
    readingMinutes = report.readingMinutes
    price = report.price.map { "\($0)" }
    currencyCode = report.currencyCode
    generatedAt = report.generatedAt
    profileID = report.profileID
    chartID = report.chartID
    chartName = report.chartName
  }
}

/// One report on stdout.
enum ReportAnswer {
  static func print(_ report: ReportDetails, _ output: OutputOptions, withText: Bool) throws {
    if output.json { return try Report.json(ReportRow(report)) }
    try Report.line(
      output.phrases.generated(
        report.area.name(in: output.spoken), words: report.wordCount, minutes: report.readingMinutes,
        report.requestID.uuidString))
    if withText { try Report.line("\n" + report.text) }
  }
}
