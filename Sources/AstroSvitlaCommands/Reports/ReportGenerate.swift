import ArgumentParser
import AstroSvitla
import Foundation

struct ReportGenerate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make a report for one credit.",
    discussion: """
      With the --request of an earlier run it prints that run's report and charges nothing; so a run that was cut \
      short can be repeated safely. Without a free credit it says what credits cost in the account's region.

      --writer runs a program of yours by the shell. It reads a JSON object on standard input (area, language, chart) \
      and prints the text. If it fails, prints nothing or takes longer than --writer-limit, it is ended with all that \
      it started, the credit is free again, and the code is 3. Ctrl-C does the same before it ends this program.


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
  @Option(
    help: ArgumentHelp("The program that writes the text; templates of the app unless given.", valueName: "command"))
  var writer: String?
  @Option(help: ArgumentHelp("How long the program may take.", valueName: "seconds"))
  var writerLimit: Double = 120
  @OptionGroup var device: DeviceOptions
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (0.1...3600).contains(writerLimit) else { throw ValidationError("the writer's limit is 0.1 to 3600 seconds") }
    guard (1...86_400).contains(lease) else { throw ValidationError("the lease is 1 to 86400 seconds") }
    guard (0...3600).contains(pause) else { throw ValidationError("the pause is 0 to 3600 seconds") }
  }

  func run() async throws {
    let store = try device.store(.readWrite)
    let details = try await ChartService(store).chart(named: chart)
    let observer = pause > 0 ? Self.pausing(pause) : .silent
    let reports = ReportService(
      store, credits: CreditManager(store, observer: observer), writer: reportWriter, observer: observer)
    let order = try ReportOrder(chartID: details.id, area: area, language: output.spoken, isAgain: again)
    do {
      let report = try await reports.generate(order, requestID: request ?? UUID(), leaseSeconds: lease)
      try ReportAnswer.print(
        report, paidBy: try await reports.payment(of: report.requestID), output, withText: true)
    } catch let error as AstroSvitlaError where error.code == .notEnoughCredits {
      for line in try await PaywallLines(appStore, output).lines { Program.report(line) }
      throw error
    } catch  where GroupInterruption.hasHappened {
      // Only now: the credit is free again.
      GroupInterruption.endProcess()
      throw error
    }
  }

  private var reportWriter: any ReportWriter {
    writer.map { ProgramReportWriter(command: $0, limitSeconds: writerLimit) } ?? NatalReportWriter()
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
