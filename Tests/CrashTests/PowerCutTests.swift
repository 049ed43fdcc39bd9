import Foundation
import HelperProcess
import Testing

/// A short form of `tools/power-cut`.
@Suite(.enabled(if: WriteLogger.hasCompiler))
struct PowerCutTests {
  @Test func `whatever a power cut leaves opens and holds every acknowledged save`() throws {
    let seed = ProcessInfo.processInfo.environment["TANDEM_SEED"].flatMap { Int($0) } ?? Int.random(in: 1..<1_000_000)
    print("power cut with seed \(seed)")
    let lines = try WriteLogger.with { folder, logger in try cutPower(in: folder, logger, seed: seed) }
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" 0 bad") }, "\(lines.joined(separator: "\n"))")
  }

  private func cutPower(in folder: URL, _ logger: URL, seed: Int) throws -> [String] {
    let log = folder.appendingPathComponent("log")
    let saver = try HelperProcess(
      "save-power-cut", folder.appendingPathComponent("saved.store").path, "\(seed)", "100",
      environment: ["LD_PRELOAD": logger.path, "POWER_CUT_LOG": log.path])
    #expect(try saver.finish() == 0)

    let replay = try HelperProcess("replay-power-cut", log.path, "\(seed)", "60", "\(seed)", logger.path)
    var lines: [String] = []
    while let line = try replay.line() { lines.append(line) }
    #expect(try replay.finish() == 0)
    return lines
  }
}
