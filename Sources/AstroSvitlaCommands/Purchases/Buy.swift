import AppStorePurchases
import ArgumentParser
import AstroSvitla
import Foundation

struct Buy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Buy credits or a plan; what an earlier run left undone is delivered first.",
    discussion: """
      With --pause the program waits at each step and names it on stderr, so that you can kill it there and see that \
      nothing is lost: purchaseReturned, verified, delivering, delivered, finished, settled.


      """ + Program.exitCodes)

  @Argument(help: "single, pack5, pack10, monthly, or the product's whole id.")
  var product: String
  @Option(help: "1 to 10.")
  var quantity = 1
  @Option(help: "Move the account to this region first, such as UKR.")
  var storefront: String?
  @Flag(help: "Let the purchase wait for somebody's approval.")
  var askToBuy = false
  @Option(help: ArgumentHelp("Wait so long at each step.", valueName: "seconds"))
  var pause: Double = 0
  @OptionGroup var device: DeviceOptions
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard CreditProduct(named: product) != nil || PlanProduct(named: product) != nil else {
      throw ValidationError("there is no product “\(product)”: it is single, pack5, pack10 or monthly")
    }
    guard quantity == 1 || PlanProduct(named: product) == nil else {
      throw ValidationError("a plan is bought once: leave --quantity out")
    }
    guard (1...10).contains(quantity) else { throw ValidationError("the quantity is 1 to 10") }
    guard (0...3600).contains(pause) else { throw ValidationError("the pause is 0 to 3600 seconds") }
  }

  func run() async throws {
    let service = try await appStore.service(device, output, storefront: storefront)
    let recovered = try await service.launch(listens: false)
    RecoveryLines(recovered, output.phrases).report()
    let buyer = pause > 0 ? try await appStore.service(device, output, observer: pausing()) : service
    let options: Set<Product.PurchaseOption> = askToBuy ? [.simulatesAskToBuyInSandbox(true)] : []
    if let plan = PlanProduct(named: product) {
      try await show(try await buyer.subscribe(to: plan, options: options))
    } else if let credits = CreditProduct(named: product) {
      try await show(try await buyer.buy(credits, quantity: quantity, options: options))
    }
  }

  private func pausing() -> StepObserver {
    let seconds = pause
    return StepObserver { step in
      Program.report("step: \(step.rawValue)")
      Thread.sleep(forTimeInterval: seconds)
    }
  }

  private func show(_ outcome: PurchaseOutcome) async throws {
    switch outcome {
    case .cancelled: return
    case .pending:
      if output.json { return try Report.json(Answer(state: "waiting")) }
      try Report.line(PurchaseMessage(.waitingForApproval).text(in: output.spoken))
    case .completed(let delivery, let isFinished): try await show(delivery, isFinished)
    }
  }

  /// Also of a purchase that another process of the app, which listens, was faster to deliver.
  private func show(_ delivery: DeliveryOutcome, _ isFinished: Bool) async throws {
    let history = try await PurchaseHistory(device.store(.readOnly)).purchases()
    guard let key = delivery.key, let purchase = history.first(where: { $0.key == key }) else { return }
    if output.json {
      return try Report.json(
        Answer(
          state: "bought", transaction: key.transactionID, credits: purchase.creditsGranted,
          price: purchase.price.map { "\($0)" }, currency: purchase.currencyCode, until: purchase.expiresAt,
          isFinished: isFinished))
    }
    if let end = purchase.expiresAt {
      try Report.line(output.phrases.subscribed(until: end))
      if !isFinished { Program.report(output.phrases.notTold) }
      return
    }
    try Report.line(
      output.phrases.bought(
        purchase.creditsGranted, output.phrases.price(purchase.price, purchase.currencyCode), key.transactionID))
    try Report.line(output.phrases.balance(try await CreditManager(device.store(.readOnly)).balance()))
    if !isFinished { Program.report(output.phrases.notTold) }
  }

  private struct Answer: Encodable {
    var state: String
    var transaction: UInt64?
    var credits: Int?
    var price: String?
    var currency: String?
    /// When the paid time of a plan ends; nil for credits.
    var until: Date?
    var isFinished: Bool?
  }
}
