import Foundation
import Tandem

/// Rows in one save, durable at its end; every round has stores of its own.
struct InsertComparison {
  let bench: Workbench
  let data: Dataset

  func run() throws -> Comparison {
    let rows = data.subscriptions[...]
    return try Comparison(
      "insert, one save", unit: "record", operations: rows.count, bench: bench,
      contestants: [
        Contestant("Tandem") { run in
          let container = try bench.container("insert-\(run)")
          return try Stopwatch.seconds { try Workbench.insert(rows, into: container) }.0
        },
        Contestant("GRDB, Codable", target: 5) { run in
          let peer = try PeerStore(bench.folder, "insert-record-\(run)")
          return try Stopwatch.seconds { try peer.insertByRecord(rows) }.0
        },
        Contestant("GRDB, prepared statement", target: 2) { run in
          let peer = try PeerStore(bench.folder, "insert-statement-\(run)")
          return try Stopwatch.seconds { try peer.insertByStatement(rows) }.0
        },
      ])
  }
}
