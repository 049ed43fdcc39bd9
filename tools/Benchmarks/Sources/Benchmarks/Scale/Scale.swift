import Foundation
import RecordSync
import Synchronization
import Tandem

/// What synchronising costs as replicas come: ours alone, one number of replicas after another, over a folder and over
/// a transport whose requests are counted.
struct Scale: Codable {
  /// One line of the table.
  struct Series: Codable {
    var name: String
    var unit: String
    /// One for each number of replicas.
    var figures: [Double]
  }

  var replicas: [Int]
  var records: Int
  var series: [Series] = []

  init(upTo largest: Int, records: Int, runs: Int) async throws {
    self.records = records
    replicas = sequence(first: 1) { $0 * 10 < largest ? $0 * 10 : nil } + (largest > 1 ? [largest] : [])
    for count in replicas {
      let bench = try Workbench(runs: runs)
      defer { BenchmarkCommand.remove(bench) }
      for (name, unit, figure) in try await ScaleStep(bench: bench, records: records, replicas: count).figures() {
        if let place = series.firstIndex(where: { $0.name == name && $0.unit == unit }) {
          series[place].figures.append(figure)
        } else {
          series.append(Series(name: name, unit: unit, figures: [figure]))
        }
      }
    }
  }

  /// The table for people.
  var lines: [String] {
    [Self.line("replicas", replicas.map(Double.init))] + series.map { Self.line("\($0.name), \($0.unit)", $0.figures) }
  }

  private static func line(_ title: String, _ figures: [Double]) -> String {
    let cells = figures.map { figure in
      let isShort = figure < 10 && figure != figure.rounded()
      return ComparisonTable.leading(isShort ? String(format: "%.1f", figure) : ComparisonTable.grouped(figure), 14)
    }
    return title.padding(toLength: 48, withPad: " ", startingAt: 0) + cells.joined()
  }

  /// The times of a synchronisation as a picture.
  var chart: GrowthChart {
    let times = series.filter { $0.unit == "ms" }.map { one in
      Growth.Series(name: one.name, unit: "", nanoseconds: one.figures.map { $0 * 1e6 })
    }
    return GrowthChart(
      title: "Time of one synchronisation by the number of replicas", counts: replicas, series: times)
  }
}

/// One number of replicas, each of which has written, in one folder.
private struct ScaleStep {
  typealias Figure = (name: String, unit: String, figure: Double)

  let bench: Workbench
  let records: Int
  let replicas: Int
  private var folder: URL { bench.folder.appending(path: "folder") }
  private let dataset: Dataset

  init(bench: Workbench, records: Int, replicas: Int) {
    (self.bench, self.records, self.replicas) = (bench, records, replicas)
    // One row for each replica, and some for what is measured.
    dataset = Dataset(count: records + replicas + 100)
  }

  private func device(_ name: String) -> URL { bench.folder.appending(path: name) }

  private func engine(_ container: ModelContainer) -> SyncEngine { ScaleWorker.engine(container, folder) }

  /// Megabytes that a process has of its own at most while a device synchronises.
  private func memory(_ name: String) throws -> Double {
    try MeasuredProcess.run(["--scale-sync", device(name).path, "--scale-folder", folder.path]).megabytes
  }

  private func insert(_ row: Int, _ container: ModelContainer) throws {
    try Workbench.insert(dataset.subscriptions[row...row], into: container)
  }

  /// Milliseconds.
  private func time(_ body: () async throws -> Void) async throws -> Double {
    let start = Stopwatch.now()
    try await body()
    return Double(Stopwatch.now() - start) / 1e6
  }

  private func median(_ body: (Int) async throws -> Double) async throws -> Double {
    var times: [Double] = []
    for run in 0..<bench.runs { times.append(try await body(run)) }
    return times.sorted()[times.count / 2]
  }

  func figures() async throws -> [Figure] {
    try await fill()
    try await addReplicas()
    let author = try bench.container("author")
    let last = replicas > 1 ? try bench.container("replica\(replicas - 1)") : author
    _ = try await engine(author).sync()
    return try await files() + overFolder(author, last) + overTransport(last)
  }

  /// A function of its own, so that the store is closed before its files are copied.
  private func fill() async throws {
    let author = try bench.container("author")
    for start in stride(from: 0, to: records, by: 1_000) {
      try Workbench.insert(dataset.subscriptions[start..<min(start + 1_000, records)], into: author)
    }
    _ = try await engine(author).sync()
  }

  /// The others one after another, each of which saves and synchronises once. A device that never writes takes in what
  /// they bring; each of them begins with a copy of its store, which is a replica of its own as soon as it writes.
  private func addReplicas() async throws {
    guard replicas > 1 else { return }
    let seed = device("seed")
    try FileManager.default.copyItem(at: device("author"), to: seed)
    for number in 1..<replicas {
      let name = "replica\(number)"
      try FileManager.default.copyItem(at: seed, to: device(name))
      try await join(name, row: records + number)
      if number > 1 { try FileManager.default.removeItem(at: device("replica\(number - 1)")) }
      _ = try await engine(try bench.container("seed")).sync()
    }
  }

