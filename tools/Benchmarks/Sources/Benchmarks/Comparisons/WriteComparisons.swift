import Foundation
import GRDB
import Tandem

/// Updates and small durable saves, in stores that hold all records already; those of one record in a new store, too,
/// where keys fall on few pages.
struct WriteComparisons {
  let bench: Workbench
  let data: Dataset

  func all() throws -> [Comparison] {
    let stores = try Stores(bench, "writes", data.subscriptions)
    return [
      try updates(stores), try singleSaves("into a new store", try Stores(bench, "single")),
      try singleSaves("into a full one", stores), try concurrentSaves(stores), try hundreds(stores),
    ]
  }

  /// The same records on both sides.
  private struct Stores {
    let container: ModelContainer
    let peer: PeerStore
    /// Where its library is there.
    let objectBox: Prepared<ObjectBoxStore>
    /// Of rows that no store has seen yet.
    let source = RowSource()

    init(_ bench: Workbench, _ name: String, _ rows: [SubscriptionRow] = []) throws {
      container = try bench.container(name)
      peer = try PeerStore(bench.folder, name)
      objectBox = Prepared { try bench.objectBoxStore(name, rows) }
      try Workbench.insert(rows[...], into: container)
      try peer.insertByStatement(rows[...])
    }
  }

  /// One attribute of every row, in one save, the rows fetched before the clock runs.
  private func updates(_ stores: Stores) throws -> Comparison {
    let (container, peer) = (stores.container, stores.peer)
    let changes = Prepared {
      try ReplayedChanges("update", of: container, bench: bench) {
        let context = Workbench.context(container)
        for model in try context.fetch(FetchDescriptor<Subscription>()) { model.amount += 1 }
        try context.save()
      }
    }
    return try Comparison(
      "update one attribute of all, one save", unit: "record", operations: data.subscriptions.count, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = Workbench.context(container)
          let models = try context.fetch(FetchDescriptor<Subscription>())
          return try Stopwatch.seconds {
            for model in models { model.amount += 1 }
            try context.save()
          }.0
        },
        Contestant("GRDB, Codable", target: 12) { _ in
          var records = try peer.pool.read { try SubscriptionRecord.fetchAll($0) }
          return try Stopwatch.seconds {
            try peer.pool.write { database in
              for index in records.indices {
                records[index].amount += 1
                try records[index].update(database, columns: ["amount"])
              }
            }
          }.0
        },
        Contestant("GRDB, prepared statement") { _ in
          try Stopwatch.seconds {
            try peer.pool.write { database in
              let sql = "UPDATE subscription SET amount = amount + 1 WHERE id = ?"
              let statement = try database.cachedStatement(sql: sql)
              for row in data.subscriptions { try statement.execute(arguments: [row.id]) }
            }
          }.0
        },
        ReplayedChanges.contestant(changes),
      ] + bench.besideObjectBox("flatbuffers") { _ in try stores.objectBox().update() })
  }

  /// Beside the peer what the device takes for the pages that our save writes and nothing else, and for those of a log.
  private func singleSaves(_ place: String, _ stores: Stores) throws -> Comparison {
    let saves = 200
    let (container, peer, source) = (stores.container, stores.peer, stores.source)
    let device = Prepared { try DeviceLimit(bench.folder) }
    let pages = Prepared { try SavedPages.written(by: container, source.next(50)) }
    return try Comparison(
      "durable save of one record " + place, unit: "save", operations: saves, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let context = Workbench.context(container)
          let rows = source.next(saves)
          return try Stopwatch.seconds {
            for row in rows {
              context.insert(Subscription(row))
              try context.save()
            }
          }.0
        },
        Contestant("GRDB, Codable, FULL", target: 0.8) { _ in
          let rows = source.next(saves)
          return try Stopwatch.seconds {
            for row in rows { try peer.pool.write { try SubscriptionRecord(row).insert($0) } }
          }.0
        },
        // We take at most 1.15 times as long.
        Contestant("the device, our pages alone", target: 0.87) { _ in
          try device().commit(pages(), saves: saves)
        },
        Contestant("the device, in a growing file") { _ in try device().commit(pages(), grows: true, saves: saves) },
        Contestant("the device, in one stretch") { _ in try device().commit(pages().inOneStretch, saves: saves) },
        Contestant("the device, 5 frames of a log") { _ in try device().append(frames: 5, saves: saves) },
      ]
        + bench.besideObjectBox("flatbuffers") { _ in
          let (store, rows) = (try stores.objectBox(), source.next(saves))
          return try Stopwatch.seconds { for save in 0..<saves { try store.insert(rows[save...save]) } }.0
        })
  }

  /// Eight writers at once in one process, each save durable and of one record.
  private func concurrentSaves(_ stores: Stores) throws -> Comparison {
    let (writers, saves) = (8, 50)
    let (container, peer, source) = (stores.container, stores.peer, stores.source)
    return try Comparison(
      "durable saves of one record, 8 at once", unit: "save", operations: writers * saves, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let rows = source.next(writers * saves)
          return try Stopwatch.seconds {
            try Self.concurrently(writers) { writer in
              let context = Workbench.context(container)
              for row in rows[(writer * saves)..<((writer + 1) * saves)] {
                context.insert(Subscription(row))
                try context.save()
              }
            }
          }.0
        },
        Contestant("GRDB, Codable, FULL", target: 2.5) { _ in
          let rows = source.next(writers * saves)
          return try Stopwatch.seconds {
            try Self.concurrently(writers) { writer in
              for row in rows[(writer * saves)..<((writer + 1) * saves)] {
                try peer.pool.write { try SubscriptionRecord(row).insert($0) }
              }
            }
          }.0
        },
      ])
  }

  private func hundreds(_ stores: Stores) throws -> Comparison {
    let saves = 20
    let (container, peer, source) = (stores.container, stores.peer, stores.source)
    let device = Prepared { try DeviceLimit(bench.folder) }
    let pages = Prepared { try SavedPages.written(by: container, source.next(1_000), recordsASave: 100) }
    return try Comparison(
      "durable saves of 100 records", unit: "record", operations: saves * 100, bench: bench,
      contestants: [
        Contestant("Tandem") { _ in
          let rows = source.next(saves * 100)
          return try Stopwatch.seconds {
            for save in 0..<saves { try Workbench.insert(rows[(save * 100)..<(save * 100 + 100)], into: container) }
          }.0
        },
        Contestant("GRDB, Codable, FULL", target: 2) { _ in
          let rows = source.next(saves * 100)
          return try Stopwatch.seconds {
            for save in 0..<saves { try peer.insertByRecord(rows[(save * 100)..<(save * 100 + 100)]) }
          }.0
        },
        Contestant("the device, our pages alone") { _ in try device().commit(pages(), saves: saves) },
      ]
        + bench.besideObjectBox("flatbuffers") { _ in
          let (store, rows) = (try stores.objectBox(), source.next(saves * 100))
          return try Stopwatch.seconds {
            for save in 0..<saves { try store.insert(rows[(save * 100)..<(save * 100 + 100)]) }
          }.0
        })
  }

  /// Runs the bodies on threads of their own and throws the first error.
  private static func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failures = FailureBox()
    let group = DispatchGroup()
    for index in 0..<count {
      group.enter()
      Thread.detachNewThread {
        do { try body(index) } catch { failures.note(error) }
        group.leave()
      }
    }
    group.wait()
    try failures.rethrow()
  }
}

/// Rows that no store has seen yet.
final class RowSource {
  private var generator = SplitMix(seed: 99)
  private var number = 0

  func next(_ count: Int) -> [SubscriptionRow] {
    (0..<count).map { _ in
      number += 1
      return SubscriptionRow(number: number, using: &generator)
    }
  }
}
