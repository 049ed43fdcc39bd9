import Foundation
import RecordStore

/// One run of rclone, from its start to its end, or to that of the task.
struct RcloneProgram {
  /// Settings of a user's environment that would let a run do something else than was asked, or hide what it says.
  private static let foreignSettings = [
    "LOG_", "VERBOSE", "QUIET", "DRY_RUN", "INTERACTIVE", "PROGRESS", "FILTER", "INCLUDE", "EXCLUDE", "FILES_FROM",
    "MIN_", "MAX_", "IGNORE_", "DUMP", "SYSLOG", "STATS", "SUFFIX", "BACKUP_DIR", "COMPARE_DEST", "COPY_DEST", "RC",
    "NO_TRAVERSE", "UPDATE", "IMMUTABLE", "USE_JSON_LOG",
  ]
  private static let flags = [
    "--ask-password=false", "--use-json-log", "--stats", "1s", "--stats-log-level", "NOTICE", "--retries", "3",
    "--retries-sleep", "500ms", "--low-level-retries", "3", "--contimeout", "15s", "--timeout", "60s",
  ]

  private let program: URL
  private let options: RcloneTransport.Options

  init(_ program: URL, _ options: RcloneTransport.Options) { (self.program, self.options) = (program, options) }

  /// The first `rclone` in `PATH` that may be run.
  static func find(_ environment: [String: String]) throws -> URL {
    let path = environment["PATH"] ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    for folder in path.split(separator: ":") {
      let file = URL(filePath: String(folder), directoryHint: .isDirectory).appending(path: "rclone")
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw SyncError(
      .transportFailed,
      "the program rclone is not in PATH; install it ('apt-get install rclone', or from rclone.org) and set the remote "
        + "up with 'rclone config'")
  }

  /// Runs a command with the places of which it speaks. Throws `CancellationError` once a cancelled run has ended, and
  /// ``SyncError`` `transportFailed` where it cannot be started.
  func run(_ command: [String], _ places: [String]) async throws -> RcloneOutcome {
    try Task.checkCancellation()
    let child = ChildProgram(
      program, arguments: command + RcloneProgram.flags + ["--"] + places,
      environment: RcloneProgram.settings(in: ProcessInfo.processInfo.environment).merging(options.environment) { $1 })
    let log = RcloneLog(options.progress)
    let watching = Task { try await endIfStalled(child, log) }
    defer { watching.cancel() }
    let (end, output): (ChildProgram.End, Data)
    do {
      (end, output) = try await child.run { log.note($0) }
    } catch {
      throw SyncError(
        .transportFailed, "cannot start \(program.path): check the file, or install rclone again", cause: error)
    }
    try Task.checkCancellation()
    return RcloneOutcome(status: log.isStalled ? .stalled : status(of: end), output: output, complaints: log.complaints)
  }

  private func status(of end: ChildProgram.End) -> RcloneOutcome.Status {
    switch end {
    case .exit(let code): RcloneOutcome.Status(exitCode: code)
    case .signal(let number): .signal(number)
    }
  }

  /// An environment without the settings that would change what a run does.
  static func settings(in environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in !foreignSettings.contains { name.hasPrefix("RCLONE_" + $0) } }
  }

  /// Ends a run that gives no sign of coming further: it may wait for a password, or for a network that is gone.
  private func endIfStalled(_ child: ChildProgram, _ log: RcloneLog) async throws {
    var (last, since) = (log.sign, ContinuousClock.now)
    while true {
      try await Task.sleep(for: .seconds(min(1, options.patienceSeconds / 4)))
      if log.sign != last { (last, since) = (log.sign, .now) }
      guard (ContinuousClock.now - since) / .seconds(1) >= options.patienceSeconds else { continue }
      log.noteStall()
      return child.end()
    }
  }
}
