import Foundation
import RecordSync
import Synchronization
import Tandem

/// How soon a process that watches a folder, as `tandem sync --watch` does, has merged what arrives there, and what it
/// costs while nothing happens.
///
/// All of it is on the main thread: the process that watches ends with the thread that started it.
struct WatchBenchmark {
  let bench: Workbench
  let saves: Int
  let idleSeconds: Int
  private let records = 1_000
  private let dataset: Dataset
  /// What the other device writes into, and what is brought from there into the folder that is watched, as a tool does
  /// that moves files between machines. So the moment is known at which a file has its name there.
  private let sent: URL
  private let folder: URL

  init(bench: Workbench, saves: Int, idleSeconds: Int) {
    (self.bench, self.saves, self.idleSeconds) = (bench, saves, idleSeconds)
    dataset = Dataset(count: records + saves)
    sent = bench.folder.appending(path: "sent")
    folder = bench.folder.appending(path: "folder")
  }

  func all() throws -> [Ceiling] {
    let device = bench.folder.appending(path: "watching")
    for url in [device, sent, folder] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    let author = try bench.container("author")
    _ = try bring(0..<records, of: author)
    let watcher = try WatcherProcess("--follow", at: device, ["--follow-folder", folder.path])
    defer { watcher.end() }
    try watcher.expectReady()
    var memory = [("when it began", try watcher.residentBytes())]
    var seconds: [Double] = []
    for number in 1...saves {
      let row = records + number - 1
      let arrived = try bring(row..<row + 1, of: author)
      let merged = try watcher.moment(ofNumber: number)
      seconds.append(Double(merged - arrived) / 1e9)
      BenchmarkCommand.say(String(format: "save %d of %d: %.3f s", number, saves, Double(merged - arrived) / 1e9))
    }
    memory.append(("after \(saves) saves", try watcher.residentBytes()))
    let idle = try idle(watcher)
    memory.append(("after \(idleSeconds) s without any", try watcher.residentBytes()))
    return [
      Ceiling("a file's name to its merge, median", unit: "s", figure: Measurement.median(seconds), most: 0.3),
      Ceiling("a file's name to its merge, maximum", unit: "s", figure: seconds.max() ?? .nan, most: 1),
      Ceiling("of a core while nothing happens", unit: "%", figure: idle, most: 0.1),
    ]
      + memory.map { Ceiling("resident memory \($0)", unit: "MB", figure: Double($1) / 1e6, most: nil) }
  }

  /// Saves rows, and brings what that makes into the folder. Returns the moment at which the first file is there.
  private func bring(_ rows: Range<Int>, of author: ModelContainer) throws -> UInt64 {
    try Workbench.insert(dataset.subscriptions[rows], into: author)
    try Waiting.wait { [sent] in _ = try await ScaleWorker.engine(author, sent).sync() }
    let files = FileManager.default
    var moment: UInt64?
    for path in try files.subpathsOfDirectory(atPath: sent.path).sorted() {
      let (source, target) = (sent.appending(path: path), folder.appending(path: path))
      guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }), !files.fileExists(atPath: target.path)
      else { continue }
      if try source.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try files.createDirectory(at: target, withIntermediateDirectories: false)
        continue
      }
      let draft = target.deletingLastPathComponent().appending(path: ".brought")
      try files.copyItem(at: source, to: draft)
      moment = moment ?? Stopwatch.now()
      guard rename(draft.path, target.path) == 0 else { throw BenchmarkError("\(target.path) cannot be made") }
    }
    guard let moment else { throw BenchmarkError("a save brought no file into the folder") }
    return moment
  }

  /// Percent of a core.
  private func idle(_ watcher: WatcherProcess) throws -> Double {
    let (start, used) = (Stopwatch.now(), try watcher.nanosecondsOfCPU())
    var percent = Double.nan
    for part in 1...10 {
      let end = start + UInt64(idleSeconds) * UInt64(part) * 100_000_000
      let now = Stopwatch.now()
      if end > now { Thread.sleep(forTimeInterval: Double(end - now) / 1e9) }
      percent = Double(try watcher.nanosecondsOfCPU() - used) / Double(Stopwatch.now() - start) * 100
      BenchmarkCommand.say(
        String(
          format: "idle, %.0f of %d s: %.3f %% of a core, %.1f MB", Double(idleSeconds * part) / 10, idleSeconds,
          percent, Double(try watcher.residentBytes()) / 1e6))
    }
    return percent
  }
}

/// The process that watches: prints how many transactions it has merged since its first run, and the time.
struct Follower {
  let device: URL
  let folder: URL

  func run() async {
    let merged = Mutex<Int?>(nil)
    await DeviceSync().follow(device: device, folder: folder) { event in
      switch event {
      case .synchronized(let report):
        let moment = Stopwatch.now()
        let new = report.stores.flatMap(\.devices.values).reduce(0) { $0 + $1.transactionsMerged }
        let count = merged.withLock { count in
          count = count.map { $0 + new } ?? 0
          return count ?? 0
        }
        print(count == 0 ? "ready" : "\(count) \(moment)")
      case .warning(let sentence), .trouble(let sentence): BenchmarkCommand.say(sentence)
      case .over(let sentence): BenchmarkCommand.say("over: \(sentence)")
      case .progress: break
      }
    }
  }
}
