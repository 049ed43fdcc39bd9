import Foundation

/// One run of a built program, to its end or to a line that it prints as trouble.
struct ProgramRun {
  struct Failure: Error, CustomStringConvertible { let description: String }

  let code: Int32
  let output: String
  let trouble: String

  /// - Parameters:
  ///   - given: Where it prints instead of into `output`.
  ///   - trouble: Where it says what is wrong instead of into `trouble`.
  ///   - killAt: A line on stderr at which the program gets a signal.
  ///   - signal: The signal.
  init(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], output given: FileHandle? = nil,
    trouble givenTrouble: FileHandle? = nil, killAt line: String? = nil, by signal: Int32 = SIGKILL
  ) throws {
    let process = Process()
    process.executableURL = try Self.executable(arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""].merging(environment) { $1 }
    ) { $1 }
    process.standardInput = FileHandle.nullDevice
    // A file takes any amount; a pipe that nobody reads would stop the program.
    let file = folder.appending(path: ".\(UUID().uuidString).out")
    try Data().write(to: file)
    process.standardOutput = try given ?? FileHandle(forWritingTo: file)
    let troublePipe = Pipe()
    process.standardError = givenTrouble ?? troublePipe
    try process.run()
    trouble = givenTrouble == nil ? try Self.read(troublePipe, of: process, until: line, signal) : ""
    process.waitUntilExit()
    output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try FileManager.default.removeItem(at: file)
    code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  private static func read(
    _ pipe: Pipe, of process: Process, until line: String?, _ signal: Int32
  ) throws -> String {
    var read = Data()
    var isSent = false
    while true {
      let more = pipe.fileHandleForReading.availableData
      if more.isEmpty { break }
      read += more
      let text = String(decoding: read, as: UTF8.self)
      if let line, !isSent, text.contains(line + "\n") {
        kill(process.processIdentifier, signal)
        isSent = true
      }
    }
    return String(decoding: read, as: UTF8.self)
  }

  /// Programs lie beside the tests.
  private static func executable(_ name: String) throws -> URL {
    let built = ["astrosvitla": "AstroSvitlaTool", "tandem": "TandemTool"]
    let candidates = [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap { $0?.deletingLastPathComponent() }
      .flatMap { folder in [name, built[name] ?? name].map { folder.appending(path: $0) } }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Failure(description: "\(name) was not found beside the tests; build all targets first")
    }
    return found
  }
}

/// Lends a folder with empty device directories, which goes afterwards.
func withDevices(_ names: String..., body: (URL) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "astrosvitla-\(UUID().uuidString)")
  for name in names {
    try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
  }
  try body(folder)
  try FileManager.default.removeItem(at: folder)
}

/// The root of this package.
let packageRoot = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
