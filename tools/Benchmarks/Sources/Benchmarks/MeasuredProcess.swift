import Foundation

/// Another process of this program, which nothing else has used before: it does some work and prints two figures.
enum MeasuredProcess {
  typealias Figures = (milliseconds: Double, megabytes: Double)

  /// Of work that ``measure(_:check:)`` measures.
  static func run(_ arguments: [String]) throws -> Figures {
    let figures = try output(of: arguments)
    return (figures[0], figures[1])
  }

  /// The two figures.
  static func output(of arguments: [String]) throws -> [Double] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard figures.count == 2 else {
      throw BenchmarkError("'\(arguments.joined(separator: " "))' ended with code \(process.terminationStatus)")
    }
    return figures
  }

  /// In the process that is measured: prints the figures once `check` has found that the work was done.
  static func measure(_ body: () async throws -> Void, check: () throws -> Void = {}) async throws {
    let peak = MemoryPeak()
    let start = Stopwatch.now()
    try await body()
    let milliseconds = Double(Stopwatch.now() - start) / 1e6
    let megabytes = Double(try peak.end()) / 1e6
    try check()
    print(milliseconds, megabytes)
  }
}
