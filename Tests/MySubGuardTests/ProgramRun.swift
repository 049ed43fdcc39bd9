import Foundation

/// One run of a built program: its exit code and all that it printed.
struct ProgramRun {
  let code: Int32
  let output: String
  let trouble: String

  /// Runs to the end. Throws only when the program cannot be started.
  init(_ name: String, _ arguments: String..., in folder: URL) throws { try self.init(name, arguments, in: folder) }

  init(
    _ name: String, _ arguments: [String], in folder: URL, language: String = "C", environment: [String: String] = [:]
  ) throws {
    let running = try RunningProgram(name, arguments, in: folder, language: language, environment: environment)
    code = try running.waitForEnd()
    output = try running.output()
    trouble = try running.trouble()
  }
}

/// A program that runs on its own, printing into files of `folder`. Killed when it goes out of scope.
final class RunningProgram {
  private let process = Process()
  private let outputFile: URL
  private let troubleFile: URL

  /// - Parameters:
  ///   - output: Where it prints instead of into a file of `folder`.
  ///   - trouble: Where it says what is wrong instead of into a file of `folder`.
  ///   - language: The value of `LC_ALL`.
  ///   - environment: What else it finds there.
  init(
    _ name: String, _ arguments: [String], in folder: URL, output: URL? = nil, trouble: URL? = nil,
    language: String = "C",
    environment: [String: String] = [:]
  ) throws {
    let number = UUID().uuidString
    (outputFile, troubleFile) = (folder.appending(path: "\(number).out"), folder.appending(path: "\(number).err"))
    try Data().write(to: outputFile)
    try Data().write(to: troubleFile)
    process.executableURL = try Self.executable(name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": language]) { $1 }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output ?? outputFile)
    process.standardError = try FileHandle(forWritingTo: trouble ?? troubleFile)
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  func output() throws -> String { String(decoding: try Data(contentsOf: outputFile), as: UTF8.self) }
  func trouble() throws -> String { String(decoding: try Data(contentsOf: troubleFile), as: UTF8.self) }
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit code, or the number of the signal that ended it, negated.
  func waitForEnd() throws -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Until the condition holds, or the program has ended, or a minute has gone by. Looks every 10 ms.
  func wait(until condition: () throws -> Bool) throws {
    for _ in 0..<6_000 {
      if try condition() { return }
      if !process.isRunning { break }
      usleep(10_000)
    }
    guard try condition() else {
      throw Failure(description: "waited in vain; it printed: \(try output())\(try trouble())")
    }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Programs lie beside the tests.
  private static func executable(_ name: String) throws -> URL {
    let candidates = [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap {
      $0?.deletingLastPathComponent().appending(path: name)
    }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Failure(description: "\(name) was not found beside the tests; build all targets first")
    }
    return found
  }
}
