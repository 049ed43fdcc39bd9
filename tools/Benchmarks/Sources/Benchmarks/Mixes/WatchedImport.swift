import Foundation
import GRDB
import Tandem

/// An import in chunks of 10,000 rows into a new store, while a widget's process shows the ten records that are due
/// next. Later rows are due earlier, so that each chunk changes what the widget shows.
///
/// It has ten times as many rows as the other comparisons have records, and at most a million.
final class WatchedImport {
  static let name = "import with a widget watching"
  private static let chunk = 10_000

  private let bench: Workbench
  private let rows: [SubscriptionRow]
  /// From a chunk's commit to the widget's list, in seconds, over all rounds that count; ours and the peer's.
  private var ours: [Double] = []
  private var theirs: [Double] = []

  init(bench: Workbench, records: Int) {
    self.bench = bench
    var generator = SplitMix(seed: 31)
    rows = (1...min(records * 10, 1_000_000)).map { number in
      var row = SubscriptionRow(number: number, using: &generator)
      row.category = Widget.category
      row.nextBillingDate = Date(timeIntervalSinceReferenceDate: -Double(number))
      return row
    }
  }

  var mix: Mix {
    Mix(
      name: Self.name, unit: "record", operations: rows.count,
      sides: [
        Mix.Side("Tandem, rows without objects") { [self] run in try importOurs(run) },
        Mix.Side("GRDB, prepared statement", target: Mixes.target) { [self] run in try importTheirs(run) },
      ])
  }

  /// How soon the widget had a chunk, from the moment when its save returned. GRDB's widget asks every millisecond
  /// whether the file has changed, for GRDB does not observe other processes. It often has a chunk before the save
  /// returns, which copies the log into the file after the commit.
  var latencies: [Ceiling] {
    [("chunk to widget", ours), ("chunk to widget, GRDB's, which polls", theirs)].flatMap { name, seconds in
      let measured = Measurement(name: name, unit: "chunk", operations: 1, seconds: seconds)
      return seconds.isEmpty
        ? []
        : [
          Ceiling(name + ", median", unit: "µs", figure: measured.median * 1e6, most: nil),
          Ceiling(name + ", p99", unit: "µs", figure: measured.percentile(0.99) * 1e6, most: nil),
        ]
    }
  }

  private func importOurs(_ run: Int) throws -> Double {
    let device = bench.folder.appending(path: "watched-\(run)")
    defer { remove(device) }
    let container = try bench.container("watched-\(run)")
    let widget = try WatcherProcess("--widget", at: device)
    defer { widget.end() }
    try widget.expectReady()
    var commits: [UInt64] = []
    let seconds = try Stopwatch.seconds {
      try Workbench.insertAll(rows, into: container, chunk: Self.chunk) { progress in
        // It reports rows, too, which are not saved yet.
        if progress.saved > commits.count * Self.chunk { commits.append(Stopwatch.now()) }
      }
    }.0
    let latencies = try Self.latencies(commits, widget)
    if run >= 0 { ours += latencies }
    return seconds
  }

  private func importTheirs(_ run: Int) throws -> Double {
    let peer = try PeerStore(bench.folder, "watched-\(run)")
    let file = URL(filePath: peer.path)
    defer { for suffix in ["", "-wal", "-shm"] { remove(URL(filePath: peer.path + suffix)) } }
    let widget = try WatcherProcess("--peer-widget", at: file)
    defer { widget.end() }
    try widget.expectReady()
    var commits: [UInt64] = []
    let seconds = try Stopwatch.seconds {
      for start in stride(from: 0, to: rows.count, by: Self.chunk) {
        try peer.insertByStatement(rows[start..<min(start + Self.chunk, rows.count)])
        commits.append(Stopwatch.now())
      }
    }.0
    let latencies = try Self.latencies(commits, widget)
    if run >= 0 { theirs += latencies }
    try peer.pool.close()
    return seconds
  }

  /// A chunk is seen with the first list that begins with a row of it or of a later one.
  private static func latencies(_ commits: [UInt64], _ widget: WatcherProcess) throws -> [Double] {
    var latencies: [Double] = []
    while latencies.count < commits.count {
      guard let sight = try widget.nextSight() else { throw BenchmarkError("the widget's process ended") }
      while latencies.count < commits.count, sight.number > latencies.count * chunk {
        let commit = commits[latencies.count]
        // The notice goes out with the commit, so that the widget may have it before the save has returned.
        latencies.append(sight.moment > commit ? Double(sight.moment - commit) / 1e9 : 0)
      }
    }
    return latencies
  }

  private func remove(_ file: URL) {
    do {
      try FileManager.default.removeItem(at: file)
    } catch {
      // It goes with the folder.
      FileHandle.standardError.write(Data("tools/bench: \(file.path) stays until the end: \(error)\n".utf8))
    }
  }
}
