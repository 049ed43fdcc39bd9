import Foundation
import Testing

/// The library that `Tests/PowerCut/write-log.c` is built to, where a C compiler is at hand.
enum WriteLogger {
  static let hasCompiler = (try? run("cc", "--version")) == 0

  /// Lends a folder of its own, and the library in it.
  static func with<Result>(_ body: (_ folder: URL, _ library: URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("write-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Swift.Result { try body(folder, try make(in: folder)) }
    try FileManager.default.removeItem(at: folder)
    return try outcome.get()
  }

  private static func make(in folder: URL) throws -> URL {
    let library = folder.appendingPathComponent("write-log.so")
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../PowerCut/write-log.c").standardizedFileURL
    #expect(try run("cc", "-O2", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl") == 0)
    return library
  }

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
