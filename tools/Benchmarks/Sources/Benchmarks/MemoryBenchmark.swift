import Foundation
import Tandem

/// How much memory a process takes which makes so many objects, keeps none of them, and inserts them in one save.
struct MemoryBenchmark {
  let bench: Workbench
  let count: Int

  /// In bytes.
  struct Outcome {
    /// When all objects were made and inserted.
    let beforeSave: Int
    let peak: Int
  }

  /// In a process of its own: nothing else has been there before.
  func run() throws -> Outcome {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--fill", bench.folder.appending(path: "memory").path, "--records", "\(count)"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let bytes = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard bytes.count == 2 else {
      throw BenchmarkError("the process that fills a store ended with code \(process.terminationStatus)")
    }
    return Outcome(beforeSave: bytes[0], peak: bytes[1])
  }
}

/// The process that is measured.
struct Filler {
  let device: URL
  let count: Int

  func run() throws {
    let container = try Workbench.container(Workbench.configuration(device))
    let context = Workbench.context(container)
    let source = RowSource()
    for _ in 0..<count { context.insert(Subscription(source.next(1)[0])) }
    let beforeSave = try Self.peakBytes()
    try context.save()
    print(beforeSave, try Self.peakBytes())
  }

  /// The kernel's own note of the most pages that were resident.
  private static func peakBytes() throws -> Int {
    let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(separator: " ").compactMap({ Int($0) }).first else {
      throw BenchmarkError("the kernel does not tell how much memory was used")
    }
    return kilobytes << 10
  }
}
