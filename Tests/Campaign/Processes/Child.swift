import Foundation
import Synchronization

/// A process of this campaign. Its pipes are read with a deadline, so that one that hangs is noticed. Uses pointers, as
/// the system's interface wants them.
final class Child {
  enum End: Hashable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)
    var description: String {
      switch self {
      case .exit(let code): "exit code \(code)"
      case .signal(let number): "signal \(number)"
      }
    }
  }

  /// It said nothing for longer than it may.
  struct Hung: Error {}

  let processID: pid_t
  private let input: Int32
  private let output: Int32
  private let complaining: Int32
  private var unread: [UInt8] = []
  private var complaints: [UInt8] = []
  private var hasOutput = true
  private var hasTrouble = true
  private var hasInput = true
  private var end: End?

  /// `limit`: an option of the shell's `ulimit`, such as `-f 100`.
  init(_ command: [String], environment: [String: String] = [:], limit: String? = nil) throws {
    var command = command
    if let limit { command = ["/bin/sh", "-c", "ulimit \(limit); exec \"$0\" \"$@\""] + command }
    var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    variables["SWIFT_BACKTRACE"] = "enable=no"
    let full = (command, variables)
    let (process, input, output, trouble) = try Child.starting.withLock { _ in
      let (input, output, trouble) = (try Pipe(), try Pipe(), try Pipe())
      let process = try Child.spawn(full.0, full.1, [input.reading, output.writing, trouble.writing])
      return (process, input, output, trouble)
    }
    processID = process
    close(input.reading)
    close(output.writing)
    close(trouble.writing)
    (self.input, self.output, complaining) = (input.writing, output.reading, trouble.reading)
    Workplace.current.add(processID)
  }

  deinit {
    kill()
    closeInput()
    close(output)
    close(complaining)
  }

  /// One at a time: no process may inherit another's pipes before they are marked.
  private static let starting = Mutex(())

  private struct Pipe {
    let reading: Int32
    let writing: Int32
    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw Trouble("no pipe: \(String(cString: strerror(errno)))") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }
  }

  private static func spawn(_ command: [String], _ environment: [String: String], _ ends: [Int32]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, end) in ends.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(number)) }
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, nil, arguments, variables)
    guard code == 0 else { throw Trouble("cannot start \(command[0]): \(String(cString: strerror(code)))") }
    return process
  }
}

// What it says.
extension Child {
  /// The next line of its output; nil at the end.
  func line(within seconds: Double = 60) throws -> String? {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      guard hasOutput else { return nil }
      try wait(until: deadline)
    }
  }

  /// The next line if there is one already.
  func line(now: Void) throws -> String? {
    do { return try line(within: 0) } catch is Hung { return nil }
  }

  /// Whether all that it said was read, and no more comes.
  var hasEnded: Bool { !hasOutput && unread.isEmpty }

  func expect(_ line: String, within seconds: Double = 60) throws {
    let actual = try self.line(within: seconds)
    guard actual != line else { return }
    throw Finding("a process said \(actual ?? "nothing"), not \(line); \(try finish(within: seconds)); \(complaint)")
  }

  /// All lines until it ends by itself.
  func lines(within seconds: Double) throws -> [String] {
    var lines: [String] = []
    while let line = try line(within: seconds) { lines.append(line) }
    return lines
  }

  /// What it has written to standard error.
  var complaint: String { String(decoding: complaints, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }

  /// The sentence with which it ended, without what the system adds.
  var trouble: String {
    let lines = complaint.split(separator: "\n").map(String.init)
    let fatal = lines.first { $0.contains("Fatal error") || $0.contains("rror:") }
    return String((fatal ?? lines.first ?? "it said nothing").prefix(600))
  }

  private func wait(until deadline: ContinuousClock.Instant) throws {
    let left = Int32(max(0, (deadline - .now) / .milliseconds(1)))
    var ends = [
      pollfd(fd: hasOutput ? output : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: hasTrouble ? complaining : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&ends, 2, left) > 0 else { throw Hung() }
    if ends[0].revents != 0 { hasOutput = Self.take(output, &unread) }
    if ends[1].revents != 0 { hasTrouble = Self.take(complaining, &complaints) }
  }

  private static func take(_ end: Int32, _ bytes: inout [UInt8]) -> Bool {
    var more = [UInt8](repeating: 0, count: 65_536)
    let count = read(end, &more, more.count)
    if count > 0 { bytes += more.prefix(count) }
    return count > 0
  }
}

// What is done to it.
extension Child {
  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(input, bytes, bytes.count)
  }

  func closeInput() {
    guard hasInput else { return }
    hasInput = false
    close(input)
  }

  func signal(_ number: Int32) { if end == nil { _ = Foundation.kill(processID, number) } }

  func kill() {
    guard end == nil else { return }
    signal(SIGKILL)
    _ = reap()
  }

  /// Closes its input and waits for its end.
  @discardableResult
  func finish(within seconds: Double = 60) throws -> End {
    closeInput()
    let deadline = ContinuousClock.now + .seconds(seconds)
    while hasOutput || hasTrouble { try wait(until: deadline) }
    return reap()
  }

  private func reap() -> End {
    if let end { return end }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    Workplace.current.remove(processID)
    let ended: End = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    end = ended
    return ended
  }
}
