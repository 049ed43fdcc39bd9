import AppStorePurchases
import AppStoreTesting
import Foundation
import Testing

/// What an app shows of an error that it does not know; else Foundation says "The operation could not be completed."
struct ErrorTextTests {
  @Test func `an error's sentence is its localized description`() {
    let errors: [any Error] = [
      AppStoreTestingError(.unknownAccount, "there is no such account; make it first"),
      StoreConnectionError(.notConnected, "there is no such account; make it first"),
    ]
    for error in errors { #expect(error.localizedDescription == "there is no such account; make it first") }
  }
}
