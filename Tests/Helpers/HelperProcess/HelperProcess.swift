public import Foundation

/// A run of the test helper executable, for tests about several processes. Killed when it goes out of scope.
public final class HelperProcess {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread: [UInt8] = []
  private var hasClosedInput = false

  /// What the helper may not have more of. The shell's `ulimit` has an option and a unit for each.
  public enum Limit {
    case addressSpaceBytes(Int)
    case fileBytes(Int)
    case descriptors(Int)

    fileprivate var option: String {
      switch self {
      case .addressSpaceBytes(let count): "-v \(count >> 10)"
      case .fileBytes(let count): "-f \(count >> 9)"
      case .descriptors(let count): "-n \(count)"
      }
    }
  }

  /// Starts the helper with a command and its arguments.
  public convenience init(
    _ arguments: String..., environment: [String: String] = [:], limit: Limit? = nil
  ) throws {
    try self.init(arguments: arguments, environment: environment, limit: limit)
  }

  /// Starts the helper as process 1 of a namespace of its own, as in a container. It ends with this process's child.
  public convenience init(inOwnNamespace arguments: String...) throws {
    try self.init(arguments: arguments, environment: [:], limit: nil, isFirstProcess: true)
  }

  public init(
    arguments: [String], environment: [String: String] = [:], limit: Limit? = nil,
    program: String = "store-test-helper", isFirstProcess: Bool = false
  ) throws {
    process.executableURL = try Self.executable(named: program)
    process.arguments = arguments
    if let limit {
      let limited = "ulimit \(limit.option); exec \"$0\" \"$@\""
      process.arguments = ["-c", limited, try Self.executable(named: program).path] + arguments
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
    }
    if isFirstProcess {
      process.arguments =
        ["unshare", "-rpf", "--kill-child", try Self.executable(named: program).path] + arguments
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  private init(executable: URL, arguments: [String]) throws {
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { kill() }

  public var processID: Int32 { process.processIdentifier }

  /// The next line of its output; nil at the end. Waits for it.
  public func line() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread.append(contentsOf: more)
    }
  }

  /// Waits for one line and throws unless it is this.
  public func expect(_ line: String) throws {
    let actual = try self.line()
    if actual != line { throw Failure(description: "the helper said \(actual ?? "nothing"), not \(line)") }
  }

  public func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Lets it see the end of its input.
  public func closeInput() throws {
    if hasClosedInput { return }
    hasClosedInput = true
    try input.fileHandleForWriting.close()
  }

  /// SIGKILL, and waits for the end. Harmless afterwards.
  public func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Closes its input and waits for its end; the exit code, or the signal's number negated. What it writes until then
  /// can be read as lines afterwards: unread, it would fill the pipe, and the helper would wait for ever.
  public func finish() throws -> Int32 {
    try closeInput()
    while case let more = output.fileHandleForReading.availableData, !more.isEmpty { unread.append(contentsOf: more) }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Whether scripts under `unshare -rm` can mount file systems.
  public static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private static let setpriv = "/usr/bin/setpriv"

  /// Whether a helper can run as a user without rights.
  public static var canBecomeAnother: Bool { getuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv) }

  /// A helper as a user without rights but those of everybody.
  public static func asAnother(_ arguments: String...) throws -> HelperProcess {
    let rights = ["--reuid=65534", "--regid=65534", "--clear-groups", try executable().path]
    return try HelperProcess(executable: URL(fileURLWithPath: setpriv), arguments: rights + arguments)
  }

  /// The helper lies beside the test bundle.
  public static func executable(named name: String = "store-test-helper") throws -> URL {
    let candidates = [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap {
      $0?.deletingLastPathComponent().appendingPathComponent(name)
    }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Failure(description: "\(name) was not found beside the tests; build all targets first")
    }
    return found
  }
}
