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
    let ids = arena.data.randomIndices(min(count, 10_000)).map { arena.data.subscriptions[$0].id }
    return try Comparison(
      "point fetch by unique attribute", unit: "fetch", operations: ids.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            for id in ids {
              var descriptor = FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id })
              descriptor.fetchLimit = 1
              try Self.expect(try context.fetch(descriptor).count == 1)
            }
          }.0
        },
        Contestant("GRDB, Codable fetchOne", target: 20) { _ in
          try Stopwatch.seconds {
            for id in ids {
              try Self.expect(try arena.peer.pool.read { try SubscriptionRecord.fetchOne($0, key: id) } != nil)
            }
          }.0
        },
        Contestant("GRDB, cached statement", target: 3) { _ in
          try Stopwatch.seconds {
            for id in ids {
              let found = try arena.peer.pool.read { database in
                let statement = try database.cachedStatement(sql: "SELECT * FROM subscription WHERE id = ?")
                return try SubscriptionColumns.fetchOne(statement, arguments: [id])
              }
              try Self.expect(found != nil)
            }
          }.0
        },
        Contestant("LMDB alone", target: 0.4) { _ in lmdb_limit_point_fetch(arena.limit, ids.count) },
      ])
  }

  private func fetchAll() throws -> Comparison {
    try Comparison(
      "fetch all, two attributes read", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            let sum = try context.fetch(FetchDescriptor<Subscription>()).reduce(0) {
              $0 + $1.amount + Double($1.name.utf8.count)
            }
            try Self.expect(sum > 0)
          }.0
        },
        Contestant("GRDB, Codable", target: 7) { _ in
          try Stopwatch.seconds {
            let sum = try arena.peer.pool.read { try SubscriptionRecord.fetchAll($0) }.reduce(0) {
              $0 + $1.amount + Double($1.name.utf8.count)
            }
            try Self.expect(sum > 0)
          }.0
        },
        Contestant("GRDB, struct decoded by hand", target: 3) { _ in
          try Stopwatch.seconds {
            let rows = try arena.peer.pool.read {
              try SubscriptionColumns.fetchAll($0, sql: "SELECT * FROM subscription")
            }
            try Self.expect(rows.reduce(0) { $0 + $1.amount + Double($1.name.utf8.count) } > 0)
          }.0
        },
        Contestant("LMDB alone") { _ in lmdb_limit_scan(arena.limit) },
      ])
  }

  /// The hundred next charges of one category after a day.
  private func indexedRange() throws -> Comparison {
    let days = (0..<200).map { Date(timeIntervalSinceReferenceDate: Double($0 * 17) * 86_400) }
    return try Comparison(
      "indexed range, sorted, limit 100", unit: "query", operations: days.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            for (number, day) in days.enumerated() {
              let category = Category.allCases[number % 2]
              var descriptor = FetchDescriptor<Subscription>(
                predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
                sortBy: [SortDescriptor(\.nextBillingDate)])
              descriptor.fetchLimit = 100
              try Self.expect(try context.fetch(descriptor).count <= 100)
            }
          }.0
        },
        Contestant("GRDB, Codable", target: 6) { _ in
          try Stopwatch.seconds {
            for (number, day) in days.enumerated() {
              let request =
                SubscriptionRecord
                .filter(Column("category") == Category.allCases[number % 2].rawValue)
                .filter(Column("nextBillingDate") >= day.timeIntervalSinceReferenceDate)
                .order(Column("nextBillingDate")).limit(100)
              try Self.expect(try arena.peer.pool.read { try request.fetchAll($0) }.count <= 100)
            }
          }.0
        },
        Contestant("GRDB, prepared statement", target: 2.5) { _ in
          let sql = """
            SELECT * FROM subscription WHERE category = ? AND nextBillingDate >= ? ORDER BY nextBillingDate LIMIT 100
            """
          return try Stopwatch.seconds {
            for (number, day) in days.enumerated() {
              let rows = try arena.peer.pool.read { database in
                try SubscriptionColumns.fetchAll(
                  database.cachedStatement(sql: sql),
                  arguments: [Category.allCases[number % 2].rawValue, day.timeIntervalSinceReferenceDate])
              }
              try Self.expect(rows.count <= 100)
            }
          }.0
        },
      ])
  }

  private func unindexedCount() throws -> Comparison {
    let limit = 50.0
    return try Comparison(
      "count, unindexed filter", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            let found = try context.fetchCount(
              FetchDescriptor<Subscription>(predicate: #Predicate { $0.amount > limit }))
            try Self.expect(found > 0)
          }.0
        },
        Contestant("SQLite in C", target: 1.5) { _ in
          var found = 0.0
          let sql = "SELECT count(*) FROM subscription WHERE amount > ?"
          let seconds = sqlite_query(arena.peer.path, sql, limit, &found)
          try Self.expect(found > 0)
          return seconds
        },
      ])
  }

  static func expect(_ holds: Bool) throws {
    if !holds { throw BenchmarkError("a side found something else than it should") }
  }
}
