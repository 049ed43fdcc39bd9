public import Foundation
import RecordStore
import RecordSync

/// Runs conflict scenarios that are written as files: replicas, steps, and what all must agree on.
///
/// The runner knows no schema; each file brings its own (see SyncFixtures/README.md).
public struct ScenarioRunner: Sendable {
  /// A runner. It keeps nothing between files.
  public init() {}

  private static func item(at path: String) throws(ScenarioError) -> FileItem? {
    do {
      return try FileItem(at: path)
    } catch {
      throw ScenarioError("cannot look at \(path): \(String(cString: strerror(error.code.rawValue))); check the path")
    }
  }

  /// The scenario files of single files and of folders with all that lies below them, in order of their paths; hidden
  /// files are left out. Throws ``ScenarioError`` for a path that is not there or a folder without any.
  public static func files(at paths: [URL]) throws -> [URL] {
    try paths.flatMap { path -> [URL] in
      guard let item = try item(at: path.path) else {
        throw ScenarioError("there is nothing at \(path.path); give scenario files or folders of them")
      }
      guard item == .directory else { return [path] }
      let names = try FileManager.default.subpathsOfDirectory(atPath: path.path).filter { name in
        name.hasSuffix(".json") && !name.split(separator: "/").contains { $0.hasPrefix(".") }
      }
      let files = names.sorted().map { path.appending(path: $0) }
      guard !files.isEmpty else { throw ScenarioError("the folder \(path.path) holds no scenario (*.json)") }
      return files
    }
  }

  /// Runs one file. Whatever goes wrong is in the result, with the step's place.
  public func run(_ file: URL) async -> ScenarioResult {
    var result = ScenarioResult(file: file.path, id: "", title: "", failures: [])
    do {
      let scenario = try ScenarioParser.parse(try Self.contents(of: file))
      result.id = scenario.id
      result.title = scenario.title
      result.failures = try await run(scenario)
    } catch is CancellationError {
      result.failures = ["interrupted"]
    } catch {
      result.failures = ["\(error)"]
    }
    return result
  }

  private static func contents(of file: URL) throws(ScenarioError) -> Data {
    if try item(at: file.path) == .other { throw ScenarioError("it is no file; name a file in JSON") }
    do {
      return try Data(contentsOf: file)
    } catch {
      let reason = SystemErrorNumber.number(of: error).map { ": " + String(cString: strerror($0)) } ?? ""
      throw ScenarioError("the file cannot be read\(reason); check its path and permissions")
    }
  }

  /// Runs files, so many at once as `jobs` says, and shows each result in the order of the files.
  ///
  /// Throws what `show` throws, and `CancellationError`; whatever was written has been removed then.
  public func run(_ files: [URL], jobs: Int, show: (ScenarioResult) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: (Int, ScenarioResult).self) { group in
      var finished: [Int: ScenarioResult] = [:]
      var shown = 0
      for (index, file) in files.enumerated() {
        if index >= max(1, jobs), let (done, result) = try await group.next() { finished[done] = result }
        try Task.checkCancellation()
        while let result = finished.removeValue(forKey: shown) {
          try show(result)
          shown += 1
        }
        group.addTask { (index, await run(file)) }
      }
      for try await (done, result) in group {
        finished[done] = result
        try Task.checkCancellation()
        while let result = finished.removeValue(forKey: shown) {
          try show(result)
          shown += 1
        }
      }
    }
  }

  private func run(_ scenario: Scenario) async throws -> [String] {
    guard !scenario.orders.isEmpty else { return try await run(scenario, last: .none).failures }
    var first: [String]?
    for order in scenario.orders {
      let outcome = try await run(scenario, last: .streams(order))
      let place = "delivered in the order \(order.joined(separator: " ")): "
      if !outcome.failures.isEmpty { return outcome.failures.map { place + $0 } }
      if let first, let difference = ScenarioRunner.difference(first, outcome.dump) { return [place + difference] }
      first = first ?? outcome.dump
    }
    return scenario.permutesFiles ? try await runFileByFile(scenario, expected: first ?? []) : []
  }

  private func runFileByFile(_ scenario: Scenario, expected: [String]) async throws -> [String] {
    let seed = FileOrders.seed(of: scenario.id)
    var (number, count) = (0, 1)
    while number < count {
      let outcome = try await run(scenario, last: .files(number: number, seed: seed))
      let drawn = outcome.mostFiles > FileOrders.exhaustive ? ", drawn with the seed \(seed)" : ""
      let place = "delivered file by file in the order number \(number)\(drawn): "
      if !outcome.failures.isEmpty { return outcome.failures.map { place + $0 } }
      if let difference = ScenarioRunner.difference(expected, outcome.dump) { return [place + difference] }
      count = FileOrders.count(of: outcome.mostFiles)
      number += 1
    }
    return []
  }

  /// The exchange that follows the steps.
  private enum LastExchange {
    case none
    /// The authors' streams, one after the other.
    case streams([String])
    case files(number: Int, seed: UInt64)
  }

  private struct Outcome {
    var failures: [String]
    /// The dump of the first replica.
    var dump: [String]
    /// How many files a receiver got at most, file by file.
    var mostFiles = 0
  }

  private func run(_ scenario: Scenario, last: LastExchange) async throws -> Outcome {
    let world = try ScenarioWorld(scenario)
    world.keepsUpdatesOfUnknownRecords = !scenario.refusesUnknownUpdates
    let outcome: Outcome
    do {
      outcome = try await run(world, last: last)
    } catch {
      try world.remove()
      throw error
    }
    try world.remove()
    return outcome
  }

  private func run(_ world: ScenarioWorld, last: LastExchange) async throws -> Outcome {
    try world.enterNames()
    for step in world.scenario.steps {
      try Task.checkCancellation()
      try await world.run(step)
    }
    var mostFiles = 0
    var mustBeEqual = true
    switch last {
    case .none: mustBeEqual = false
    case .streams(let order): try await world.exchangeLast(in: order)
    case .files(let number, let seed): mostFiles = try await world.exchangeFiles(orderNumber: number, seed: seed)
    }
    var failures = try world.check(world.scenario.expect)
    for replica in world.replicas {
      failures += try replica.store.integrityViolations().map { "on \(replica.name): the store violates \($0)" }
    }
    let dumps = try world.replicas.map { try CanonicalDump.lines(of: $0.store) }
    if mustBeEqual {
      for (replica, dump) in zip(world.replicas, dumps).dropFirst() {
        guard let difference = ScenarioRunner.difference(dumps[0], dump) else { continue }
        failures.append("\(world.replicas[0].name) and \(replica.name) differ: \(difference)")
      }
    }
    return Outcome(failures: failures, dump: dumps[0], mostFiles: mostFiles)
  }

  /// The first line in which two dumps differ.
  private static func difference(_ left: [String], _ right: [String]) -> String? {
    guard left != right else { return nil }
    let index = zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(left.count, right.count)
    let line = { (lines: [String]) in index < lines.count ? lines[index] : "nothing" }
    return "\(line(left)) against \(line(right))"
  }
}
