import Foundation
import Tandem

/// From a save in this process to the moment another process has fetched the new record.
struct LatencyBenchmark {
  let bench: Workbench
  private let commits = 100

  init(bench: Workbench) { self.bench = bench }

  func all() throws -> [Measurement] {
    let device = bench.folder.appending(path: "latency")
    let container = try bench.container("latency")
    let context = Workbench.context(container)
    let source = RowSource()
    for row in source.next(1) { context.insert(Subscription(row)) }
    try context.save()
    let watcher = try WatcherProcess(device: device)
    guard try watcher.nextLine() == "ready" else { throw BenchmarkError("the second process is not ready") }
    var (saving, seeing): ([Double], [Double]) = ([], [])
    for (number, row) in zip(1..., source.next(commits)) {
      let start = Stopwatch.now()
      context.insert(Subscription(row))
      try context.save()
      let saved = Stopwatch.now()
      let seen = try Self.seen(number, watcher)
      saving.append(Double(saved - start) / 1e9)
      seeing.append(Double(seen - start) / 1e9)
    }
    watcher.end()
    return [
      Measurement(name: "save, with another process watching", unit: "save", operations: 1, seconds: saving),
      Measurement(name: "save begun to fetched elsewhere", unit: "save", operations: 1, seconds: seeing),
    ]
  }

  /// When the second process had the record with that number.
  private static func seen(_ number: Int, _ watcher: WatcherProcess) throws -> UInt64 {
    while let line = try watcher.nextLine() {
      let parts = line.split(separator: " ").compactMap { UInt64($0) }
      if parts.count == 2, parts[0] >= UInt64(number) { return parts[1] }
    }
    throw BenchmarkError("the second process ended")
  }
}

/// The second process: prints how many records came and the time whenever a commit reaches it.
struct Watcher {
  let device: URL

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(device, allowsSave: false))
    let changes = container.changes
    say("ready")
    for await _ in changes {
      let context = Workbench.context(container)
      let count = try context.fetchCount(FetchDescriptor<Subscription>())
      // The first one was there before.
      say("\(count - 1) \(Stopwatch.now())")
    }
  }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
