import Foundation
import RecordStore
import RecordSync
import Tandem

/// What a device costs that writes a snapshot of all its records, and one that begins with it. Each does so in a
/// process of its own, which tells how much memory it took.
struct SnapshotBenchmark {
  let bench: Workbench
  let count: Int
  private var places: SnapshotPlaces { SnapshotPlaces(folder: bench.folder.appending(path: "snapshot")) }

  func all() async throws -> [Ceiling] {
    let family = try await fill()
    let changes = try Workbench.bytes(below: places.author)
    let writer = try run(.write, family)
    let snapshot = try Workbench.bytes(below: places.author) - changes
    try places.leaveSnapshotAlone()
    let reader = try run(.join, family)
    // What does not grow with the records is aimed at: fewer say nothing of it.
    let most: Double? = count >= 1_000_000 ? 200 : nil
    let name = ComparisonTable.grouped(Double(count))
    return [
      Ceiling(
        "snapshot of \(name) beside its change sets", unit: "×", figure: Double(snapshot) / Double(changes), most: 1.2),
      Ceiling("writing it", unit: "ms", figure: writer.milliseconds, most: nil),
      Ceiling("writing it, memory of its own", unit: "MB", figure: writer.megabytes, most: most),
      Ceiling("beginning with it", unit: "ms", figure: reader.milliseconds, most: nil),
      Ceiling("beginning with it, memory of its own", unit: "MB", figure: reader.megabytes, most: most),
    ]
  }

  /// Makes the author's store, in saves of 1,000, and exports it. Returns the family.
  private func fill() async throws -> RecordID {
    let container = try Workbench.container(Workbench.configuration(places.device(.write)))
    let rows = Dataset(count: count).subscriptions
    for start in stride(from: 0, to: rows.count, by: 1_000) {
      try Workbench.insert(rows[start..<min(start + 1_000, rows.count)], into: container)
    }
    let family = container.store.storeID
    _ = try await SyncComparisons.engine(container, places.author, family).export()
    return family
  }

  private func run(_ step: SnapshotStep, _ family: RecordID) throws -> (milliseconds: Double, megabytes: Double) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--snapshot", step.rawValue, "--snapshot-folder", places.folder.path, "--family", "\(family)"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard figures.count == 2 else {
      throw BenchmarkError("the process that should \(step.rawValue) ended with code \(process.terminationStatus)")
    }
    return (figures[0], figures[1])
  }
}

enum SnapshotStep: String { case write, join }

struct SnapshotPlaces {
  let folder: URL

  var author: URL { folder.appending(path: "author-exchange") }
  private var newcomer: URL { folder.appending(path: "newcomer-exchange") }
  func device(_ step: SnapshotStep) -> URL { folder.appending(path: "device-\(step.rawValue)") }
  func exchange(_ step: SnapshotStep) -> URL { step == .write ? author : newcomer }

  /// What a device finds that comes when all change sets have gone.
  func leaveSnapshotAlone() throws {
    try FileManager.default.copyItem(at: author, to: newcomer)
    for path in try FileManager.default.subpathsOfDirectory(atPath: newcomer.path) where path.hasSuffix("/s") {
      try FileManager.default.removeItem(at: newcomer.appending(path: path))
    }
  }
}

/// The process that is measured.
struct SnapshotWorker {
  let step: SnapshotStep
  let places: SnapshotPlaces
  let family: RecordID

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(places.device(step)))
    let engine = SyncComparisons.engine(container, places.exchange(step), family)
    let watch = MemoryWatch()
    let start = Stopwatch.now()
    let report = try await step == .write ? engine.writeSnapshot() : engine.import()
    let milliseconds = Double(Stopwatch.now() - start) / 1e6
    let megabytes = Double(watch.end()) / 1024
    try ReadComparisons.expect(report.snapshotsWritten + report.snapshotsJoined == 1)
    print(milliseconds, megabytes)
  }
}

/// Looks a hundred times a second how much memory of its own the process has: pages of files that it reads are the
/// system's.
private final class MemoryWatch {
  private let timer: any DispatchSourceTimer
  private let queue = DispatchQueue(label: "memory")
  // Written on the queue alone.
  nonisolated(unsafe) private var greatest = 0

  init() {
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: 0.01)
    timer.setEventHandler { [unowned self] in greatest = max(greatest, Self.kilobytes()) }
    timer.activate()
  }

  func end() -> Int {
    timer.cancel()
    return queue.sync { greatest }
  }

  private static func kilobytes() -> Int {
    guard let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
