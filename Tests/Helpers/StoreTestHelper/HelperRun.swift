import Foundation

/// One image, checked in a process of its own: what kills that process is a finding, too.
enum HelperRun {
  static func check(_ image: Replay.Image, seed: Int64) throws -> String? {
    try withFiles(of: image) { directory in
      try run("check-power-cut", directory.path, "\(seed)", "\(image.acknowledged)", "\(image.begun)").map {
        "\($0), acknowledged \(image.acknowledged), begun \(image.begun)"
      }
    }
  }

  /// What opening a store that a power cut left, and closing it, does to its files.
  ///
  /// - Parameter logger: the library that `Tests/PowerCut/write-log.c` is built to.
  /// - Parameter isRelaxed: who opens it does not wait for the device with commits of his own.
  static func recovery(of image: Replay.Image, logger: String, isRelaxed: Bool) throws -> WriteLog? {
    try withFiles(of: image) { directory in
      let log = directory.appendingPathComponent("log")
      let environment = ["LD_PRELOAD": logger, "POWER_CUT_LOG": log.path]
      let failure = try run(
        "recover-power-cut", directory.path, isRelaxed ? "relaxed" : "full", environment: environment)
      // An image that can not be opened is reported by its check.
      let isThere = failure == nil && FileManager.default.fileExists(atPath: log.path)
      return isThere ? try WriteLog(contentsOf: log) : nil
    }
  }

  private static func withFiles<Result>(of image: Replay.Image, _ body: (URL) throws -> Result) throws -> Result {
    let directory = workplace.appendingPathComponent("power-cut-\(UUID().uuidString)")
    let folder = image.isInPlace ? directory : directory.appendingPathComponent("creating")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Swift.Result {
      try Data(image.data).write(to: folder.appendingPathComponent("data.mdb"))
      if let redoLog = image.redoLog { try Data(redoLog).write(to: directory.appendingPathComponent("redo.log")) }
      return try body(directory)
    }
    try FileManager.default.removeItem(at: directory)
    return try outcome.get()
  }

  /// In memory where possible: the images are thrown away, and their flushes need no device.
  private static var workplace: URL {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return isThere ? memory : FileManager.default.temporaryDirectory
  }

  /// How a command of this helper failed; nil if it did not.
  private static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> String? {
    let process = Process()
    let trouble = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardError = trouble
    try process.run()
    let text = String(decoding: try trouble.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationReason == .exit, process.terminationStatus == 0 { return nil }
    let end = process.terminationReason == .exit ? "code" : "signal"
    return "\(end) \(process.terminationStatus): " + text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
