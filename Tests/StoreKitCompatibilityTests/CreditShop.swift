import Foundation
import StoreKit

/// What the app sells: written as an app's source for Apple's systems is, with `import StoreKit` and nothing of this
/// package's own.
enum CreditProduct: String, CaseIterable {
  case single = "com.astrosvitla.report.credit.single"
  case pack5 = "com.astrosvitla.report.credit.pack5"
  case pack10 = "com.astrosvitla.report.credit.pack10"

  var credits: Int {
    switch self {
    case .single: 1
    case .pack5: 5
    case .pack10: 10
    }
  }
}

/// An app's shop: loads, buys, listens, restores. Delivers each transaction once and finishes it last.
actor CreditShop {
  enum Outcome: Equatable {
    case delivered, pending, cancelled
  }

  /// The balance after each transaction, for views.
  nonisolated let balances: AsyncStream<Int>
  private let tell: AsyncStream<Int>.Continuation
  private(set) var products: [Product] = []
  private(set) var credits: [UInt64: Int] = [:]
  private(set) var refusedCount = 0
  private var listener: Task<Void, Never>?

  init() { (balances, tell) = AsyncStream.makeStream() }

  var balance: Int { credits.values.reduce(0, +) }

  /// Begins to listen, as early as the app can.
  func start() {
    let updates = Transaction.updates
    listener = Task { [weak self] in
      for await result in updates { await self?.process(result) }
    }
  }

  func stop() { listener?.cancel() }

  func load() async throws {
    products = try await Product.products(for: CreditProduct.allCases.map(\.rawValue)).sorted { $0.price < $1.price }
  }

  func buy(_ id: CreditProduct, quantity: Int = 1, for user: UUID) async throws -> Outcome {
    guard let product = products.first(where: { $0.id == id.rawValue }) else { throw StoreKitError.unknown }
    switch try await product.purchase(options: [.quantity(quantity), .appAccountToken(user)]) {
    case .success(let result):
      await process(result)
      return .delivered
    case .userCancelled: return .cancelled
    case .pending: return .pending
    }
  }

  /// After a launch: what was paid and not delivered, and what was taken back meanwhile.
  func recover() async {
    for await result in Transaction.unfinished { await process(result) }
    for await result in Transaction.all {
      if case .verified(let transaction) = result, transaction.revocationDate != nil { await process(result) }
    }
  }

  func restore() async throws {
    try await AppStore.sync()
    await recover()
  }

  private func process(_ result: VerificationResult<Transaction>) async {
    guard case .verified(let transaction) = result else {
      refusedCount += 1
      return
    }
    if transaction.revocationDate != nil {
      credits[transaction.id] = nil
    } else if let product = CreditProduct(rawValue: transaction.productID) {
      credits[transaction.id] = product.credits * transaction.purchasedQuantity
    }
    await transaction.finish()
    tell.yield(balance)
  }
}
