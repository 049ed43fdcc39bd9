import Foundation
import Tandem

/// What one record that meets a rule costs a large save of others that do not.
struct CliffBenchmark {
  let bench: Workbench
  let count: Int

  func all() throws -> [Ceiling] {
    let changed = min(10_000, count)
    let (inserts, updates) = (try inserts(), try updates(changed))
    return [
      Ceiling("\(Self.grouped(count)) inserts, one value taken / none", unit: "×", figure: inserts, most: 1.1),
      Ceiling("\(Self.grouped(changed)) updates, one refused / none", unit: "×", figure: updates, most: 1),
    ]
  }

  private static func grouped(_ count: Int) -> String { ComparisonTable.grouped(Double(count)) }

  /// The median of the rounds, each of which takes both ways in turn.
  private func ratio(_ seconds: (_ meetsRule: Bool, _ round: Int) throws -> Double) throws -> Double {
    let ratios = try bench.times { round in try seconds(true, round) / seconds(false, round) }
    return ratios.sorted()[ratios.count / 2]
  }

  private func inserts() throws -> Double {
    let rows = Dataset(count: count + 1).subscriptions
    return try ratio { meetsRule, round in
      let container = try bench.container("inserts \(meetsRule) \(round)")
      try Workbench.insert(rows[..<1], into: container)
      let context = Workbench.context(container)
      for row in rows[1...] { context.insert(Subscription(row)) }
      if meetsRule {
        var row = rows[count]
        row.id = rows[0].id
        context.insert(Subscription(row))
      }
      return try Stopwatch.seconds { try context.save() }.0
    }
  }

  private func updates(_ count: Int) throws -> Double {
    let rows = Dataset(count: count).subscriptions
    let container = try bench.container("updates")
    try Workbench.insert(rows[...], into: container)
    return try ratio { meetsRule, round in
      let context = Workbench.context(container)
      let objects = try context.fetch(FetchDescriptor<Subscription>(sortBy: [SortDescriptor(\.createdAt)]))
      for object in objects { object.amount = Double(round * 2 + (meetsRule ? 1 : 0)) }
      guard meetsRule else { return try Stopwatch.seconds { try context.save() }.0 }
      objects[count / 2].id = rows[0].id
      let (seconds, isRefused) = Stopwatch.seconds { (try? context.save()) == nil }
      guard isRefused else { throw BenchmarkError("a save that gives away a unique value was not refused") }
      return seconds
    }
  }
}
