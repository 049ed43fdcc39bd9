import AstroSvitla
import Foundation
import LocalizedTexts
import RecordStore

/// One run of a writing program, from its start to its end or its time limit.
struct WriterProcess {
  /// A longer text is no report.
  static let maximumTextBytes = 1 << 20

  private let command: String
  private let limitSeconds: Double

  init(_ command: String, limitSeconds: Double) {
    self.command = command
    self.limitSeconds = limitSeconds
  }

  /// Runs the program with some bytes as its input and returns what it prints. Throws `generationFailed`; the program
  /// and all that it started are ended then, and also when a signal ends this process.
  func text(for input: Data) throws -> String {
    let deadline = ContinuousClock.now + .seconds(limitSeconds)
    let (process, answer) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = try file(of: input)
    process.standardOutput = answer
    process.standardError = FileHandle.standardError
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let interruption = GroupInterruption()
    defer { interruption.end() }
    do {
      try process.run()
    } catch {
      throw failure(.writerNotStarted, cause: error.systemReason)
    }
    interruption.begin(process)
    do {
      let text = try read(answer.fileHandleForReading, until: deadline)
      guard ended.wait(timeout: .now() + seconds(until: deadline)) == .success else { throw tooSlow }
      return try checked(text, process)
    } catch {
      end(process)
      throw error
    }
  }

  /// A file without a name any more: a pipe could block on a program that does not read, or raise a signal. A birth is
  /// private, so that no other user may read it, and nothing of it stays.
  private func file(of input: Data) throws -> FileHandle {
    let place = FileManager.default.temporaryDirectory.appending(path: "astrosvitla-\(UUID().uuidString)").path
    let descriptor = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw failure(.writerNotGiven, cause: String(cString: strerror(errno)))
    }
    unlink(place)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: input)
      try handle.seek(toOffset: 0)
      return handle
    } catch {
      throw failure(.writerNotGiven, cause: error.systemReason)
    }
  }

  private func read(_ handle: FileHandle, until deadline: ContinuousClock.Instant) throws -> Data {
    var text = Data()
    while true {
      var wanted = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up, so that the last wait does not spin.
      let milliseconds = Int32(min(seconds(until: deadline) * 1000 + 1, 1_000_000))
      let ready = poll(&wanted, 1, milliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw tooSlow }
      let more = handle.availableData
      if more.isEmpty { return text }
      text += more
      guard text.count <= Self.maximumTextBytes else { throw failure(.writerTooLong) }
    }
  }

  private func checked(_ text: Data, _ process: Process) throws -> String {
    let status = process.terminationStatus
    guard process.terminationReason == .exit else {
      throw failure(.writerSignal, "\(status)")
    }
    guard status == 0 else { throw failure(.writerCode, "\(status)") }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw failure(.writerNotUTF8)
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The whole group: Foundation gives each program one of its own, so what a script started ends with it.
  private func end(_ process: Process) {
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func seconds(until deadline: ContinuousClock.Instant) -> Double {
    max(0, (deadline - .now) / .seconds(1))
  }

  private var tooSlow: AstroSvitlaError {
    failure(.writerTooSlow, .number(limitSeconds, decimals: 1))
  }

  private func failure(
    _ what: MessageKey, _ argument: Sentence.Argument? = nil, cause: String? = nil
  ) -> AstroSvitlaError {
    let what = Sentence(what, arguments: argument.map { [$0] } ?? [])
    return AstroSvitlaError(.generationFailed, .writerFailed, .sentence(what), cause: cause)
  }
}
