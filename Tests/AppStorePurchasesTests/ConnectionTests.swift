import AppStorePurchases
import Foundation
import Testing

/// Tests run without a process-wide client; a test that needs one brings it along with `withClient`.
@Suite struct ConnectionTests {
  @Test func `a call without a client says how to connect one`() async throws {
    let error = await #expect(throws: StoreKitError.self) {
      try await Product.products(for: ["com.example.credit"])
    }
    guard case .systemError(let cause as StoreConnectionError) = try #require(error) else {
      Issue.record("unexpected error \(String(describing: error))")
      return
    }
    #expect(cause.code == .notConnected)
    #expect(cause.message.contains("AppStore.connect(to:)"))
  }

  @Test func `sequences without a client are empty, and checked ones throw`() async {
    for await _ in Transaction.unfinished { Issue.record("a transaction from nowhere") }
    let error = await #expect(throws: StoreKitError.self) {
      for try await _ in Transaction.unfinished.checked { Issue.record("a transaction from nowhere") }
    }
    #expect(error?.description.contains("AppStore.connect(to:)") == true)
    #expect(await Storefront.current == nil)
    #expect(!AppStore.canMakePayments)
  }
}
