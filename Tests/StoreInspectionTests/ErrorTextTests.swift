import Foundation
import StoreInspection
import Testing

/// What an app shows of an error that it does not know; else Foundation says "The operation could not be completed."
struct ErrorTextTests {
  @Test func `an error's sentence is its localized description`() {
    let error: any Error = InspectionError(.notADump, "the text is no dump; give one that 'tandem dump' wrote")
    #expect(error.localizedDescription == "the text is no dump; give one that 'tandem dump' wrote")
  }
}
