import Foundation
import Tandem

/// Rows in one save, durable at its end; every round has stores of its own.
struct InsertComparison {
  let bench: Workbench
  let data: Dataset

  func all() throws -> [Comparison] { [try objects(), try rowsWithoutObjects()] }

  private func rowsWithoutObjects() throws -> Comparison {
    let rows = data.subscriptions[...]
    let changes = Prepared {
      let container = try bench.container("rows-changes")
      return try ReplayedChanges("rows", of: container, bench: bench) { try Workbench.insertAll(rows, into: container) }
    }
    return try Comparison(
      "insert rows without objects, one save", unit: "record", operations: rows.count, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          let container = try bench.container("rows-\(run)")
          return try Stopwatch.seconds { try Workbench.insertAll(rows, into: container) }.0
        },
        Contestant("Tandem, chunks of 10,000") { run in
          let container = try bench.container("rows-in-chunks-\(run)")
          return try Stopwatch.seconds { try Workbench.insertAll(rows, into: container, chunk: 10_000) }.0
        },
        Contestant("Tandem, objects") { run in
          let container = try bench.container("rows-as-objects-\(run)")
          return try Stopwatch.seconds { try Workbench.insert(rows, into: container) }.0
        },
      ] + peers(of: rows, in: "rows", codable: 15, statement: 4) + [ReplayedChanges.contestant(changes)])
  }

  private func objects() throws -> Comparison {
    let rows = data.subscriptions[...]
    let changes = Prepared {
      let container = try bench.container("insert-changes")
      return try ReplayedChanges("insert", of: container, bench: bench) { try Workbench.insert(rows, into: container) }
    }
    return try Comparison(
      "insert, one save", unit: "record", operations: rows.count, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          let container = try bench.container("insert-\(run)")
          return try Stopwatch.seconds { try Workbench.insert(rows, into: container) }.0
        }
      ] + peers(of: rows, in: "insert", codable: 8, statement: 4) + [ReplayedChanges.contestant(changes)])
  }

  /// The numbers say how many times as fast as each one we aim to be.
  private func peers(
    of rows: ArraySlice<SubscriptionRow>, in place: String, codable: Double, statement: Double
  ) -> [Contestant] {
    [
      Contestant("GRDB, Codable", target: codable) { run in
        let peer = try PeerStore(bench.folder, "\(place)-record-\(run)")
        return try Stopwatch.seconds { try peer.insertByRecord(rows) }.0
      },
      Contestant("GRDB, prepared statement", target: statement) { run in
        let peer = try PeerStore(bench.folder, "\(place)-statement-\(run)")
        return try Stopwatch.seconds { try peer.insertByStatement(rows) }.0
      },
    ]
      + bench.besideObjectBox("flatbuffers") { run in
        let store = try bench.objectBoxStore("\(place)-\(run)")
        return try Stopwatch.seconds { try store.insert(rows) }.0
      }
  }
}
