import Foundation
import RecordStore
import RecordSync
import Tandem

/// Synchronisation: as many inserts as updates of three attributes, over a base that both devices have.
struct HotSyncPaths {
  let bench: Workbench
  private let changes = 1_000
  private let numbers = Numbers()

  init(bench: Workbench) { self.bench = bench }

  private final class Numbers {
    var last = 0
  }

  var all: [HotPath] {
    [
      HotPath("export of changes", unit: "change", operations: changes) {
        let round = try nextRound()
        return { try round.exportChanges() }
      },
      merge("merge, clean", conflicting: false),
      merge("merge, every update conflicting", conflicting: true),
    ]
  }

  private func merge(_ name: String, conflicting: Bool) -> HotPath {
    HotPath(name, unit: "change", operations: changes) {
      let round = try nextRound()
      if conflicting { try SyncComparisons.update(round.receiver, by: 2) }
      try round.exportChanges()
      return { try round.importChanges() }
    }
  }

  private func nextRound() throws -> SyncRound {
    numbers.last += 1
    return try SyncRound(bench: bench, number: numbers.last, changes: changes)
  }
}

/// Two devices that have the same records, and changes on one that the other has not seen.
private struct SyncRound {
  let sender: ModelContainer
  let receiver: ModelContainer
  private let exchange: URL

  init(bench: Workbench, number: Int, changes: Int) throws {
    let rows = SyncComparisons.rows(changes)
    sender = try bench.container("hot-sender-\(number)")
    receiver = try bench.container("hot-receiver-\(number)")
    exchange = bench.folder.appending(path: "hot-exchange-\(number)")
    try Workbench.insert(rows[..<(changes / 2)], into: sender)
    try exportChanges()
    try importChanges()
    try SyncComparisons.update(sender, by: 1)
    try Workbench.insert(rows[(changes / 2)...], into: sender)
  }

  func exportChanges() throws {
    let engine = SyncComparisons.engine(sender, exchange, sender.store.storeID)
    try Waiting.wait { _ = try await engine.export() }
  }

  func importChanges() throws {
    let engine = SyncComparisons.engine(receiver, exchange, sender.store.storeID)
    try Waiting.wait { _ = try await engine.import() }
  }
}
