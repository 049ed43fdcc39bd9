import Foundation
import HelperProcess
import Testing

/// Real processes that run the same effects at the same time.
@Suite struct OnceRaceTests {
  @Test func `of three processes that race for each key, one has the effect`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("once-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let outcome = Result { try race(directory.appendingPathComponent("bank.store").path) }
    try FileManager.default.removeItem(at: directory)
    try outcome.get()
  }

  private func race(_ store: String) throws {
    let creator = try HelperProcess("create-bank", store)
    try creator.expect("created")
    #expect(try creator.finish() == 0)
    let racers = try (11...13).map { try HelperProcess("run-once", store, "\($0)", "40") }
    for racer in racers { try racer.expect("ready") }
    for racer in racers { try racer.send("go") }
    var performed = 0
    for racer in racers {
      let line = try racer.line()
      performed += try #require(line.flatMap { Int($0) })
      #expect(try racer.finish() == 0)
    }
    #expect(performed == 40)
    let auditor = try HelperProcess("audit-bank", store, "1")
    #expect(try auditor.line()?.hasPrefix("sound") == true)
    let reader = try HelperProcess("open-read-only", store)
    // One transfer of its own, then the entries: forty that happened once, and that one.
    try reader.expect("saved")
    try reader.expect("read 41")
  }
}
