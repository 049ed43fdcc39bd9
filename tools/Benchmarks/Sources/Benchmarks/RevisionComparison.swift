import Foundation

/// This program and that of another revision, one round of each in turn: how many times faster this one is.
struct RevisionComparison {
  /// The other revision's program.
  let other: URL
  let rounds: Int
  /// What to measure, as both programs understand it.
  let arguments: [String]

  /// A benchmark's name, and the median over the rounds of (its time there / its time here).
  struct Line: Encodable {
    let name: String
    let ratio: Double
  }

  func run() throws -> [Line] {
    guard let here = Bundle.main.executableURL else { throw BenchmarkError("this program does not find itself") }
    var names: [String] = []
    var ratios: [String: [Double]] = [:]
    for round in 0..<rounds {
      // The first revision changes, as between the sides of a comparison.
      let isOtherFirst = round % 2 == 1
      let first = try Self.measure(isOtherFirst ? other : here, arguments)
      let second = try Self.measure(isOtherFirst ? here : other, arguments)
      let (ours, theirs) = isOtherFirst ? (second, first) : (first, second)
      if names.isEmpty { names = ours.names.filter { theirs.seconds[$0] != nil } }
      for name in names {
        guard let own = ours.seconds[name], let others = theirs.seconds[name] else { continue }
        ratios[name, default: []].append(others / own)
      }
    }
    return names.map { Line(name: $0, ratio: Measurement.median(ratios[$0] ?? [])) }
  }

  private struct Report: Decodable {
    struct Timed: Decodable { let medianSeconds: Double }
    struct Side: Decodable { let measurement: Timed }
    struct Compared: Decodable {
      let name: String
      let sides: [Side]
    }
    struct Measured: Decodable {
      let name: String
      let medianSeconds: Double
    }
    let comparisons: [Compared]
    let measurements: [Measured]
  }

  private static func measure(
    _ program: URL, _ arguments: [String]
  ) throws -> (names: [String], seconds: [String: Double]) {
    let process = Process()
    process.executableURL = program
    process.arguments = ["--alone", "--json", "--runs", "1"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("\(program.path) ended with code \(process.terminationStatus)")
    }
    let report = try JSONDecoder().decode(Report.self, from: data)
    let pairs =
      report.comparisons.compactMap { compared in compared.sides.first.map { (compared.name, $0.measurement) } }
      .map { ($0, $1.medianSeconds) } + report.measurements.map { ($0.name, $0.medianSeconds) }
    return (pairs.map(\.0), Dictionary(pairs) { first, _ in first })
  }
}
