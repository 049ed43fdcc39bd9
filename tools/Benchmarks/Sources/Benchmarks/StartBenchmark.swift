import CPeers
import Foundation

/// How long `tandem`, as it is built for release, takes from its start to its end where it has next to nothing to do.
struct StartBenchmark {
  let bench: Workbench
  /// The program.
  let tandem: URL

  static let place = ".build/release/tandem"

  /// A sentence where the program is not there.
  var missing: String? {
    guard !FileManager.default.isExecutableFile(atPath: tandem.path) else { return nil }
    return "\(tandem.path) is not built, so its start is left out: 'tools/build -c release --product tandem' builds it"
  }

  func all() throws -> [Ceiling] {
    let device = bench.folder.appending(path: "start")
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    _ = try seconds(["put", "theme", "dark", "--device", device.path])
    return [
      try ceiling("tandem --version", ["--version"], most: 10),
      try ceiling("tandem get, one key", ["get", "theme", "--device", device.path], most: 20),
    ]
  }

  private func ceiling(_ name: String, _ arguments: [String], most: Double) throws -> Ceiling {
    // One is over at once.
    let taken = try (0..<10).flatMap { _ in try bench.times { _ in try seconds(arguments) } }
    return Ceiling(name, unit: "ms", figure: Measurement.median(taken) * 1e3, most: most)
  }

  private func seconds(_ arguments: [String]) throws -> Double {
    let seconds = process_run(tandem.path, arguments.joined(separator: "\n"))
    guard seconds >= 0 else { throw BenchmarkError("'tandem \(arguments[0])' failed") }
    return seconds
  }
}
