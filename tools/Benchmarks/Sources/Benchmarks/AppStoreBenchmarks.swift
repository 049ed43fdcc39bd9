import AppStorePurchases
import AppStoreTesting
import Foundation

/// What the local App Store costs a test: a purchase with its durable commit, its token and the check of it.
struct AppStoreBenchmarks {
  let bench: Workbench
  private let count = 200
  private let productID = "com.example.credit"

  init(bench: Workbench) { self.bench = bench }

  func all() async throws -> [Measurement] {
    let appStore = try await LocalAppStore.open(
      at: bench.folder.appending(path: "app-store"), bundleID: "com.example.bench", options: .init(seed: 7))
    let products = #"{"products":[{"productID":"\#(productID)","type":"Consumable","displayPrice":"4.99"}]}"#
    try await appStore.setProducts(storeKitFile: Data(products.utf8))
    try await appStore.addAccount("anna")
    let client = try await appStore.launch(account: "anna", device: "phone")
    guard let product = try await client.products(for: [productID]).first else {
      throw BenchmarkError("the App Store of the benchmark sells nothing")
    }
    let request = try PurchaseRequest(product)
    return [
      try await measure("purchase, minted and verified", unit: "purchase") {
        for _ in 0..<count { _ = try await client.purchase(request) }
      },
      try await measure("read and verify \(count) unfinished", unit: "transaction") {
        var remaining = count
        for try await _ in client.transactions(.unfinished) {
          remaining -= 1
          if remaining == 0 { return }
        }
      },
      try await measure("mint a token", unit: "token") {
        for _ in 0..<count { _ = try await appStore.signedTransaction(0, device: "phone") }
      },
    ]
  }

  private func measure(_ name: String, unit: String, _ body: () async throws -> Void) async throws -> Measurement {
    try await body()
    var seconds: [Double] = []
    for _ in 0..<bench.runs {
      let start = Stopwatch.now()
      try await body()
      seconds.append(Double(Stopwatch.now() - start) / 1e9)
    }
    return Measurement(name: name, unit: unit, operations: count, seconds: seconds)
  }
}
