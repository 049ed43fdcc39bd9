import Foundation
import MySubGuard
import Testing

/// What an app shows of an error that it does not know; else Foundation says "The operation could not be completed."
struct ErrorTextTests {
  @Test func `an error's sentence is its localized description`() {
    let error: any Error = SubscriptionError(.notFound, "there is no subscription of that name")
    #expect(error.localizedDescription == "there is no subscription of that name")
  }
}
