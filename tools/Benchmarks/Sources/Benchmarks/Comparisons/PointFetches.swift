import CPeers
import Foundation
import GRDB

/// Rows by their unique attribute, one at a time: what is looked for, and how the peers find it.
struct PointFetches {
  private let arena: Arena
  private let places: [Int]
  let ids: [UUID]
  /// The sum that proves the right rows were found.
  let amounts: Double

  init(arena: Arena, places: [Int]) {
    self.arena = arena
    self.places = places
    ids = places.map { arena.data.subscriptions[$0].id }
    amounts = places.reduce(0) { $0 + arena.data.subscriptions[$1].amount }
  }

  /// The numbers say how many times as fast as each one we aim to be.
  func peers(codable: Double, statement: Double, limit: Double) -> [Contestant] {
    [
      Contestant("GRDB, Codable fetchOne", target: codable) { _ in
        try seconds { id in
          try arena.peer.pool.read { try SubscriptionRecord.fetchOne($0, key: id) }?.amount
        }
      },
      Contestant("GRDB, cached statement", target: statement) { _ in
        try seconds { id in
          try arena.peer.pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT * FROM subscription WHERE id = ?")
            return try SubscriptionColumns.fetchOne(statement, arguments: [id])
          }?.amount
        }
      },
      Contestant("LMDB alone", target: limit) { _ in lmdb_limit_point_fetch(arena.limit, places, places.count) },
    ]
      + arena.bench.besideObjectBox("prepared query") { _ in
        let ids = ids.map(\.objectBoxID)
        return try arena.objectBox().fetch(ids, expecting: amounts)
      }
  }

  private func seconds(_ amount: (UUID) throws -> Double?) throws -> Double {
    try Stopwatch.seconds {
      try ReadComparisons.expect(amounts) { try ids.reduce(0) { $0 + (try amount($1) ?? .nan) } }
    }.0
  }
}
