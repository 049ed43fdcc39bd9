import Foundation

/// The library that `Tests/CampaignCalls/calls.c` is built to, and the environment by which a process runs under it.
struct CallsLibrary: Sendable {
  let path: String

  /// Builds it in a folder of the campaign.
  init() throws {
    let folder = try Workplace.current.makeFolder("library")
    path = folder.appendingPathComponent("calls.so").path
    try CompiledSource.compile("calls.c", to: path, options: ["-shared", "-fPIC"], libraries: ["-ldl"])
  }

  /// `folder`: below which calls are watched.
  func environment(folder: URL, _ more: [String: String] = [:]) -> [String: String] {
    var variables = more
    variables["LD_PRELOAD"] = path
    variables["CAMPAIGN_FOLDER"] = folder.path
    variables["CAMPAIGN_PARENT"] = "\(getpid())"
    return variables
  }
}

/// C programs of the campaign, compiled where they are needed.
enum CompiledSource {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../CampaignCalls").standardizedFileURL

  static func compile(_ name: String, to path: String, options: [String] = [], libraries: [String] = []) throws {
    let source = folder.appendingPathComponent(name).path
    let command = ["/usr/bin/env", "cc", "-O2", "-Wall"] + options + ["-o", path, source] + libraries
    let compiler = try Child(command)
    guard try compiler.finish() == .exit(0) else {
      throw Trouble("no C compiler could build \(source): \(compiler.complaint)")
    }
  }
}
