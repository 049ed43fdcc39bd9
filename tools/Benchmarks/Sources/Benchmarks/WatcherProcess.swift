import Foundation

/// This program once more, as the process that watches.
final class WatcherProcess {
  private let process = Process()
  private let output = Pipe()
  private var buffer = Data()

  init(device: URL) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--watch", device.path]
    process.standardOutput = output
    try process.run()
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
