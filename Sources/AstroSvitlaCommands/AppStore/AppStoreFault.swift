import AppStoreTesting
import ArgumentParser

struct AppStoreFault: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fault", abstract: "Let the next call of the apps go wrong.",
    discussion: """
      CALL is one of \(StoreCall.allCases.map(\.rawValue).joined(separator: ", ")); or `token`, for signed \
      transactions that are wrong.

      WHAT is `cancels`, `interrupts`, or an error: \
      \(SimulatedFailure.allCases.map(\.rawValue).joined(separator: ", ")). With --done the call does its work first, \
      and only the answer is lost. Of a token it is \(TokenDefect.allCases.map(\.rawValue).joined(separator: ", ")).


      """ + Program.exitCodes)

  /// What the two arguments say.
  private enum Plan {
    case call(StoreCall, SimulatedFault)
    case token(TokenDefect)
  }

  @Argument(help: "Which call.")
  var call: String
  @Argument(help: "What happens to it.")
  var what: String
  @Flag(help: "The call does its work; only its answer is lost.")
  var done = false
  @Option(help: "How often.")
  var times = 1
  @Flag(help: "Always, until faults --remove.")
  var always = false
  @Option(help: "How many calls take their usual course first.")
  var skip = 0
  @Option(help: "Only calls of the device of this name.")
  var onDevice: String?
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    _ = try plan()
    guard times >= 1, skip >= 0 else { throw ValidationError("--times is at least 1 and --skip at least 0") }
  }

  func run() async throws {
    let (store, count) = (try await appStore.open(), always ? nil : times)
    switch try plan() {
    case .call(let call, let fault):
      try await store.simulate(fault, on: call, times: count, afterSkipping: skip, device: onDevice)
    case .token(let defect): try await store.simulate(defect, times: count, afterSkipping: skip, device: onDevice)
    }
    let waiting = try await store.faultCount()
    if output.json { return try Report.json(["faults": waiting]) }
    try Report.line(output.phrases.faultAdded(call, waiting))
  }

  private func plan() throws -> Plan {
    if call == "token" {
      guard let defect = TokenDefect(rawValue: what), !done else {
        throw ValidationError("“\(what)” is no defect of a token: see astrosvitla appstore fault --help")
      }
      return .token(defect)
    }
    guard let call = StoreCall(rawValue: call) else {
      throw ValidationError("“\(call)” is no call: see astrosvitla appstore fault --help")
    }
    return .call(call, try fault())
  }

  private func fault() throws -> SimulatedFault {
    switch (what, SimulatedFailure(rawValue: what), done) {
    case ("cancels", _, false): return .cancels
    case ("interrupts", _, false): return .interrupts(throwsUnknown: false)
    case (_, let failure?, false): return .fails(failure)
    case (_, let failure?, true): return .losesAnswer(failure)
    default: throw ValidationError("“\(what)” is nothing that happens to a call: see astrosvitla appstore fault --help")
    }
  }
}
