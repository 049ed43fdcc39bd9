import Foundation

/// A program of the machine, found by the `PATH`.
public struct MachineCommand {
  public let status: Int32
  /// What it wrote on standard output.
  public let lines: [String]

  /// Runs the program and waits for its end.
  ///
  /// - Parameter environment: variables beside those of this process.
  public init(_ words: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
    lines = text.split(separator: "\n").map(String.init)
  }

  /// Whether the program is there and ends with 0: says what this machine allows.
  public static func succeeds(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
