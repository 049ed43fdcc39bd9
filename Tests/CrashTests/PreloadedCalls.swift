import Foundation
import HelperProcess
import Testing

/// The library that `Tests/CampaignCalls/calls.c` is built to, where a C compiler is at hand.
enum PreloadedCalls {
  static let hasCompiler = MachineCommand.succeeds("cc", "--version")

  /// Lends a folder of its own, and the library in it.
  static func with<Result>(_ body: (_ folder: URL, _ library: URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(
      "calls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Swift.Result { try body(folder, try make(in: folder)) }
    try FileManager.default.removeItem(at: folder)
    return try outcome.get()
  }

  /// What a process is given so that the library stands between it and the system, for files below a folder.
  static func environment(_ library: URL, below folder: URL, _ more: [String: String] = [:]) -> [String: String] {
    ["LD_PRELOAD": library.path, "CAMPAIGN_FOLDER": folder.path].merging(more) { $1 }
  }

  private static func make(in folder: URL) throws -> URL {
    let library = folder.appendingPathComponent("calls.so")
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../CampaignCalls/calls.c").standardizedFileURL
    let command = ["cc", "-O2", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl"]
    #expect(try MachineCommand(command).status == 0)
    return library
  }
}
