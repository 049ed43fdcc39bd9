import ArgumentParser
import AstroSvitla

struct Statistics: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show how much was bought, spent and refunded.", discussion: Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let numbers = try await PurchaseHistory(device.store(.readOnly)).statistics()
    if output.json { return try Report.json(Answer(numbers)) }
    for line in output.phrases.statistics(numbers) { try Report.line(line) }
  }

  private struct Answer: Encodable {
    var purchases: Int
    var refunded: Int
    var reports: Int
    var spent: [String: String]
    var credits: CreditBalance

    init(_ numbers: PurchaseStatistics) {
      purchases = numbers.purchaseCount
      refunded = numbers.refundedCount
      reports = numbers.reportCount
      spent = numbers.spent.mapValues { "\($0)" }
      credits = numbers.balance
    }
  }
}
