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

  /// How much more LMDB alone takes for what the save of all rows changes than it takes before.
  func peakOfReplay() throws -> Int {
    let name = "memory-changes"
    let before = try ReplayedChanges.copy(of: try bench.container(name), name, bench)
    _ = try fill(name, "--rows", "0")
    let after = bench.folder.appending(path: name + ".after")
    try bench.container(name).backup(to: after)
    let bytes = try output(of: ["--replay-before", before.path, "--replay-after", after.path])
    return bytes[1] - bytes[0]
  }

  private func fill(_ name: String, _ options: String...) throws -> [Int] {
    try output(of: ["--fill", bench.folder.appending(path: name).path, "--records", "\(count)"] + options)
  }

  /// Bytes.
  private func output(of arguments: [String]) throws -> [Int] {
    try MeasuredProcess.output(of: arguments).map { Int($0) }
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
