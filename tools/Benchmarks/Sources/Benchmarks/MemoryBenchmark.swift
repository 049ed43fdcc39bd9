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

  func run() throws -> Outcome {
    let bytes = try fill("memory")
    return Outcome(beforeSave: bytes[0], peak: bytes[1])
  }

  /// How much a process takes that inserts so many rows without objects, in chunks.
  func peakOfRows() throws -> Int { try fill("memory-rows", "--rows")[1] }

  /// In a process of its own: nothing else has been there before.
  private func fill(_ name: String, _ options: String...) throws -> [Int] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--fill", bench.folder.appending(path: name).path, "--records", "\(count)"] + options
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let bytes = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard bytes.count == 2 else {
      throw BenchmarkError("the process that fills a store ended with code \(process.terminationStatus)")
    }
    return bytes
  }
}

/// The process that is measured.
struct Filler {
  let device: URL
  let count: Int
  let isByRows: Bool

  func run() throws {
    let container = try Workbench.container(Workbench.configuration(device))
    let source = RowSource()
    guard !isByRows else {
      let before = try Self.peakBytes()
      let rows = (0..<count).lazy.map { _ in source.next(1)[0] }
      try Workbench.insertAll(rows, into: container, chunk: 10_000)
      return print(before, try Self.peakBytes())
    }
    let context = Workbench.context(container)
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
