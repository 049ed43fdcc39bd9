import ArgumentParser
import AstroSvitla
import Foundation

struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List purchases, the newest first; or what credits were spent for, or what was put aside.",
    discussion: """
      With --trail it follows one purchase: each of its credits, and the report that it pays for.


      """ + Program.exitCodes)

  @Flag(help: "List what credits were spent for instead.")
  var consumptions = false
  @Option(help: "Only those for this profile; with --consumptions.")
  var profile: String?
  @Option(help: ArgumentHelp("Follow one purchase, by the transaction's number.", valueName: "transaction"))
  var trail: UInt64?
  @Flag(help: "List the transactions that were put aside, with the reason of each.")
  var putAside = false
  @OptionGroup var dates: DateOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [consumptions, trail != nil, putAside].count(where: { $0 }) <= 1 else {
      throw ValidationError("choose one of --consumptions, --trail and --put-aside")
    }
    if profile != nil, !consumptions { throw ValidationError("--profile goes with --consumptions") }
    if dates.range != nil || page.page != .all, trail != nil || putAside {
      throw ValidationError("--from, --to, --limit and --offset go with purchases and --consumptions")
    }
  }

  func run() async throws {
    let store = try device.store(.readOnly)
    let history = PurchaseHistory(store)
    if let trail {
      try await TrailAnswer(of: trail, in: store).print(output)
    } else if consumptions {
      try await ConsumptionAnswer(in: store, profile: profile, dates.range, page.page).print(output)
    } else if putAside {
      try QuarantineAnswer.print(try await history.quarantine(), output)
    } else {
      try PurchaseAnswer.print(try await history.purchases(in: dates.range, page.page), output)
    }
  }
}
