import Foundation
import GRDB
import Tandem

/// Purchases and their credits: children of one parent, and deleting parents with all that belongs to them.
struct PurchaseComparisons {
  let bench: Workbench
  let rows: [PurchaseRow]

  init(bench: Workbench, count: Int) {
    self.bench = bench
    var generator = SplitMix(seed: 11)
    rows = (0..<count).map { PurchaseRow(number: $0, using: &generator) }
  }

  func all() throws -> [Comparison] { [try children(), try deletes()] }

  private func children() throws -> Comparison {
    let container = try filled("children")
    let peer = try filledPeer("children")
    var generator = SplitMix(seed: 5)
    let ids = (0..<2_000).map { _ in rows[Int(generator.next() % UInt64(rows.count))].id }
    return try Comparison(
      "to-many: children of one parent", unit: "parent", operations: ids.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = Workbench.context(container)
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
        Contestant("GRDB, Codable", target: 10) { _ in
          try Stopwatch.seconds {
            for id in ids {
              let credits = try peer.pool.read {
                try CreditTableRecord.filter(Column("purchaseID") == id).fetchAll($0)
              }
              try ReadComparisons.expect(credits.reduce(0) { $0 + $1.ordinal } == 10)
            }
          }.0
        },
      ])
  }

  /// A tenth of the parents, with their credits by cascade, in one save.
  private func deletes() throws -> Comparison {
    let gone = rows[..<(rows.count / 10)].map(\.id)
    return try Comparison(
      "delete a tenth of the parents, cascade", unit: "parent", operations: gone.count, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          let container = try filled("delete-\(run)")
          let context = Workbench.context(container)
          return try Stopwatch.seconds {
            for id in gone {
              let found = try context.fetch(FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.id == id }))
              context.delete(found[0])
            }
            try context.save()
          }.0
        },
        Contestant("GRDB, deleteOne", target: 3) { run in
          let peer = try filledPeer("delete-one-\(run)")
          return try Stopwatch.seconds {
            try peer.pool.write { database in
              for id in gone { try PurchaseTableRecord.deleteOne(database, key: id) }
            }
          }.0
        },
        Contestant("GRDB, deleteAll(keys:)", target: 2) { run in
          let peer = try filledPeer("delete-all-\(run)")
          return try Stopwatch.seconds {
            try peer.pool.write { database in
              // SQLite takes so many arguments in one statement.
              for start in stride(from: 0, to: gone.count, by: 10_000) {
                let keys = Array(gone[start..<min(start + 10_000, gone.count)])
                try PurchaseTableRecord.deleteAll(database, keys: keys)
              }
            }
          }.0
        },
      ])
  }

  private func filled(_ name: String) throws -> ModelContainer {
    let container = try bench.container("purchases-" + name)
    try fill(Workbench.context(container))
    return container
  }

  /// All parents with their children, in one save.
  func fill(_ context: ModelContext) throws {
    for row in rows {
      let purchase = PurchaseRecord(row)
      context.insert(purchase)
      for ordinal in 0..<PurchaseRow.creditsEach {
        context.insert(PurchaseCredit(ordinal: ordinal, purchase: purchase))
      }
    }
    try context.save()
  }

  private func filledPeer(_ name: String) throws -> PeerStore {
    let peer = try PeerStore(bench.folder, "purchases-" + name)
    try peer.pool.write { database in
      for row in rows {
        try PurchaseTableRecord(row).insert(database)
        for ordinal in 0..<PurchaseRow.creditsEach {
          try CreditTableRecord(ordinal: ordinal, purchaseID: row.id).insert(database)
        }
      }
    }
    return peer
  }
}
