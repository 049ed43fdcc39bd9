import ArgumentParser
import CPeers
import Foundation
import RecordStore

/// Runs all benchmarks, or plays one of the processes that some of them need. Why it is not asynchronous: ``Waiting``.
@main
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tools/bench",
    abstract: "Measures Tandem beside its peers, in turn on the same data: medians, spread, and how many times faster.",
    discussion: """
      Use ratios: absolute numbers follow the machine and its disk.

      tools/bench --compare REV …     builds another revision and runs both in turn
      tools/bench --overhead …        builds once more without history and stamps: what both cost a save
      tools/bench --chart FILE …      draws ours beside the peers, too

      Thresholds are files below tools/Benchmarks/Thresholds. --check measures the ratios of ratios.json, \
      --instructions counts what instructions.json keeps, under valgrind; each ends with 1 and a sentence for what is \
      worse than its threshold and margin. With --keep it writes what it measured as the new thresholds.

      --watch starts a process that watches a folder as 'tandem sync --watch' does, brings saves of another device \
      there, and says how soon each is merged, from the moment when its file has a name in the folder; then what the \
      process costs while nothing happens. It ends with 1 where an aim is missed.

      Relative paths begin at the top of the repository. Stores lie in a folder below TMPDIR, which goes with the \
      command.

      Ends with 0 when all was measured, whether or not other aims are reached; with 1 when something failed or a \
      threshold does not hold; with 64 when it does not understand what it shall do; with 130 after Ctrl-C.
      """)

  @Option(help: "Records in the comparisons.")
  var records = 20_000
  @Option(help: "Changes in the comparisons of synchronisation.")
  var changes = 20_000
  @Option(help: "Rounds of each benchmark; one more warms up.")
  var runs = 5
  @Flag(help: "Print JSON, for programs.")
  var json = false
  @Flag(help: "Run our side only, for profilers.")
  var alone = false
  @Option(help: "Only comparisons whose name contains this; groups without comparisons are left out.")
  var named: String?
  @Option(parsing: .upToNextOption, help: "Only these groups.")
  var only: [Group] = Group.allCases

  @Option(help: "Draw what is measured beside the peers into this file (SVG), too.")
  var chart: String?
  @Option(help: "Measure growth from 1,000 to --records, and draw it into this file (SVG).")
  var growth: String?
  @Option(help: "Measure synchronising with 1 to --replicas replicas, and draw it into this file (SVG).")
  var scale: String?
  @Option(help: "The largest number of replicas of --scale; powers of ten come before.")
  var replicas = 100
  @Flag(help: "Measure how soon a process that watches a folder merges what arrives, and what it costs while idle.")
  var watch = false
  @Option(help: "Saves that --watch brings.")
  var saves = 20
  @Option(help: "Seconds without any in which --watch measures the idle process; 86400 are a day.")
  var idle = 60
  @Flag(help: "Measure all ratios, and compare them with their thresholds.")
  var check = false
  @Flag(help: "Count instructions and allocations of the hot paths, and compare them with their thresholds.")
  var instructions = false
  @Flag(help: "With --check or --instructions: write the thresholds anew.")
  var keep = false
  @Option(help: "The folder of the files of thresholds.")
  var thresholds = "tools/Benchmarks/Thresholds"

  @Option(help: "The program that the group 'start' starts.")
  var tandem = StartBenchmark.place
  @Option(help: "The library of ObjectBox 4.0, which --fetch fetches.")
  var objectbox = ObjectBoxLibrary.place

  enum Group: String, CaseIterable, ExpressibleByArgument {
    case insert, cliffs, memory, reads, aggregates, writes, purchases, sync, mixes, opening, size, start, latency
    case mysubguard, astrosvitla, appstore
    case firstSync = "first-sync"

    var hasRatios: Bool { hasComparisons || self == .size }
    /// Whether `--named` finds something in it.
    var hasComparisons: Bool {
      switch self {
      case .insert, .reads, .aggregates, .writes, .purchases, .sync, .mixes, .opening: true
      case .cliffs, .memory, .firstSync, .size, .start, .latency, .mysubguard, .astrosvitla, .appstore: false
      }
    }
  }
  @Option(help: .hidden)
  var fill: String?
  // With --fill: rows instead of objects, so many in a chunk, 0 for one save.
  @Option(help: .hidden)
  var rows: Int?
  @Option(help: .hidden)
  var replayBefore: String?
  @Option(help: .hidden)
  var replayAfter: String?
  @Option(help: .hidden)
  var watchStore: String?
  @Option(help: .hidden)
  var widget: String?
  @Option(help: .hidden)
  var peerWidget: String?
  @Option(help: .hidden)
  var follow: String?
  @Option(help: .hidden)
  var followFolder: String?
  @Option(help: .hidden)
  var firstSync: String?
  @Option(help: .hidden)
  var firstSyncFolder: String?
  @Option(help: .hidden)
  var family: String?
  @Option(help: .hidden)
  var scaleSync: String?
  @Option(help: .hidden)
  var scaleFolder: String?
  // `tools/bench --compare` builds the other revision first.
  @Option(help: .hidden)
  var against: String?
  // `tools/bench --overhead` builds this program without history and stamps first.
  @Option(help: .hidden)
  var bare: String?
  @Flag(help: .hidden)
  var hotPaths = false

  func validate() throws {
    guard !keep || check || instructions else { throw ValidationError("--keep goes with --check or --instructions") }
    let kinds = [growth != nil, scale != nil, watch, check, instructions, against != nil, bare != nil]
    guard kinds.count(where: \.self) <= 1 else {
      throw ValidationError(
        "--growth, --scale, --watch, --check, --instructions, --compare and --overhead do not go together")
    }
    guard chart == nil || !alone && kinds.allSatisfy({ !$0 }) else {
      throw ValidationError("--chart draws peers: it goes neither with --alone nor with another kind of run")
    }
    let sizes = 100...10_000_000
    guard (1...1_000).contains(replicas) else { throw ValidationError("--replicas is from 1 to 1000") }
    guard (1...10_000).contains(saves), (1...10_000_000).contains(idle) else {
      throw ValidationError("--saves is from 1 to 10000, --idle from 1 to 10000000 seconds")
    }
    guard sizes.contains(records), sizes.contains(changes), (1...1000).contains(runs) else {
      throw ValidationError("--records and --changes go from 100 to 10000000, --runs from 1 to 1000")
    }
  }

  func run() throws {
    Self.setUpProcess()
    if hotPaths { return try HotPathRun().run() }
    if let watchStore { return try Waiting.wait { try await Watcher(device: URL(filePath: watchStore)).run() } }
    if let follow, let followFolder {
      let follower = Follower(device: URL(filePath: follow), folder: URL(filePath: followFolder))
      return try Waiting.wait { await follower.run() }
    }
    if let widget { return try Waiting.wait { try await Widget(device: URL(filePath: widget)).run() } }
    if let peerWidget { return try Widget.runPeer(URL(filePath: peerWidget)) }
    if let fill { return try Filler(device: URL(filePath: fill), count: records, rows: rows).run() }
    if let replayBefore, let replayAfter {
      return try Replayer(before: URL(filePath: replayBefore), after: URL(filePath: replayAfter)).run()
    }
    if let firstSync { return try work(on: firstSync) }
    if let scaleSync, let scaleFolder {
      let worker = ScaleWorker(device: URL(filePath: scaleSync), folder: URL(filePath: scaleFolder))
      return try Waiting.wait { try await worker.run() }
    }
    if let against { return try compare(with: URL(filePath: against)) }
    if let bare { return try overhead(beside: URL(filePath: bare)) }
    if let growth { return try measureGrowth(URL(filePath: growth)) }
    if let scale { return try measureScale(URL(filePath: scale)) }
    if watch { return try measureWatch() }
    if instructions { return try checkInstructions() }
    if check { return try checkRatios() }
    let chart = chart.map { URL(filePath: $0) }
    try chart?.expectWritable()
    try Waiting.wait {
      if !json { print(ComparisonTable.head) }
      let report = try await measureAll()
      if let chart { try Data(PeersChart(report).svg.utf8).write(to: chart) }
      if json { try Self.printJSON(report) }
      if named != nil, report.comparisons.isEmpty { throw BenchmarkError("no comparison has such a name") }
    }
  }

  private func work(on name: String) throws {
    guard let step = FirstSyncStep(rawValue: name), let folder = firstSyncFolder,
      let family = family.flatMap(RecordID.init)
    else { throw ValidationError("--first-sync is for processes that this program starts") }
    let worker = FirstSyncWorker(
      step: step, places: FirstSyncPlaces(folder: URL(filePath: folder)), family: family, count: records)
    try Waiting.wait { try await worker.run() }
  }

  /// Processes that this program starts end with it; they know by the environment that they are such.
  private static func setUpProcess() {
    process_prints_by_line()
    let mark = "TANDEM_BENCHMARK_IS_CHILD"
    if getenv(mark) != nil { process_ends_with_parent() }
    setenv(mark, "1", 1)
  }

  func measureAll() async throws -> BenchmarkReport {
    let library = alone ? nil : ObjectBoxLibrary(path: objectbox)
    if !alone, library == nil { Self.say(ObjectBoxLibrary.missing) }
    if library != nil, !json { print(ObjectBoxLibrary.note) }
    let bench = try Workbench(runs: runs, isAlone: alone, nameFilter: named, objectBox: library)
    defer { Self.remove(bench) }
    var report = BenchmarkReport(records: records, changes: changes, runs: runs)
    for group in only where named == nil || group.hasComparisons { try await measure(group, bench, &report) }
    return report
  }

  private func compare(with other: URL) throws {
    var arguments = ["--records", "\(records)", "--changes", "\(changes)"]
    // Another revision may not have all groups.
    if only != Group.allCases { arguments += ["--only"] + only.map(\.rawValue) }
    if let named { arguments += ["--named", named] }
    let lines = try RevisionComparison(other: other, rounds: runs, arguments: arguments).run()
    if json { return try Self.printJSON(lines) }
    print("how many times faster than the other revision, the median of \(runs) rounds")
    for line in lines {
      let name = line.name.padding(toLength: 44, withPad: " ", startingAt: 0)
      print(name + ComparisonTable.leading(String(format: "× %.2f", line.ratio), 10))
    }
  }

  /// What history and stamps cost, as (a save with both / one without).
  private func overhead(beside other: URL) throws {
    let saves = [
      ["--only", "insert"], ["--only", "writes", "--named", "durable save of one record"],
      ["--only", "writes", "--named", "durable saves of 100 records"],
    ]
    let lines = try saves.flatMap { arguments in
      let arguments = ["--records", "\(records)"] + arguments
      return try RevisionComparison(other: other, rounds: runs, arguments: arguments).run()
    }
    let costs = lines.map { Ceiling($0.name, unit: "×", figure: 1 / $0.ratio, most: 1.4) }
    if json { return try Self.printJSON(costs) }
    print("how many times as long with history and stamps, the median of \(runs) rounds")
    costs.forEach { print($0.line) }
  }

  private func measureGrowth(_ file: URL) throws {
    try file.expectWritable()
    let growth = try Growth(upTo: records, runs: runs)
    if json { try Self.printJSON(growth) } else { growth.lines.forEach { print($0) } }
    let chart = GrowthChart(
      title: "Time of one operation by the number of records", counts: growth.records, series: growth.series)
    try Data(chart.svg.utf8).write(to: file)
  }

  private func measureScale(_ file: URL) throws {
    try file.expectWritable()
    try Waiting.wait {
      let scale = try await Scale(upTo: replicas, records: records, runs: runs)
      if !json { scale.lines.forEach { print($0) } }
      try Data(scale.chart.svg.utf8).write(to: file)
      let bench = try Workbench(runs: runs)
      defer { Self.remove(bench) }
      let year = try await ScaleYear(bench: bench, records: records).ceilings()
      if json { try Self.printJSON(ScaleReport(scale: scale, year: year)) } else { year.forEach { print($0.line) } }
    }
  }

  private func measureWatch() throws {
    if let warning = MachineLoad.warning("a watch that waits for a processor is late") { Self.say(warning) }
    let bench = try Workbench(runs: runs)
    defer { Self.remove(bench) }
    let ceilings = try WatchBenchmark(bench: bench, saves: saves, idleSeconds: idle).all()
    if json { try Self.printJSON(ceilings) } else { ceilings.forEach { print($0.line) } }
    if ceilings.contains(where: { $0.isReached == false }) { throw ExitCode.failure }
  }

  private func measure(_ group: Group, _ bench: Workbench, _ report: inout BenchmarkReport) async throws {
    let data = { Dataset(count: records) }
    switch group {
    case .insert: add(try InsertComparison(bench: bench, data: data()).all(), to: &report)
    case .cliffs: try await CliffBenchmark(bench: bench, count: records).all().forEach { add($0, to: &report) }
    case .memory: try addMemory(bench, to: &report)
    case .reads:
      let arena = try Arena("reads", bench: bench, data: data())
      add(try ReadComparisons(arena: arena).all() + PreparedComparisons(arena: arena).all(), to: &report)
    case .aggregates:
      add(try AggregateComparisons(arena: Arena("aggregates", bench: bench, data: data())).all(), to: &report)
    case .writes: add(try WriteComparisons(bench: bench, data: data()).all(), to: &report)
    case .purchases: add(try PurchaseComparisons(bench: bench, count: records).all(), to: &report)
    case .sync: try await addSync(bench, to: &report)
    case .mixes:
      let outcome = try await Mixes(bench: bench, data: data()).all()
      add(outcome.comparisons, to: &report)
      outcome.ceilings.forEach { add($0, to: &report) }
    case .firstSync:
      try await FirstSyncBenchmark(bench: bench, count: records).all().forEach { add($0, to: &report) }
    case .opening:
      let outcome = try OpenComparison(bench: bench, data: data()).all()
      add(outcome.comparisons, to: &report)
      outcome.ceilings.forEach { add($0, to: &report) }
    case .size:
      let sizes = try StoreSizes(bench: bench, data: data())
      report.sizes = sizes
      if !json { sizes.lines.forEach { print($0) } }
    case .start:
      let start = StartBenchmark(bench: bench, tandem: URL(filePath: tandem))
      if let missing = start.missing { Self.say(missing) } else { try start.all().forEach { add($0, to: &report) } }
    case .latency:
      let outcome = try LatencyBenchmark(bench: bench).all()
      add(outcome.measurements, to: &report)
      outcome.ceilings.forEach { add($0, to: &report) }
    case .mysubguard:
      // Each line has its bound; the measurements are for `--json` and for comparisons of revisions.
      let outcome = try SubscriptionBenchmarks(bench: bench).all()
      report.measurements += outcome.measurements
      outcome.ceilings.forEach { add($0, to: &report) }
    case .astrosvitla:
      let deliveries = try await DeliveryBenchmarks(bench: bench).all()
      let credits = try await CreditBenchmarks(bench: bench).all()
      add(deliveries.measurements + credits.measurements, to: &report)
      (deliveries.ceilings + credits.ceilings).forEach { add($0, to: &report) }
    case .appstore: add(try await AppStoreBenchmarks(bench: bench).all(), to: &report)
    }
  }

  private func addSync(_ bench: Workbench, to report: inout BenchmarkReport) async throws {
    let outcome = try await SyncComparisons(bench: bench, count: changes).all()
    add(outcome.comparisons, to: &report)
    guard let ours = outcome.bytesPerChange.first, let theirs = outcome.bytesPerChange.last else { return }
    report.bytesPerChange = outcome.bytesPerChange
    let name = String(format: "bytes of a change, %.0f, beside SQLite's %.0f", ours, theirs)
    add(Ceiling(name, unit: "×", figure: ours / theirs, most: 0.5), to: &report)
  }

  private func addMemory(_ bench: Workbench, to report: inout BenchmarkReport) throws {
    let benchmark = MemoryBenchmark(bench: bench, count: records)
    let memory = try benchmark.run()
    report.peakBytes = memory.peak
    report.peakBytesBeforeSave = memory.beforeSave
    let grouped = ComparisonTable.grouped(Double(records))
    if !json { print("memory of \(grouped) objects before their save: \(memory.beforeSave >> 20) MB") }
    // Memory that does not grow with the save is what is aimed at: a smaller save says nothing of it.
    let most: Double? = records >= 1_000_000 ? 400 : nil
    let name = "peak memory of \(grouped) in one save"
    add(Ceiling(name, unit: "MB", figure: Double(memory.peak >> 20), most: most), to: &report)
    for (form, chunk, most) in [("in chunks", 10_000, 150), ("in one save", nil, nil)] as [(String, Int?, Double?)] {
      let peak = try benchmark.peakOfRows(chunk: chunk)
      let name = "own memory of \(grouped) rows, \(form)"
      add(
        Ceiling(name, unit: "MB", figure: Double(peak >> 20), most: records >= 1_000_000 ? most : nil), to: &report)
    }
    let limit = try benchmark.peakOfReplay()
    add(
      Ceiling("LMDB alone, the changes of that save", unit: "MB", figure: Double(limit >> 20), most: nil), to: &report)
  }

  private func add(_ ceiling: Ceiling, to report: inout BenchmarkReport) {
    report.ceilings.append(ceiling)
    if !json { print(ceiling.line) }
  }

  private func add(_ comparisons: [Comparison], to report: inout BenchmarkReport) {
    let comparisons = comparisons.filter { !$0.sides.isEmpty }
    report.comparisons += comparisons
    if !json { comparisons.flatMap(ComparisonTable.lines).forEach { print($0) } }
  }

  private func add(_ measurements: [Measurement], to report: inout BenchmarkReport) {
    report.measurements += measurements
    if !json { measurements.forEach { print(Self.line($0)) } }
  }

  static func remove(_ bench: Workbench) {
    do {
      try bench.remove()
    } catch {
      FileHandle.standardError.write(Data("tools/bench: \(bench.folder.path) is left over: \(error)\n".utf8))
    }
  }

  static func printJSON(_ report: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
  }

  private static func line(_ result: Measurement) -> String {
    let name = result.name + String(repeating: " ", count: max(1, 36 - result.name.count))
    let each = ComparisonTable.leading(ComparisonTable.grouped(result.nanosecondsEach) + " ns", 16)
    let spread = ComparisonTable.leading(ComparisonTable.spread(result), 8)
    return name + each + spread
  }
}
