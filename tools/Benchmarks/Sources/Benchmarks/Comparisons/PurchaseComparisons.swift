import Foundation
import GRDB
import Tandem

/// Purchases and their credits: children of one parent, and deleting parents with all that belongs to them.
struct PurchaseComparisons {
  let bench: Workbench
  /// Of all parents.
  private let rows: [PurchaseRow]
  /// A tenth of the parents.
  private let batch: Int

  init(bench: Workbench, count: Int) {
    self.bench = bench
    batch = count / 10
    rows = (0..<10).flatMap { [batch] in PurchaseRow.batch($0, of: batch) }
  }

  func all() throws -> [Comparison] { [try children(), try deletes(), try keyedDeletes()] }

  private func children() throws -> Comparison {
    let container = Prepared { try filled("children") }
    let peer = Prepared { try filledPeer("children") }
    var generator = SplitMix(seed: 5)
    // None twice: a parent that has its children does not ask for them again.
    let ids = rows.map(\.id).shuffled(using: &generator).prefix(2_000)
    return try Comparison(
      "to-many: children of one parent", unit: "parent", operations: ids.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = Workbench.context(try container())
          let parents = try ids.map { id in
            try context.fetch(FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.id == id }))[0]
          }
          return try Stopwatch.seconds {
            for parent in parents {
              let sum = parent.credits.reduce(0) { $0 + $1.ordinal }
              try ReadComparisons.expect(sum == 10)
            }
          }.0
        },
        Contestant("GRDB, Codable", target: 15) { _ in
          let pool = try peer().pool
          return try Stopwatch.seconds {
            for id in ids {
              let credits = try pool.read {
                try CreditTableRecord.filter(Column("purchaseID") == id).fetchAll($0)
              }
              try ReadComparisons.expect(credits.reduce(0) { $0 + $1.ordinal } == 10)
            }
          }.0
        },
      ])
  }

  /// A tenth of the parents, one by one, with their credits by cascade, in one save. Each round deletes the oldest, and
  /// puts as many new ones in their place when the clock stands.
  private func deletes() throws -> Comparison {
    let container = Prepared { try filled("delete-one") }
    let peer = Prepared { try filledPeer("delete-one") }
    let objectBox = Prepared {
      let store = try bench.objectBoxStore("purchases")
      try store.fill(rows)
      return store
    }
    return try Comparison(
      "delete a tenth of the parents one by one, cascade", unit: "parent", operations: batch, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          try delete(run, from: try container()) { context, ids in
            for id in ids {
              let found = try context.fetch(FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.id == id }))
              context.delete(found[0])
            }
          }
        },
        Contestant("GRDB, deleteOne", target: 5) { run in
          try delete(run, from: try peer()) { database, ids in
            for id in ids { try ReadComparisons.expect(try PurchaseTableRecord.deleteOne(database, key: id)) }
          }
        },
        ReplayedChanges.contestant(Prepared { try replayedDeletes("delete-one") }),
      ]
        + bench.besideObjectBox("children by a query") { run in
          let (store, (gone, new)) = (try objectBox(), turnover(run))
          let seconds = try store.deletePurchases(gone.map(\.objectBoxID))
          try store.fill(new)
          return seconds
        })
  }

  /// As ``deletes()``, in one call of each side.
  private func keyedDeletes() throws -> Comparison {
    let container = Prepared { try filled("delete-keys") }
    let peer = Prepared { try filledPeer("delete-keys") }
    return try Comparison(
      "delete a tenth of the parents by their ids, cascade", unit: "parent", operations: batch, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          try delete(run, from: try container()) { context, ids in
            let ids = Set(ids)
            try context.delete(model: PurchaseRecord.self, where: #Predicate { ids.contains($0.id) })
          }
        },
        Contestant("GRDB, deleteAll(keys:)", target: 3) { run in
          try delete(run, from: try peer()) { database, ids in
            // SQLite takes so many arguments in one statement.
            for start in stride(from: 0, to: ids.count, by: 10_000) {
              let keys = Array(ids[start..<min(start + 10_000, ids.count)])
              try ReadComparisons.expect(try PurchaseTableRecord.deleteAll(database, keys: keys) == keys.count)
            }
          }
        },
        ReplayedChanges.contestant(Prepared { try replayedDeletes("delete-keys") }),
      ])
  }

  /// Of the first tenth; how they were found does not matter to LMDB.
  private func replayedDeletes(_ name: String) throws -> ReplayedChanges {
    let container = try filled(name + "-changes")
    return try ReplayedChanges(name, of: container, bench: bench) {
      let (context, ids) = (Workbench.context(container), Set(turnover(0).gone))
      try context.delete(model: PurchaseRecord.self, where: #Predicate { ids.contains($0.id) })
      try context.save()
    }
  }

  /// The seconds of a round.
  private func delete(
    _ run: Int, from container: ModelContainer, _ body: (ModelContext, [UUID]) throws -> Void
  ) throws -> Double {
    let (gone, new) = turnover(run)
    let context = Workbench.context(container)
    let count = try context.fetchCount(FetchDescriptor<PurchaseRecord>())
    let seconds = try Stopwatch.seconds {
      try body(context, gone)
      try context.save()
    }.0
    try ReadComparisons.expect(try context.fetchCount(FetchDescriptor<PurchaseRecord>()) == count - gone.count)
    try Self.fill(new, Workbench.context(container))
    return seconds
  }

  private func delete(_ run: Int, from peer: PeerStore, _ body: (Database, [UUID]) throws -> Void) throws -> Double {
    let (gone, new) = turnover(run)
    let seconds = try Stopwatch.seconds { try peer.pool.write { try body($0, gone) } }.0
    try peer.fill(new)
    return seconds
  }

  /// What a round deletes, and what it inserts instead.
  private func turnover(_ run: Int) -> (gone: [UUID], new: [PurchaseRow]) {
    (PurchaseRow.batch(run + 1, of: batch).map(\.id), PurchaseRow.batch(run + 11, of: batch))
  }

  private func filled(_ name: String) throws -> ModelContainer {
    let container = try bench.container("purchases-" + name)
    try Self.fill(rows, Workbench.context(container))
    return container
  }

  /// Parents with their children, some thousands a save, so that memory stays flat.
  static func fill(_ rows: [PurchaseRow], _ context: ModelContext) throws {
    for start in stride(from: 0, to: rows.count, by: 10_000) {
      for row in rows[start..<min(start + 10_000, rows.count)] {
        let purchase = PurchaseRecord(row)
        context.insert(purchase)
        for ordinal in 0..<PurchaseRow.creditsEach {
          context.insert(PurchaseCredit(ordinal: ordinal, purchase: purchase))
        }
      }
      try context.save()
    }
  }

  private func filledPeer(_ name: String) throws -> PeerStore {
    let peer = try PeerStore(bench.folder, "purchases-" + name)
    try peer.fill(rows)
    return peer
  }
}
