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

  /// A flush that succeeds after one that failed says nothing of what the first one lost, so the log stays.
  @Test(.enabled(if: hasCompiler))
  func `saves that only the log has are done again where the data file could not be flushed`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flush-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Result {
      let store = folder.appendingPathComponent("saved.store")
      let logger = try makeLogger(in: folder)
      let saver = try HelperProcess(
        "save-until-refused", store.path, "5",
        environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FAILING": "1000"])
      let words = try #require(try saver.line()).split(separator: " ")
      #expect(try saver.finish() == 0)
      #expect(words.dropFirst() == ["inputOutput", "inputOutput"])
      let log = try Data(contentsOf: store.appendingPathComponent("redo.log"))
      #expect(log.prefix(4) == Data("TRDO".utf8))
      let last = try #require(words.first.map(String.init))
      #expect(try HelperProcess("check-power-cut", store.path, "5", last, last).finish() == 0)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  /// The system tells of a failed flush once; the next one would succeed, and the log would be erased.
  @Test(.enabled(if: hasCompiler))
  func `after a flush on request that failed nothing is written, and the log stays`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flush-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Result {
      let logger = try makeLogger(in: folder)
      let helper = try HelperProcess(
        "log-until-flush-fails", folder.path, "people",
        environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FAILING": "1000"])
      try helper.expect("inputOutput")
      try helper.expect("panic")
      #expect(try helper.finish() == 0)
      let log = try Data(contentsOf: folder.appendingPathComponent("redo.log"))
      #expect(log.prefix(4) == Data("TRDO".utf8))
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func makeLogger(in folder: URL) throws -> URL {
    let logger = folder.appendingPathComponent("write-log.so")
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../PowerCut/write-log.c").standardizedFileURL
    #expect(try Self.run("cc", "-O2", "-shared", "-fPIC", "-o", logger.path, source.path, "-ldl") == 0)
    return logger
  }

  private func cutPower(in folder: URL, seed: Int) throws -> [String] {
    let (logger, log) = (try makeLogger(in: folder), folder.appendingPathComponent("log"))
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
