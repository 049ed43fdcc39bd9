import Foundation

/// This program once more, as the process that watches.
final class WatcherProcess {
  private let process = Process()
  private let output = Pipe()
  private var buffer = Data()

  /// - Parameters:
  ///   - part: the option that says which watcher it plays.
  ///   - place: what it watches.
  init(_ part: String = "--watch", at place: URL) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [part, place.path]
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

  /// Nil when the process has ended.
  func nextLine() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[buffer.index(after: end)...])
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer.append(more)
    }
  }

  /// At once: started by a thread that blocks signals, the process would not hear a milder one.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
