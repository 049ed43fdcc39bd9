import Foundation
import RecordStore
import RecordSync
import Tandem

/// Exporting the changes of one device into an exchange folder, and merging them on another.
struct SyncBenchmarks {
  let bench: Workbench
  let changes: Int

  /// Every run has two new stores: merging the same files again would do nothing.
  func all() async throws -> [Measurement] {
    var (exports, merges): ([Double], [Double]) = ([], [])
    var (exchangeBytes, storeBytes) = (0, 0)
    for run in -1..<bench.runs {
      let exchange = bench.folder.appending(path: "exchange-\(run)")
      let sender = try bench.container("sender-\(run)")
      try fill(sender)
      let receiver = try bench.container("receiver-\(run)")
      let export = try await seconds { try await Self.engine(sender, exchange, family: sender.store.storeID).export() }
      let merge = try await seconds { try await Self.engine(receiver, exchange, family: sender.store.storeID).import() }
      guard export.1.transactionsExported > 0, merge.1.transactionsMerged == export.1.transactionsExported else {
        throw BenchmarkError("the receiver merged \(merge.1.transactionsMerged) transactions")
      }
      exchangeBytes = try Workbench.bytes(below: exchange)
      storeBytes = try Workbench.bytes(below: bench.folder.appending(path: "receiver-\(run)"))
      guard run >= 0 else { continue }
      exports.append(export.0)
      merges.append(merge.0)
    }
    return [
      Measurement(
        name: "export of changes", unit: "change", operations: changes, seconds: exports, fileBytes: exchangeBytes),
      Measurement(
        name: "merge of changes", unit: "change", operations: changes, seconds: merges, fileBytes: storeBytes),
    ]
  }

  /// A hundred saves: four fifths inserts, one fifth updates of what is there.
  private func fill(_ container: ModelContainer) throws {
    let context = StoreBenchmarks.context(container)
    let (saves, inserts) = (100, changes * 4 / 5)
    var entries: [Entry] = []
    for save in 0..<saves {
      while entries.count < inserts * (save + 1) / saves {
        let entry = Entry(number: entries.count)
        context.insert(entry)
        entries.append(entry)
      }
      for index in (changes - inserts) * save / saves..<(changes - inserts) * (save + 1) / saves {
        entries[index % entries.count].amount += 1
      }
      try context.save()
    }
  }

  private static func engine(_ container: ModelContainer, _ folder: URL, family: RecordID) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = family
    return SyncEngine(store: container.store, folder: folder, options: options)
  }

  private func seconds<Result>(_ body: () async throws -> Result) async throws -> (Double, Result) {
    let start = Stopwatch.now()
    let result = try await body()
    return (Double(Stopwatch.now() - start) / 1e9, result)
  }
}
