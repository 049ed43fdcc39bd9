import Foundation
import HelperProcess
import Testing

/// The campaigns as programs: what they find, say and return. `tools/campaign all` runs their short forms, apart from
/// the tests, since each takes all processors.
@Suite(.serialized, .enabled(if: MachineCommand.succeeds("cc", "--version")))
struct CampaignTests {
  /// Its last line, and its exit code. The seed stands on standard error.
  private func run(_ arguments: String...) throws -> (line: String, code: Int32) {
    let seed = ProcessInfo.processInfo.environment["TANDEM_SEED"].map { ["--seed", $0] } ?? []
    let tool = try HelperProcess(arguments: arguments + seed, program: "run-campaign")
    var last = ""
    while let line = try tool.line() { last = line }
    return (last, try tool.finish())
  }

  @Test func `a call that fails leaves the store as it was or as it shall be, and says what is true`() throws {
    let (line, code) = try run("faults", "--points", "20")
    #expect(code == 0, "\(line)")
    #expect(line.contains(" points, 0 lost, 0 crashed, 0 hung, 0 untrue"))
  }

  @Test func `a run on commits that wait for no flush is found out, and ends with 1`() throws {
    let (line, code) = try run("power-cut", "--durability", "unsafe", "--images", "60", "--devices", "0")
    #expect(code == 1, "\(line)")
    #expect(!line.contains(" 0 bad"))
  }

  @Test(arguments: [
    ["faults", "--steps", "none"], ["faults", "--only", "save"], ["power-cut", "--durability", "none"], ["none"],
  ])
  func `wrong usage ends with 64`(arguments: [String]) throws {
    #expect(try HelperProcess(arguments: arguments, program: "run-campaign").finish() == 64)
  }
}
