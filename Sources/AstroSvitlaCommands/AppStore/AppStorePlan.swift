import AppStoreTesting
import ArgumentParser
import AstroSvitla

struct AppStorePlan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Change the course of a plan: its renewal, its payment, how fast months pass.",
    discussion: """
      --month-lasts and --grace-days hold for all accounts of this App Store; the others for that of --account.


      """ + Program.exitCodes)

  @Option(help: "on or off: whether the person lets it be renewed.")
  var renew: AppStoreAccount.Switch?
  @Option(help: "on or off: whether renewals can be paid.")
  var payment: AppStoreAccount.Switch?
  @Option(
    help: ArgumentHelp("How long it is served after a renewal could not be paid; 0 for not at all.", valueName: "days"))
  var graceDays: Int?
  @Option(help: ArgumentHelp("How long a month lasts; 0 for those of the calendar.", valueName: "seconds"))
  var monthLasts: Double?
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard renew != nil || payment != nil || graceDays != nil || monthLasts != nil else {
      throw ValidationError("say what to change: --renew, --payment, --grace-days or --month-lasts")
    }
    guard (0...365).contains(graceDays ?? 0) else { throw ValidationError("--grace-days is 0 to 365") }
    guard monthLasts == nil || monthLasts == 0 || (1...3600).contains(monthLasts ?? 0) else {
      throw ValidationError("--month-lasts is 0, or 1 to 3600 seconds")
    }
  }

  func run() async throws {
    let (store, name) = (try await appStore.open(), appStore.account)
    if let monthLasts {
      try await store.setSubscriptionRate(monthLasts: monthLasts == 0 ? nil : .seconds(monthLasts))
    }
    if let graceDays { try await store.setBillingGracePeriod(days: graceDays) }
    if let payment { try await store.setFailsRenewals(payment == .off, for: name) }
    if let renew { try await store.setAutoRenew(renew == .on, for: name, groupID: PlanProduct.groupID) }
    if output.json { return try Report.json(["changed": true]) }
    try Report.line(output.phrases.planChanged)
  }
}
