import AstroSvitla
import Foundation
import Testing

/// What an app shows of an error that it does not know; else Foundation says "The operation could not be completed."
struct ErrorTextTests {
  @Test func `an error's sentence is its localized description`() {
    let error: any Error = AstroSvitlaError(
      .notFound, "there is no chart of that name", ukrainian: "такої карти немає", cause: "no record")
    #expect(error.localizedDescription == "\(error)")
    #expect(error.localizedDescription.hasPrefix("there is no chart of that name"))
    #expect((error as? AstroSvitlaError)?.text(in: .ukrainian) == "такої карти немає (no record)")
  }
}
