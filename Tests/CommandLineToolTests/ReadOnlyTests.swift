import Foundation
import Testing

/// Commands that only look change nothing.
struct ReadOnlyTests {
  private let tandem = Tandem()

  @Test(arguments: [
    "info STORE", "info STORE --json", "query STORE Item --sort title", "query STORE Item --explain",
    "query STORE Item --count", "history STORE --changes", "dump STORE", "check STORE", "conflicts list STORE",
  ])
  func `a command that looks leaves every byte of the data file`(command: String) throws {
    try Shop.with { shop throws in
      let before = try Data(contentsOf: shop.dataFile)
      let attributes = try FileManager.default.attributesOfItem(atPath: shop.dataFile.path)
      let outcome = try tandem.shell("\"$TANDEM\" " + command.replacingOccurrences(of: "STORE", with: "'\(shop.path)'"))
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try Data(contentsOf: shop.dataFile) == before)
      let after = try FileManager.default.attributesOfItem(atPath: shop.dataFile.path)
      #expect(after[.modificationDate] as? Date == attributes[.modificationDate] as? Date)
    }
  }
}
