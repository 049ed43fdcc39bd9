// Whichever module of C was read first is said to define the system's structures; that may be this one.
import CoreFoundation
import Foundation

/// This program once more, as the process that watches.
final class WatcherProcess {
  private let process = Process()
  private let output = Pipe()
  private var buffer = Data()

  /// - Parameters:
  ///   - part: the option that says which watcher it plays.
  ///   - place: what it watches.
  ///   - options: further ones.
  init(_ part: String = "--watch-store", at place: URL, _ options: [String] = []) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [part, place.path] + options
    process.standardOutput = output
    try process.run()
  }

  /// Waits until it watches.
  func expectReady() throws {
    guard try nextLine() == "ready" else { throw BenchmarkError("the second process is not ready") }
  }

  /// A number and a moment, which is what each of its further lines says; nil when the process has ended.
  func nextSight() throws -> (number: Int, moment: UInt64)? {
    while let line = try nextLine() {
      let parts = line.split(separator: " ").compactMap { UInt64($0) }
      if parts.count == 2 { return (Int(parts[0]), parts[1]) }
    }
    return nil
  }

  /// When it had everything up to that number.
  func moment(ofNumber number: Int) throws -> UInt64 {
    while let sight = try nextSight() {
      if sight.number >= number { return sight.moment }
    }
    throw BenchmarkError("the second process ended")
  }

  /// Nil when the process has ended.
  func nextLine() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[buffer.index(after: end)...])
        return line
      }
      try expectWord()
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer.append(more)
    }
  }

  /// What never comes must not be waited for.
  private func expectWord() throws {
    var output = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let minute: Int32 = 60_000
    guard poll(&output, 1, minute) != 0 else {
      throw BenchmarkError("the second process has said nothing for a minute")
    }
  }

  /// The time of processors that it has used in all its threads.
  func nanosecondsOfCPU() throws -> UInt64 {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process.processIdentifier, &clock) == 0, clock_gettime(clock, &time) == 0,
      process.isRunning
    else { throw BenchmarkError("the second process ended") }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  func residentBytes() throws -> Int { try ProcessMemory.bytes("VmRSS:", of: "\(process.processIdentifier)") }

  /// At once: started by a thread that blocks signals, the process would not hear a milder one.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
