import Foundation
import HelperProcess
import Testing

/// A short form of `tools/power-cut`, where a C compiler is at hand.
struct PowerCutTests {
  @Test(.enabled(if: hasCompiler))
  func `whatever a power cut leaves opens and holds every acknowledged save`() throws {
    let seed = ProcessInfo.processInfo.environment["TANDEM_SEED"].flatMap { Int($0) } ?? Int.random(in: 1..<1_000_000)
    print("power cut with seed \(seed)")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("power-cut-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Result { try cutPower(in: folder, seed: seed) }
    try FileManager.default.removeItem(at: folder)
    let lines = try outcome.get()
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" 0 bad") }, "\(lines.joined(separator: "\n"))")
  }

  private func cutPower(in folder: URL, seed: Int) throws -> [String] {
    let (logger, log) = (folder.appendingPathComponent("write-log.so"), folder.appendingPathComponent("log"))
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../PowerCut/write-log.c").standardizedFileURL
    #expect(try Self.run("cc", "-O2", "-shared", "-fPIC", "-o", logger.path, source.path, "-ldl") == 0)

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

  private static let hasCompiler = (try? run("cc", "--version")) == 0

  private static func run(_ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
