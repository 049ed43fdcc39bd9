import Foundation
import RecordSync
import Testing

/// What an app shows of an error that it does not know; else Foundation says "The operation could not be completed."
struct ErrorTextTests {
  @Test func `an error's sentence is its localized description`() {
    let error: any Error = SyncError(.busy, "another synchronisation runs; try again")
    #expect(error.localizedDescription == "another synchronisation runs; try again")
  }
}
