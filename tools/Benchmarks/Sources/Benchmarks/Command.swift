import Foundation

/// Another program that is found on the path.
enum Command {
  /// What it prints on standard output. Throws unless it ends with 0.
  ///
  /// - Parameter package: what to install where it is missing.
  @discardableResult
  static func output(
    _ name: String, _ arguments: [String], package: String, environment: [String: String] = [:]
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // What `env` says where it finds no such program.
    guard process.terminationStatus != 127 else {
      throw BenchmarkError("\(name) is missing: run once as root: apt-get install -y \(package)")
    }
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("\(name) ended with code \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
