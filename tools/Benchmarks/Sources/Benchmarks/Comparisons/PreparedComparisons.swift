import CPeers
import Foundation
import GRDB
import Tandem

/// Reads that prepare what can be prepared, or make no objects: every side has the same rows, nothing is written.
struct PreparedComparisons {
  let arena: Arena
  private var bench: Workbench { arena.bench }
  private var count: Int { arena.data.subscriptions.count }

  func all() throws -> [Comparison] { [try preparedFetch(), try records()] }

  /// One row by its unique attribute, in random order.
  private func preparedFetch() throws -> Comparison {
    let places = arena.data.randomIndices(min(count, 10_000))
    let fetches = PointFetches(arena: arena, places: places)
    let (ids, amounts) = (fetches.ids, fetches.amounts)
    return try Comparison(
      "prepared fetch by unique attribute", unit: "fetch", operations: ids.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          let byID = try context.prepare(#Predicate<Subscription, UUID> { subscription, id in subscription.id == id })
          return try Stopwatch.seconds {
            try ReadComparisons.expect(amounts) { try ids.reduce(0) { $0 + (try byID.first($1)?.amount ?? .nan) } }
          }.0
        }
      ] + fetches.peers(codable: 30, statement: 8, limit: 0.7))
  }

  private func records() throws -> Comparison {
    let sum = arena.data.subscriptions.reduce(0) { $0 + $1.amount + Double($1.name.utf8.count) }
    return try Comparison(
      "all records without objects, two attributes read", unit: "record", operations: count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            try ReadComparisons.expect(sum) {
              var found = 0.0
              try context.withRecords(of: FetchDescriptor<Subscription>()) {
                found += $0.amount + Double($0.name.utf8.count)
              }
              return found
            }
          }.0
        },
        Contestant("Tandem, objects") { _ in
          let context = arena.context()
          return try Stopwatch.seconds {
            try ReadComparisons.expect(sum) {
              try context.fetch(FetchDescriptor<Subscription>()).reduce(0) {
                $0 + $1.amount + Double($1.name.utf8.count)
              }
            }
          }.0
        },
        Contestant("GRDB, cursor of rows", target: 3) { _ in
          try Stopwatch.seconds {
            try ReadComparisons.expect(sum) {
              try arena.peer.pool.read { database in
                var found = 0.0
                let rows = try Row.fetchCursor(database, sql: "SELECT amount, name FROM subscription")
                while let row = try rows.next() {
                  let (amount, name): (Double, String) = (row[0], row[1])
                  found += amount + Double(name.utf8.count)
                }
                return found
              }
            }
          }.0
        },
        Contestant("LMDB alone") { _ in lmdb_limit_scan(arena.limit) },
      ] + bench.besideObjectBox("where they lie") { _ in try arena.objectBox().sumWhereTheyLie(expecting: sum) })
  }
}
