import Foundation

/// Runs the built `tandem`, as a person or a script would.
struct Tandem {
  struct Outcome {
    /// The exit code; a signal's number negated.
    var status: Int32
    var output: String
    var trouble: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  struct Missing: Error, CustomStringConvertible {
    var description: String { "tandem was not found beside the tests; build all targets first" }
  }

  var environment: [String: String] = [:]
  var folder: URL?

  /// Runs to the end; `input` goes to its standard input.
  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> Outcome {
    try run(Tandem.executable(), arguments, input: input)
  }

  func run(arguments: [String], input: String = "") throws -> Outcome {
    try run(Tandem.executable(), arguments, input: input)
  }

  /// Runs under a shell that finds the program in `$TANDEM`: for pipes, mounts and terminals.
  func shell(_ script: String) throws -> Outcome {
    var tandem = self
    tandem.environment["TANDEM"] = try Tandem.executable().path
    return try tandem.run(URL(fileURLWithPath: "/bin/bash"), ["-c", script], input: "")
  }

  /// Starts it without waiting; what is written to `input` goes to its standard input.
  func start(_ arguments: String..., input: Pipe? = nil) throws -> RunningTandem {
    let process = process(try Tandem.executable(), arguments)
    return try RunningTandem(process, input: input)
  }

  func start(arguments: [String]) throws -> RunningTandem {
    try RunningTandem(process(try Tandem.executable(), arguments), input: nil)
  }

  /// Starts a shell that finds the program in `$TANDEM`, without waiting.
  func startShell(_ script: String) throws -> RunningTandem {
    var tandem = self
    tandem.environment["TANDEM"] = try Tandem.executable().path
    return try RunningTandem(tandem.process(URL(fileURLWithPath: "/bin/bash"), ["-c", script]), input: nil)
  }

  private func process(_ executable: URL, _ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = folder }
    return process
  }

  private func run(_ executable: URL, _ arguments: [String], input: String) throws -> Outcome {
    let process = process(executable, arguments)
    // Files instead of pipes: no amount of output can fill them while nobody reads.
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { unlinkAll(place) }
    let names = ["input", "output", "trouble"].map { place.appendingPathComponent($0) }
    for name in names { try Data(name == names[0] ? Data(input.utf8) : Data()).write(to: name) }
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: String(decoding: try Data(contentsOf: names[1]), as: UTF8.self),
      trouble: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
  }

  private func unlinkAll(_ place: URL) {
    do {
      try FileManager.default.removeItem(at: place)
    } catch {
      print("could not remove \(place.path): \(error)")
    }
  }

  static func executable() throws -> URL {
    let candidates = [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap {
      $0?.deletingLastPathComponent().appendingPathComponent("tandem")
    }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Missing()
    }
    return found
  }
}

/// A `tandem` that goes on running: its output is read line by line. Killed when it goes.
final class RunningTandem {
  private let process: Process
  private let output = Pipe()
  private var unread: [UInt8] = []

  fileprivate init(_ process: Process, input: Pipe?) throws {
    self.process = process
    process.standardOutput = output
    process.standardInput = input ?? FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// The next line; nil at the end. Waits for it.
  func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread.append(contentsOf: more)
    }
  }

  /// Whether a file is open in it.
  func hasOpened(_ path: String) throws -> Bool {
    let folder = "/proc/\(process.processIdentifier)/fd"
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      // It may have been closed since it was listed.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == target
    }
  }

  var isRunning: Bool { process.isRunning }

  /// Waits for the end; the exit code, a signal's number negated.
  func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Sends a signal and waits for the end; the exit code, a signal's number negated.
  func end(by signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    return waitForEnd()
  }
}