  private func join(_ name: String, row: Int) async throws {
    let container = try bench.container(name)
    try insert(row, container)
    _ = try await engine(container).sync()
  }

  private func files() async throws -> [Figure] {
    let listed = try await FolderTransport(folder).list() ?? []
    return [
      ("the folder", "files", Double(listed.count)),
      ("the folder", "kB", Double(listed.reduce(0) { $0 + $1.byteCount }) / 1_000),
    ]
  }

  private func overFolder(_ author: ModelContainer, _ last: ModelContainer) async throws -> [Figure] {
    let (here, there) = (engine(author), engine(last))
    let idle = try await median { _ in try await time { _ = try await here.sync() } }
    var bringing: [Double] = []
    let taking = try await median { run in
      try insert(records + replicas + run, last)
      bringing.append(try await time { _ = try await there.sync() })
      return try await time { _ = try await here.sync() }
    }
    let newcomer = try bench.container("newcomer")
    let first = try await time { _ = try await engine(newcomer).sync() }
    let count = try newcomer.mainCount()
    try ReadComparisons.expect(count == records + replicas - 1 + bench.runs)
    return [
      ("a folder: nothing new", "ms", idle),
      ("a folder: brings one save", "ms", bringing.sorted()[bringing.count / 2]),
      ("a folder: takes one save", "ms", taking),
      ("a folder: a new device", "ms", first),
      ("a folder: nothing new", "MB of memory", try memory("author")),
      ("a folder: a new device", "MB of memory", try memory("second newcomer")),
    ]
  }

  private func overTransport(_ last: ModelContainer) async throws -> [Figure] {
    let transport = CountingTransport(FolderTransport(folder))
    var options = DeviceSync.Options()
    options.acceptsForeignDirectories = true
    let sync = DeviceSync(options: options)
    let url = device("far")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let far = try DeviceDirectory(url)
    var figures: [Figure] = []
    func measure(_ name: String) async throws {
      transport.reset()
      let time = try await time {
        let report = try await sync.synchronize(far, transport: transport)
        try ReadComparisons.expect(report.isComplete)
      }
      let use = transport.use
      figures += [
        ("a transport: \(name)", "ms", time), ("a transport: \(name)", "requests", Double(use.requests)),
        ("a transport: \(name)", "kB", Double(use.bytes) / 1_000),
      ]
    }
    try await measure("a new device")
    try await measure("nothing new")
    try insert(records + replicas + 50, last)
    _ = try await engine(last).sync()
    try await measure("takes one save")
    do {
      let container = try bench.container("far")
      try insert(records + replicas + 51, container)
    }
    try await measure("brings one save")
    return figures
  }
}

/// The process whose memory is measured: one synchronisation of a device that may be new.
struct ScaleWorker {
  let device: URL
  let folder: URL

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(device))
    try await MeasuredProcess.measure { _ = try await Self.engine(container, folder).sync() }
  }

  static func engine(_ container: ModelContainer, _ folder: URL) -> SyncEngine {
    let place = DeviceDirectory.Place(ofStoreAt: container.configurations.first?.url ?? folder)
    return SyncEngine(store: container.store, at: place, sharedFolder: folder)
  }
}

extension ModelContainer {
  fileprivate func mainCount() throws -> Int {
    try ModelContext(self).fetchCount(FetchDescriptor<Subscription>())
  }
}

/// Counts what an object store would be asked: a list in pages of a thousand names, and one request for each file that
/// is fetched, brought or removed.
private final class CountingTransport: ExchangeTransport {
  private let base: FolderTransport
  private let counts = Mutex((requests: 0, bytes: 0))

  init(_ base: FolderTransport) { self.base = base }

  var name: String { base.name }
  /// Requests, and the bytes of files that were fetched or brought.
  var use: (requests: Int, bytes: Int) { counts.withLock { $0 } }

  func reset() { counts.withLock { $0 = (0, 0) } }

  func list() async throws -> [TransportFile]? {
    let files = try await base.list()
    counts.withLock { $0.requests += 1 + (files?.count ?? 0) / 1_000 }
    return files
  }

  func get(_ paths: [String], into folder: URL) async throws {
    try await base.get(paths, into: folder)
    add(paths, in: folder)
  }

  func put(_ paths: [String], from folder: URL) async throws {
    add(paths, in: folder)
    try await base.put(paths, from: folder)
  }

  func remove(_ paths: [String]) async throws {
    counts.withLock { $0.requests += paths.count }
    try await base.remove(paths)
  }

  private func add(_ paths: [String], in folder: URL) {
    let bytes = paths.reduce(0) { sum, path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
      return sum + (attributes?[.size] as? Int ?? 0)
    }
    counts.withLock { $0 = ($0.requests + paths.count, $0.bytes + bytes) }
  }
}
