import AppStorePurchases
import AppStoreTesting
import Foundation

// An app of its own process beside the tests: `<App Store folder> <bundle id> <account> <device> <command> …`.
//
//   buy <product> <times>            buys, does not finish; prints the ids, one a line
//   deliver <product>                buys, prints "bought <id>", finishes, prints "finished <id>"
//   finish                           finishes what is unfinished, prints the ids
//   listen                           prints "ready", then each update: "<id> paid" or "<id> refunded"
let arguments = CommandLine.arguments
let appStore = try await LocalAppStore.open(at: URL(fileURLWithPath: arguments[1]), bundleID: arguments[2])
let client = try await appStore.launch(account: arguments[3], device: arguments[4])
AppStore.connect(to: client)

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func buy(_ id: String) async throws -> Transaction {
  guard let product = try await Product.products(for: [id]).first,
    case .success(let result) = try await product.purchase()
  else { exit(65) }
  return try result.payloadValue
}

switch arguments[5] {
case "buy":
  for _ in 0..<(Int(arguments[7]) ?? 0) { say("\(try await buy(arguments[6]).id)") }
case "deliver":
  let transaction = try await buy(arguments[6])
  say("bought \(transaction.id)")
  try await transaction.confirmFinish()
  say("finished \(transaction.id)")
case "finish":
  for await result in Transaction.unfinished {
    let transaction = try result.payloadValue
    try await transaction.confirmFinish()
    say("\(transaction.id)")
  }
case "listen":
  let updates = Task {
    for await result in Transaction.updates {
      let transaction = try result.payloadValue
      say("\(transaction.id) \(transaction.revocationDate == nil ? "paid" : "refunded")")
    }
  }
  // The unfinished ones come first, so that their end is the beginning of the news.
  say("ready")
  try await updates.value
default: exit(64)
}
say("done")
