import CPeers
import Tandem

/// What is computed over all records without making objects, beside the same in SQLite's C.
struct AggregateComparisons {
  let arena: Arena
  private var bench: Workbench { arena.bench }
  private var count: Int { arena.data.subscriptions.count }

  func all() throws -> [Comparison] { [try sum(), try groupBy()] }

  private func sum() throws -> Comparison {
    let total = arena.data.totalAmount
    return try Comparison(
      "sum of an attribute", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            try ReadComparisons.expect(total) { try context.aggregate(.sum(of: \Subscription.amount)) }
          }.0
        },
        Contestant("SQLite in C", target: 2) { _ in
          try sqlite("SELECT sum(amount) FROM subscription", total)
        },
      ] + bench.besideObjectBox("query of a property") { _ in try arena.objectBox().sum(expecting: total) })
  }

  /// By an attribute that no index begins with, so that neither side can read groups one after another.
  private func groupBy() throws -> Comparison {
    let total = arena.data.totalAmount
    return try Comparison(
      "group by, count and sum", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            let groups = try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Subscription.frequency)
            try ReadComparisons.expect(groups.reduce(0) { $0 + $1.values.0 } == count)
            try ReadComparisons.expect(total) { groups.reduce(0) { $0 + $1.values.1 } }
          }.0
        },
        Contestant("SQLite in C", target: 5) { _ in
          try sqlite("SELECT sum(amount), count(*), frequency FROM subscription GROUP BY frequency", total)
        },
      ])
  }

  private func sqlite(_ sql: String, _ sum: Double) throws -> Double {
    var found = 0.0
    let seconds = sqlite_query(arena.peer.path, sql, 0, &found)
    try ReadComparisons.expect(sum) { found }
    return seconds
  }
}
