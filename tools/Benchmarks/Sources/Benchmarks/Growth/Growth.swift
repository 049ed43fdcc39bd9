import Foundation
import Tandem

/// What each operation costs as the store grows: ours alone, one size after another.
struct Growth: Codable {
  struct Series: Codable {
    var name: String
    /// What one operation is: a record, a fetch, an opening.
    var unit: String
    /// Nanoseconds of one operation at each size.
    var nanoseconds: [Double]
  }

  var records: [Int]
  var series: [Series]
  /// Bytes of the data file at each size.
  var fileBytes: [Int]

  init(upTo largest: Int, runs: Int) throws {
    records = sequence(first: 1_000) { $0 < largest ? $0 * 10 : nil }.filter { $0 <= largest }
    series = []
    fileBytes = []
    for count in records {
      let bench = try Workbench(runs: runs)
      let size = try GrowthStep(bench: bench, count: count)
      for (name, unit, seconds, operations) in try size.measurements() {
        let each = seconds / Double(operations) * 1e9
        if let place = series.firstIndex(where: { $0.name == name }) {
          series[place].nanoseconds.append(each)
        } else {
          series.append(Series(name: name, unit: unit, nanoseconds: [each]))
        }
      }
      fileBytes.append(try Workbench.bytes(below: bench.folder))
      try bench.remove()
    }
  }

  /// The table for people.
  var lines: [String] {
    let bytesEach = zip(fileBytes, records).map { Double($0) / Double($1) }
    var lines = [Self.line("nanoseconds each", records.map(Double.init))]
    for one in series {
      lines.append(Self.line("\(one.name), a \(one.unit)", one.nanoseconds))
    }
    lines.append(Self.line("bytes a record", bytesEach))
    return lines
  }

  private static func line(_ title: String, _ figures: [Double]) -> String {
    let cells = figures.map { ComparisonTable.leading(ComparisonTable.grouped($0), 14) }
    return title.padding(toLength: 40, withPad: " ", startingAt: 0) + cells.joined()
  }
}

/// One size.
private struct GrowthStep {
  typealias Figure = (name: String, unit: String, seconds: Double, operations: Int)

  let bench: Workbench
  let data: Dataset
  let insertSeconds: Double

  init(bench: Workbench, count: Int) throws {
    self.bench = bench
    data = Dataset(count: count)
    let rows = data.subscriptions
    insertSeconds = try Stopwatch.seconds {
      try Workbench.insert(rows[...], into: bench.container("growth"))
    }.0
  }

  func measurements() throws -> [Figure] {
    let count = data.subscriptions.count
    let container = try bench.container("growth")
    let ids = data.randomIndices(1_000).map { data.subscriptions[$0].id }
    let days = (0..<100).map { Date(timeIntervalSinceReferenceDate: Double($0 * 34) * 86_400) }
    return [
      ("insert in one save", "record", insertSeconds, count),
      ("point fetch by unique attribute", "fetch", try median(container) { try Self.fetch(ids, $0) }, ids.count),
      ("fetch all", "record", try median(container) { _ = try $0.fetch(FetchDescriptor<Subscription>()) }, count),
      ("indexed range, limit 100", "query", try median(container) { try Self.ranges(days, $0) }, days.count),
      ("count, unindexed filter", "record", try median(container) { try Self.count($0) }, count),
      ("sum", "record", try median(container) { _ = try $0.aggregate(.sum(of: \Subscription.amount)) }, count),
    ]
  }

  private func median(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws -> Double {
    Measurement.median(
      try bench.times { _ in
        let context = Workbench.context(container)
        return try Stopwatch.seconds { try body(context) }.0
      })
  }

  private static func fetch(_ ids: [UUID], _ context: ModelContext) throws {
    for id in ids {
      let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
      try ReadComparisons.expect(found.count == 1)
    }
  }

  private static func ranges(_ days: [Date], _ context: ModelContext) throws {
    for (number, day) in days.enumerated() {
      let category = Category.allCases[number % 2]
      var descriptor = FetchDescriptor<Subscription>(
        predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
        sortBy: [SortDescriptor(\.nextBillingDate)])
      descriptor.fetchLimit = 100
      _ = try context.fetch(descriptor)
    }
  }

  private static func count(_ context: ModelContext) throws {
    let limit = 50.0
    _ = try context.fetchCount(FetchDescriptor<Subscription>(predicate: #Predicate { $0.amount > limit }))
  }
}
