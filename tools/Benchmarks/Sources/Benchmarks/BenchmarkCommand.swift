import ArgumentParser
import Foundation

/// Runs all benchmarks, or plays the second process of the latency benchmark.
@main
struct BenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tools/bench",
    abstract: "Measures Tandem: medians over several runs. Use ratios: absolute numbers follow the machine's disk.")

  @Option(help: "Records in the store benchmarks.")
  var records = 20_000
  @Option(help: "Changes in the synchronisation benchmarks.")
  var changes = 20_000
  @Option(help: "Runs of each benchmark; one more warms up.")
  var runs = 5
  @Flag(help: "Print JSON, for programs.")
  var json = false
  @Option(parsing: .upToNextOption, help: "Only these groups.")
  var only: [Group] = Group.allCases

  enum Group: String, CaseIterable, ExpressibleByArgument {
    case store, sync, latency, mysubguard
  }
  @Option(help: .hidden)
  var watch: String?

  func validate() throws {
    guard records >= 100, changes >= 100, runs >= 1 else {
      throw ValidationError("--records and --changes start at 100, --runs at 1")
    }
  }

  func run() async throws {
    if let watch { return try await Watcher(device: URL(filePath: watch)).run() }
    let bench = try Workbench(runs: runs)
    defer { Self.remove(bench) }
    var results: [Measurement] = []
    for group in only {
      let measured = try await measure(group, bench)
      if !json { for result in measured { print(Self.line(result)) } }
      results += measured
    }
    if json { try Self.printJSON(results) }
  }

  private func measure(_ group: Group, _ bench: Workbench) async throws -> [Measurement] {
    switch group {
    case .store: try StoreBenchmarks(bench: bench, records: records).all()
    case .sync: try await SyncBenchmarks(bench: bench, changes: changes).all()
    case .latency: try LatencyBenchmark(bench: bench).all()
    case .mysubguard: try SubscriptionBenchmarks(bench: bench).all()
    }
  }

  private static func remove(_ bench: Workbench) {
    do {
      try bench.remove()
    } catch {
      FileHandle.standardError.write(Data("tools/bench: \(bench.folder.path) is left over: \(error)\n".utf8))
    }
  }

  private static func printJSON(_ results: [Measurement]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(results), as: UTF8.self))
  }

  private static func line(_ result: Measurement) -> String {
    func pad(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let name = result.name + String(repeating: " ", count: max(1, 36 - result.name.count))
    let rate = pad(grouped(result.perSecond) + " \(result.unit)/s", 22)
    let each = pad(grouped(result.nanosecondsEach) + " ns", 16)
    let spread = pad("±\(Int((result.spread * 50).rounded())) %", 7)
    let bytes = result.fileBytes.map { pad(grouped(Double($0) / 1024) + " KiB", 14) } ?? ""
    return name + rate + each + spread + bytes
  }

  /// Whole numbers in groups of three.
  private static func grouped(_ value: Double) -> String {
    var digits = String(Int(value.rounded()))
    for offset in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: offset))
    }
    return digits
  }
}
