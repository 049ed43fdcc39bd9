import Foundation
import LMDB
import RecordStore
import Tandem

/// The pages that a durable save of one subscription writes to a store of 100,000: what it costs the device.
struct SavedPages: Codable {
  /// How the store was filled.
  let store: String
  let pages: Double
  /// Stretches of pages that lie side by side.
  let ranges: Double
  let pagesByTree: [String: Double]

  private static let records = 100_000
  private static let saves = 100

  /// In stores that were filled in one save, which leaves full pages, and in saves of thousands, which leave many free
  /// ones.
  static func measureAll() throws -> [SavedPages] {
    let bench = try Workbench(runs: 1)
    defer { BenchmarkCommand.remove(bench) }
    return [
      try measure(bench, "filled in one save", recordsASave: records),
      try measure(bench, "filled in saves of 5,000", recordsASave: 5_000),
    ]
  }

  private static func measure(_ bench: Workbench, _ name: String, recordsASave: Int) throws -> SavedPages {
    let container = try bench.container("pages-\(recordsASave)")
    let rows = Dataset(count: records + saves).subscriptions
    for start in stride(from: 0, to: records, by: recordsASave) {
      try Workbench.insert(rows[start..<min(start + recordsASave, records)], into: container)
    }
    let written = try written(by: container, Array(rows[records...]))
    return SavedPages(
      store: name, pages: written.pages, ranges: written.ranges, pagesByTree: written.pagesByTree)
  }

  /// What a save of one of the rows, or of so many of them, writes on average.
  static func written(
    by container: ModelContainer, _ rows: [SubscriptionRow], recordsASave: Int = 1
  ) throws -> PageCensus.Average {
    let environment = try Environment.open(at: container.store.url.path)
    let context = Workbench.context(container)
    var rest = rows[...]
    return try environment.averagePagesWritten(commits: rows.count / recordsASave) {
      for row in rest.prefix(recordsASave) { context.insert(Subscription(row)) }
      rest = rest.dropFirst(recordsASave)
      try context.save()
    }
  }

  /// A line for the whole, then one for each tree.
  var lines: [String] {
    [String(format: "durable save of one record, store %@: %.2f pages in %.2f ranges", store, pages, ranges)]
      + pagesByTree.sorted { $0.key < $1.key }.map { name, pages in
        "  " + name.padding(toLength: 24, withPad: " ", startingAt: 0) + String(format: "%6.2f", pages)
      }
  }
}
