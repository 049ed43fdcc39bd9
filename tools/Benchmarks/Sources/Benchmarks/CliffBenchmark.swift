import Foundation
import RecordSync
import Tandem

/// What one record that meets a rule costs a large save or merge of others that do not.
struct CliffBenchmark {
  let bench: Workbench
  let count: Int

  func all() async throws -> [Ceiling] {
    let changed = min(10_000, count)
    let (inserts, updates, merges) = (try inserts(), try updates(changed), try await merges())
    return [
      Ceiling("\(Self.grouped(count)) inserts, one value taken / none", unit: "×", figure: inserts, most: 1.1),
      Ceiling("\(Self.grouped(changed)) updates, one refused / none", unit: "×", figure: updates, most: 1),
      Ceiling("merge of \(Self.grouped(count)), three meet rules / none", unit: "×", figure: merges, most: 1.1),
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

  private func merges() async throws -> Double {
    var ratios: [Double] = []
    for round in -1..<bench.runs {
      let ratio = try await merge(meetsRules: true, round) / merge(meetsRules: false, round)
      if round >= 0 { ratios.append(ratio) }
    }
    return ratios.sorted()[ratios.count / 2]
  }

  /// Half updates and half inserts of one device, taken in by another. Where they meet rules, both devices have edited
  /// one record, both have given one unique value to a new one, and a purchase goes with its credits.
  private func merge(meetsRules: Bool, _ round: Int) async throws -> Double {
    let rows = SyncComparisons.rows(count)
    let half = count / 2
    let name = "merge \(meetsRules) \(round)"
    let exchange = bench.folder.appending(path: "exchange \(name)")
    let (sender, receiver) = (try bench.container("sender \(name)"), try bench.container("receiver \(name)"))
    let family = sender.store.storeID
    try Workbench.insert(rows[..<half], into: sender)
    var generator = SplitMix(seed: 5)
    let context = Workbench.context(sender)
    let purchase = PurchaseRecord(PurchaseRow(number: 1, using: &generator))
    context.insert(purchase)
    for ordinal in 0..<PurchaseRow.creditsEach { context.insert(PurchaseCredit(ordinal: ordinal, purchase: purchase)) }
    try context.save()
    _ = try await SyncComparisons.engine(sender, exchange, family).export()
    _ = try await SyncComparisons.engine(receiver, exchange, family).import()
    if meetsRules {
      let context = Workbench.context(receiver)
      let edited = try context.fetch(FetchDescriptor<Subscription>(sortBy: [SortDescriptor(\.createdAt)]))[0]
      edited.amount += 5
      context.insert(Subscription(rows[count - 1]))
      try context.save()
    }
    try SyncComparisons.update(sender, by: 1)
    try Workbench.insert(rows[half...], into: sender)
    if meetsRules {
      context.delete(purchase)
      try context.save()
    }
    _ = try await SyncComparisons.engine(sender, exchange, family).export()
    let start = Stopwatch.now()
    let report = try await SyncComparisons.engine(receiver, exchange, family).import()
    let seconds = Double(Stopwatch.now() - start) / 1e9
    guard (report.conflicts > 0) == meetsRules else {
      throw BenchmarkError("a merge logged \(report.conflicts) conflicts where \(meetsRules ? "some" : "none") are due")
    }
    return seconds
  }
}
