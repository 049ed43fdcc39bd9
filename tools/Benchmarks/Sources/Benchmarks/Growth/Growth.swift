import Foundation
import Tandem

/// What each operation costs as the store grows: ours alone, one size after another.
///
/// Of several runs the fastest counts: what other programs take of the machine differs from size to size, and would be
/// taken for growth.
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
      defer { BenchmarkCommand.remove(bench) }
      let size = try GrowthStep(bench: bench, count: count)
      for (name, unit, seconds, operations) in try size.measurements() {
        let each = seconds / Double(operations) * 1e9
        if let place = series.firstIndex(where: { $0.name == name }) {
          series[place].nanoseconds.append(each)
        } else {
          series.append(Series(name: name, unit: unit, nanoseconds: [each]))
        }
      }
      fileBytes.append(size.fileBytes)
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
    return title.padding(toLength: 48, withPad: " ", startingAt: 0) + cells.joined()
  }
}

/// One size.
private struct GrowthStep {
  typealias Figure = (name: String, unit: String, seconds: Double, operations: Int)

  let bench: Workbench
  let count: Int
  let insertSeconds: Double
  /// Of the data file with these records, before anything else is written.
  let fileBytes: Int
  /// Of records from all over the store, in an order that no cache foresees.
  private let ids: [UUID]

  /// All in one save up to here: a larger one would want more memory than a machine may have.
  private static let largestSave = 1_000_000

  init(bench: Workbench, count: Int) throws {
    self.bench = bench
    self.count = count
    var generator = SplitMix(seed: 42)
    var places = SplitMix(seed: 7)
    // None twice: what a context has already is not looked up again.
    var drawn: Set<Int> = []
    var wanted: [Int] = []
    while wanted.count < min(count, 1_000) {
      let place = Int(places.next() % UInt64(count))
      if drawn.insert(place).inserted { wanted.append(place) }
    }
    var found: [Int: UUID] = Dictionary(wanted.map { ($0, UUID()) }) { first, _ in first }
    var seconds = 0.0
    let container = try bench.container("growth")
    for start in stride(from: 0, to: count, by: Self.largestSave) {
      let rows = (start..<min(start + Self.largestSave, count)).map { SubscriptionRow(number: $0, using: &generator) }
      for place in wanted where rows.indices.contains(place - start) { found[place] = rows[place - start].id }
      if count <= Self.largestSave { seconds = try Self.insert(rows[...], bench) }
      let last = try Stopwatch.seconds { try Workbench.insert(rows[...], into: container) }.0
      seconds = count <= Self.largestSave ? min(seconds, last) : seconds + last
    }
    insertSeconds = seconds
    fileBytes = try Workbench.bytes(below: bench.folder)
    ids = wanted.compactMap { found[$0] }
  }

  /// The seconds of the fastest insert of all into a new store.
  private static func insert(_ rows: ArraySlice<SubscriptionRow>, _ bench: Workbench) throws -> Double {
    let seconds = try bench.times { run in
      let container = try bench.container("growth-\(run)")
      let seconds = try Stopwatch.seconds { try Workbench.insert(rows, into: container) }.0
      try FileManager.default.removeItem(at: bench.folder.appending(path: "growth-\(run)"))
      return seconds
    }
    return seconds.min() ?? .infinity
  }

  /// Openings first, while nobody has the store open; what writes comes last.
  func measurements() throws -> [Figure] {
    let opening = try fastestOpening()
    let container = try bench.container("growth")
    let days = (0..<100).map { Date(timeIntervalSinceReferenceDate: Double($0 * 34) * 86_400) }
    return [
      ("insert in large saves", "record", insertSeconds, count),
      ("point fetch by unique attribute", "fetch", try fastest(container) { try Self.fetch(ids, $0) }, ids.count),
      ("fetch all", "record", try fastest(container) { _ = try $0.fetch(FetchDescriptor<Subscription>()) }, count),
      ("indexed range, limit 100", "query", try fastest(container) { try Growth.ranges(days, $0) }, days.count),
      ("count, unindexed filter", "record", try fastest(container) { try Growth.count($0) }, count),
      ("sum", "record", try fastest(container) { _ = try $0.aggregate(.sum(of: \Subscription.amount)) }, count),
      ("open to the first record", "start", opening, 1),
      ("durable save of one record", "save", try fastestSaves(container), Self.saves),
      ("update of 1,000 in one save", "record", try fastestUpdate(container), ids.count),
    ]
  }

  private static let saves = 100

  private func fastestOpening() throws -> Double {
    let seconds = try bench.times { _ in
      // Returned, because closing is not part of it.
      try Stopwatch.seconds { () -> ModelContext in
        let context = Workbench.context(try bench.container("growth"))
        try Self.fetch(Array(ids.prefix(1)), context)
        return context
      }.0
    }
    return seconds.min() ?? .infinity
  }

  private func fastestSaves(_ container: ModelContainer) throws -> Double {
    let source = RowSource()
    let seconds = try bench.times { _ in
      let context = Workbench.context(container)
      let rows = source.next(Self.saves)
      return try Stopwatch.seconds {
        for row in rows {
          context.insert(Subscription(row))
          try context.save()
        }
      }.0
    }
    return seconds.min() ?? .infinity
  }

  private func fastestUpdate(_ container: ModelContainer) throws -> Double {
    let seconds = try bench.times { _ in
      let context = Workbench.context(container)
      let models = try ids.flatMap { id in
        try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
      }
      return try Stopwatch.seconds {
        for model in models { model.amount += 1 }
        try context.save()
      }.0
    }
    return seconds.min() ?? .infinity
  }

  private func fastest(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws -> Double {
    let seconds = try bench.times { _ in
      let context = Workbench.context(container)
      return try Stopwatch.seconds { try body(context) }.0
    }
    return seconds.min() ?? .infinity
  }

  private static func fetch(_ ids: [UUID], _ context: ModelContext) throws {
    for id in ids {
      let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
      try ReadComparisons.expect(found.count == 1)
    }
  }
}

// Queries that the instruction counts ask, too.
extension Growth {
  static func ranges(_ days: [Date], _ context: ModelContext) throws {
    for (number, day) in days.enumerated() {
      let category = Category.allCases[number % 2]
      var descriptor = FetchDescriptor<Subscription>(
        predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
        sortBy: [SortDescriptor(\.nextBillingDate)])
      descriptor.fetchLimit = 100
      _ = try context.fetch(descriptor)
    }
  }

  static func count(_ context: ModelContext) throws {
    let limit = 50.0
    _ = try context.fetchCount(FetchDescriptor<Subscription>(predicate: #Predicate { $0.amount > limit }))
  }
}
