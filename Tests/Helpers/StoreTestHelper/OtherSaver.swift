import Foundation

/// Another process that saves when it is told to, and whose writes go to the same write log.
final class OtherSaver {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var last: Int64?

  /// - Parameter durability: `full` or `relaxed`.
  init(store: String, seed: Int64, durability: String) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["save-on-request", store, "\(seed)", durability]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// It ends with its input.
  deinit {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  /// Returns after its save has.
  func save(_ number: Int64) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8))
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    if answer != "\(number)\n" { throw Failure("another process did not save: \(answer)") }
    last = number
  }

  /// Whether its was the save of that number.
  func isLast(_ number: Int64) -> Bool { last == number }
}
