import CPeers
import Foundation
import GRDB
import Tandem

/// What reads one store: every side has the same rows, nothing is written.
struct ReadComparisons {
  let arena: Arena
  private var bench: Workbench { arena.bench }
  private var count: Int { arena.data.subscriptions.count }

  func all() throws -> [Comparison] {
    [try pointFetch(), try fetchAll(), try indexedRange(), try unindexedCount()]
  }

  /// One row by its unique attribute, in random order.
  private func pointFetch() throws -> Comparison {
    let places = arena.data.randomIndices(min(count, 10_000))
    let fetches = PointFetches(arena: arena, places: places)
    let (ids, amounts) = (fetches.ids, fetches.amounts)
    return try Comparison(
      "point fetch by unique attribute", unit: "fetch", operations: ids.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            try Self.expect(amounts) {
              try ids.reduce(0) { sum, id in
                var descriptor = FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id })
                descriptor.fetchLimit = 1
                return sum + (try context.fetch(descriptor).first?.amount ?? .nan)
              }
            }
          }.0
        }
      ] + fetches.peers(codable: 30, statement: 8, limit: 0.4))
  }

  private func fetchAll() throws -> Comparison {
    let sum = arena.data.subscriptions.reduce(0) { $0 + $1.amount + Double($1.name.utf8.count) }
    return try Comparison(
      "fetch all, two attributes read", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            try Self.expect(sum) {
              try context.fetch(FetchDescriptor<Subscription>()).reduce(0) {
                $0 + $1.amount + Double($1.name.utf8.count)
              }
            }
          }.0
        },
        Contestant("GRDB, Codable", target: 10) { _ in
          try Stopwatch.seconds {
            try Self.expect(sum) {
              try arena.peer.pool.read { try SubscriptionRecord.fetchAll($0) }.reduce(0) {
                $0 + $1.amount + Double($1.name.utf8.count)
              }
            }
          }.0
        },
        Contestant("GRDB, struct decoded by hand", target: 4) { _ in
          try Stopwatch.seconds {
            try Self.expect(sum) {
              try arena.peer.pool.read { try SubscriptionColumns.fetchAll($0, sql: "SELECT * FROM subscription") }
                .reduce(0) { $0 + $1.amount + Double($1.name.utf8.count) }
            }
          }.0
        },
        Contestant("LMDB alone") { _ in lmdb_limit_scan(arena.limit) },
        Contestant("LMDB, two allocations each") { _ in lmdb_limit_copies(arena.limit) },
      ]
        + bench.besideObjectBox("decoded") { _ in
          let store = try arena.objectBox()
          return try Stopwatch.seconds {
            try Self.expect(sum) { try store.all().reduce(0) { $0 + $1.amount + Double($1.name.utf8.count) } }
          }.0
        })
  }

  /// The hundred next charges of one category after a day.
  private func indexedRange() throws -> Comparison {
    let days = (0..<200).map { Date(timeIntervalSinceReferenceDate: Double($0 * 17) * 86_400) }
    let sum = sumOfDates(from: days)
    return try Comparison(
      "indexed range, sorted, limit 100", unit: "query", operations: days.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            var found = 0.0
            for (number, day) in days.enumerated() {
              let category = Category.allCases[number % 2]
              var descriptor = FetchDescriptor<Subscription>(
                predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
                sortBy: [SortDescriptor(\.nextBillingDate)])
              descriptor.fetchLimit = 100
              found += try context.fetch(descriptor).reduce(0) {
                $0 + $1.nextBillingDate.timeIntervalSinceReferenceDate
              }
            }
            try Self.expect(sum) { found }
          }.0
        },
        Contestant("GRDB, Codable", target: 8) { _ in
          try Stopwatch.seconds {
            var found = 0.0
            for (number, day) in days.enumerated() {
              let request =
                SubscriptionRecord
                .filter(Column("category") == Category.allCases[number % 2].rawValue)
                .filter(Column("nextBillingDate") >= day.timeIntervalSinceReferenceDate)
                .order(Column("nextBillingDate")).limit(100)
              found += try arena.peer.pool.read { try request.fetchAll($0) }.reduce(0) {
                $0 + $1.nextBillingDate.timeIntervalSinceReferenceDate
              }
            }
            try Self.expect(sum) { found }
          }.0
        },
        Contestant("GRDB, prepared statement", target: 4) { _ in
          let sql = """
            SELECT * FROM subscription WHERE category = ? AND nextBillingDate >= ? ORDER BY nextBillingDate LIMIT 100
            """
          return try Stopwatch.seconds {
            var found = 0.0
            for (number, day) in days.enumerated() {
              let rows = try arena.peer.pool.read { database in
                try SubscriptionColumns.fetchAll(
                  database.cachedStatement(sql: sql),
                  arguments: [Category.allCases[number % 2].rawValue, day.timeIntervalSinceReferenceDate])
              }
              found += rows.reduce(0) { $0 + $1.nextBillingDate.timeIntervalSinceReferenceDate }
            }
            try Self.expect(sum) { found }
          }.0
        },
      ] + bench.besideObjectBox("prepared query") { _ in try arena.objectBox().ranges(from: days, expecting: sum) })
  }

  /// What the dates that each of these queries finds add up to. Records of one day may come in any order, so that it is
  /// open which of them a limit lets pass; their dates are the same.
  private func sumOfDates(from days: [Date]) -> Double {
    let sorted = Dictionary(grouping: arena.data.subscriptions, by: \.category)
      .mapValues { $0.map(\.nextBillingDate).sorted() }
    return days.enumerated().reduce(0) { sum, query in
      let dates = sorted[Category.allCases[query.offset % 2]] ?? []
      return dates.drop { $0 < query.element }.prefix(100).reduce(sum) { $0 + $1.timeIntervalSinceReferenceDate }
    }
  }

  private func unindexedCount() throws -> Comparison {
    let limit = 50.0
    let count = arena.data.subscriptions.count { $0.amount > limit }
    return try Comparison(
      "count, unindexed filter", unit: "record", operations: self.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            let found = try context.fetchCount(
              FetchDescriptor<Subscription>(predicate: #Predicate { $0.amount > limit }))
            try Self.expect(found == count)
          }.0
        },
        Contestant("SQLite in C", target: 2) { _ in
          var found = 0.0
          let sql = "SELECT count(*) FROM subscription WHERE amount > ?"
          let seconds = sqlite_query(arena.peer.path, sql, limit, &found)
          try Self.expect(Int(found) == count)
          return seconds
        },
      ] + bench.besideObjectBox("query") { _ in try arena.objectBox().count(above: limit, expecting: count) })
  }

  static func expect(_ holds: Bool) throws {
    if !holds { throw BenchmarkError("a side found something else than it should") }
  }

  /// Numbers with a fraction may be added up in another order.
  static func expect(_ sum: Double, _ found: () throws -> Double) throws {
    try expect(abs(try found() - sum) <= abs(sum) * 1e-9)
  }
}
