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

  /// How much memory of its own a process takes that inserts so many rows without objects, at most `chunk` in a save.
  /// The pages of the file that it has mapped do not count: there are as many as the system has room for.
  func peakOfRows(chunk: Int?) throws -> Int {
    try fill("memory-rows-\(chunk ?? 0)", "--rows", "\(chunk ?? 0)")[1]
  }

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
  /// Rows without objects, so many in a chunk, 0 for all in one save; nil: objects.
  let rows: Int?

  func run() throws {
    let container = try Workbench.container(Workbench.configuration(device))
    let source = RowSource()
    if let rows {
      let peak = MemoryPeak()
      let all = (0..<count).lazy.map { _ in source.next(1)[0] }
      try Workbench.insertAll(all, into: container, chunk: rows > 0 ? rows : nil)
      return print(0, try peak.end())
    }
    let context = Workbench.context(container)
    for _ in 0..<count { context.insert(Subscription(source.next(1)[0])) }
    let beforeSave = try Self.peakBytes()
    try context.save()
    print(beforeSave, try Self.peakBytes())
  }

  /// The kernel's own note of the most pages that were resident.
  private static func peakBytes() throws -> Int { try ProcessMemory.bytes("VmHWM:") }
}
