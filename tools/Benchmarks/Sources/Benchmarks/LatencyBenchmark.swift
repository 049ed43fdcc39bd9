import Foundation
import Tandem

/// From a save in this process to the moment when a live result of another shows the new record.
struct LatencyBenchmark {
  let bench: Workbench
  private let commits = 300

  init(bench: Workbench) { self.bench = bench }

  struct Outcome {
    var measurements: [Measurement]
    var ceilings: [Ceiling]
  }

  func all() throws -> Outcome {
    let device = bench.folder.appending(path: "latency")
    let container = try bench.container("latency")
    let context = Workbench.context(container)
    let source = RowSource()
    for row in source.next(1) { context.insert(Subscription(row)) }
    try context.save()
    let watcher = try WatcherProcess(at: device)
    defer { watcher.end() }
    try watcher.expectReady()
    var (saving, seeing, following): ([Double], [Double], [Double]) = ([], [], [])
    for (number, row) in zip(1..., source.next(commits)) {
      let start = Stopwatch.now()
      context.insert(Subscription(row))
      try context.save()
      let saved = Stopwatch.now()
      let seen = try watcher.moment(ofNumber: number)
      saving.append(Double(saved - start) / 1e9)
      seeing.append(Double(seen - start) / 1e9)
      // The notice goes out with the commit, so that the other may be there before the save has returned.
      following.append(seen > saved ? Double(seen - saved) / 1e9 : 0)
    }
    let live = Measurement(name: "commit to live result elsewhere", unit: "save", operations: 1, seconds: following)
    return Outcome(
      measurements: [
        Measurement(name: "save, with another process watching", unit: "save", operations: 1, seconds: saving),
        Measurement(name: "save begun to live result elsewhere", unit: "save", operations: 1, seconds: seeing),
        live,
      ],
      ceilings: [
        Ceiling(live.name + ", median", unit: "µs", figure: live.median * 1e6, most: 60),
        Ceiling(live.name + ", p99", unit: "µs", figure: live.percentile(0.99) * 1e6, most: 200),
      ])
  }
}

/// The second process: prints how many records came and the time whenever its live result shows new ones.
///
/// Not on the main actor: this program waits there in a run loop (see ``Waiting``), whose turns an app does not have.
actor Watcher {
  private let device: URL

  init(device: URL) { self.device = device }

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(device, allowsSave: false))
    let list = try ResultsObserver(sortBy: [SortDescriptor(\Subscription.createdAt)], modelContainer: container)
    let changes = list.changes
    say("ready")
    for try await _ in changes {
      // The first one was there before.
      say("\(list.results.count - 1) \(Stopwatch.now())")
    }
  }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
