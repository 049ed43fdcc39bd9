import Dispatch
import Foundation
import RecordStore
import Synchronization

/// A program that runs beside this one, and ends with its task: at a cancellation it is asked to end, and is ended five
/// seconds later with all that it has started. It reads nothing from this process's input.
final class ChildProgram: Sendable {
  enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  private struct State {
    /// The number of the program and of its process group, of which Foundation gives it one of its own.
    var group: pid_t?
    var isAskedToEnd = false
  }

  private let program: URL
  private let arguments: [String]
  private let environment: [String: String]
  private let state = Mutex(State())

  init(_ program: URL, arguments: [String], environment: [String: String]) {
    (self.program, self.arguments, self.environment) = (program, arguments, environment)
  }

  /// Runs it, once, and returns how it ended and what it printed. `log` gets each line of its standard error as it
  /// comes, on another thread. Throws where it cannot be started.
  func run(log: @escaping @Sendable (String) -> Void) async throws -> (End, output: Data) {
    let output = try ChildProgram.namelessFile()
    let end = try await withTaskCancellationHandler {
      try await start(output, log)
    } onCancel: {
      self.end()
    }
    try output.seek(toOffset: 0)
    return (end, try output.readToEnd() ?? Data())
  }

  /// Asks it to end, and ends it five seconds later.
  func end() {
    signal(SIGTERM)
    DispatchQueue.global().asyncAfter(deadline: .now() + 5) { self.signal(SIGKILL) }
  }

  private func signal(_ number: Int32) {
    state.withLock { state in
      state.isAskedToEnd = true
      if let group = state.group { kill(-group, number) }
    }
  }

  /// Returns once the program has ended and its log was read.
  private func start(_ output: FileHandle, _ log: @escaping @Sendable (String) -> Void) async throws -> End {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    let queue = DispatchQueue(label: "tandem.child-program")
    // Before it runs: a program may end at once, and what it said is read before its end is told.
    queue.async { ChildProgram.read(errors.fileHandleForReading, log) }
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        self.finish()
        let end: End =
          process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
        // Behind the reading.
        queue.async { continuation.resume(returning: end) }
      }
      do {
        try state.withLock { state in
          try process.run()
          state.group = process.processIdentifier
          if state.isAskedToEnd { kill(-process.processIdentifier, SIGTERM) }
        }
      } catch {
        // Otherwise the reader would wait for ever.
        errors.fileHandleForWriting.closeFile()
        continuation.resume(throwing: error)
      }
    }
  }

  /// Ends programs that it has started and left behind, which would keep its log open.
  private func finish() {
    state.withLock { state in
      if let group = state.group { kill(-group, SIGKILL) }
      state.group = nil
    }
  }

  private static func read(_ handle: FileHandle, _ log: (String) -> Void) {
    var rest = Data()
    while case let bytes = handle.availableData, !bytes.isEmpty {
      rest += bytes
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        log(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      }
    }
    if !rest.isEmpty { log(String(decoding: rest, as: UTF8.self)) }
  }

  /// A file for what a program prints: a pipe would have to be read meanwhile.
  private static func namelessFile() throws -> FileHandle {
    let place = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    let descriptor = open(place.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DurableFile.failure("create", place) }
    unlink(place.path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
