import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

/// An App Store in a folder of its own, with the fixture's products, the account "anna", and a clock that stands still.
/// Its books are checked when the test ends, and the folder goes.
func withAppStore(
  durability: LocalAppStore.Options.Durability = .unsafeNoFlush, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: (LocalAppStore) async throws -> Void
) async throws {
  let folder = try makeTemporaryFolder()
  defer { removeFolder(folder) }
  let appStore = try await LocalAppStore.forTests(at: folder, durability: durability)
  try await appStore.setProducts(storeKitFile: ShopFixture.storeKitFile, priceTable: ShopFixture.priceTable)
  try await appStore.addAccount("anna")
  try await appStore.stopClock(at: ShopFixture.start)
  try await body(appStore)
  try expectSound(appStore.ledger.store, sourceLocation: sourceLocation)
}

func removeFolder(_ folder: URL) {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch {
    Issue.record("cannot remove the temporary App Store: \(error)")
  }
}

extension LocalAppStore {
  static func forTests(
    at folder: URL, durability: Options.Durability = .unsafeNoFlush, seed: UInt64 = 7
  ) async throws -> LocalAppStore {
    try await open(
      at: folder, bundleID: ShopFixture.bundleID, options: Options(durability: durability, seed: seed))
  }

  func phone() async throws -> LocalStoreClient { try await launch(account: "anna", device: "phone") }
  func laptop() async throws -> LocalStoreClient { try await launch(account: "anna", device: "laptop") }

  /// The only entry of this id.
  func entry(_ id: UInt64) async throws -> Entry {
    try #require(try await entries().first { $0.id == id })
  }
}

extension LocalStoreClient {
  /// Buys as an app does, through the StoreKit-shaped types.
  func buy(_ id: String, options: Set<Product.PurchaseOption> = []) async throws -> Product.PurchaseResult {
    try await AppStore.withClient(self) {
      let product = try #require(try await Product.products(for: [id]).first)
      return try await product.purchase(options: options)
    }
  }

  /// Buys, and gives the verified transaction.
  @discardableResult
  func bought(_ id: String, options: Set<Product.PurchaseOption> = []) async throws -> Transaction {
    guard case .success(let result) = try await buy(id, options: options) else {
      throw UnexpectedAnswer(what: "the purchase of \(id) was no success")
    }
    return try result.payloadValue
  }

  func ids(_ scope: TransactionScope) async throws -> [UInt64] {
    try await all(scope).map(\.id)
  }

  /// The verified transactions.
  func all(_ scope: TransactionScope) async throws -> [Transaction] {
    var found: [Transaction] = []
    for try await result in transactions(scope) { found.append(try result.payloadValue) }
    return found
  }
}

/// The code of the tester's error that a body throws, so that no other trouble passes for the one that is meant. Nil if
/// the body throws nothing.
func testingErrorCode(_ body: () async throws -> Void) async -> AppStoreTestingError.Code? {
  do {
    try await body()
    return nil
  } catch let error as AppStoreTestingError {
    return error.code
  } catch {
    Issue.record("the App Store threw an error of another kind: \(error)")
    return nil
  }
}

struct UnexpectedAnswer: Error {
  let what: String
}

/// A listener to `Transaction.updates` that a test asks for one transaction after another.
final class Updates {
  private var iterator: TransactionStream.AsyncIterator

  /// Listens from now on: replays what is unfinished now, if it is the launch's first, and tells what happens later.
  init(_ client: LocalStoreClient) async throws {
    let listener = TransactionListener(client.session, client.launchReplay)
    try await listener.begin()
    iterator = listener.stream().makeAsyncIterator()
  }

  /// Waits for the next verified transaction; fails the test if the stream has ended.
  func next() async throws -> Transaction {
    try await nextResult().payloadValue
  }

  func nextResult() async throws -> VerificationResult<Transaction> {
    var own = iterator
    let result = try await own.next()
    iterator = own
    return try #require(result)
  }
}
