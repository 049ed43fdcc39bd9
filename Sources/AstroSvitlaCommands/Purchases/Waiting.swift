import AppStoreTesting
import ArgumentParser
import AstroSvitla
import LocalizedTexts

struct Waiting: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List purchases that wait for approval.", discussion: Program.exitCodes)

  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let waiting = try await appStore.open().waitingPurchases()
    if output.json { return try Report.json(waiting) }
    try Report.table(
      output.phrases.waitingHeader,
      waiting.map { request in
        [
          "\(request.id)", ProductName.short(request.productID),
          "\(request.quantity)", request.account, request.device, output.phrases.moment(request.date),
        ]
      })
  }
}

/// The request that a parent's command is about.
struct RequestArgument: ParsableArguments {
  @Argument(help: "The number of the request; it may be left out where only one waits.")
  var request: UInt64?

  func id(in store: LocalAppStore) async throws -> UInt64 {
    if let request { return request }
    let waiting = try await store.waitingPurchases()
    guard let only = waiting.first else {
      throw AstroSvitlaError(.notFound, .nothingWaits)
    }
    guard waiting.count == 1 else {
      throw AstroSvitlaError(.ambiguous, .severalWait, .count(waiting.count))
    }
    return only.id
  }
}

struct Approve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Agree to a purchase that waits: it is paid now.", discussion: Program.exitCodes)

  @OptionGroup var request: RequestArgument
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try await appStore.open()
    let transaction = try await store.approve(request.id(in: store))
    if output.json { return try Report.json(["transaction": transaction]) }
    try Report.line(output.phrases.approved(transaction))
  }
}

struct Decline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Refuse a purchase that waits: nothing is paid.", discussion: Program.exitCodes)

  @OptionGroup var request: RequestArgument
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try await appStore.open()
    let id = try await request.id(in: store)
    try await store.decline(id)
    if output.json { return try Report.json(["request": id]) }
    try Report.line(output.phrases.declined(id))
  }
}
