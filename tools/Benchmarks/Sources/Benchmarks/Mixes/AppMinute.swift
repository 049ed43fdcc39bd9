import Foundation
import RecordStore
import RecordSync
import Tandem

/// An app's minute: it opens its store, shows a list that stays true, fetches twenty times, saves five times, and
/// synchronises: fifty changes of another device come, its own go out.
///
/// Each save is durable. The list must show what a save and the sync have brought before the clock stops.
struct AppMinute {
  static let name = "an app's minute"

  let bench: Workbench
  let data: Dataset

  private struct Device {
    let container: ModelContainer
    let engine: SyncEngine
  }

  /// Both sides' stores, filled; they are closed again, but for that of the other device.
  var mix: Mix {
    get throws {
      let sender = try filled()
      let peer = AppMinutePeer(bench: bench, data: data)
      if !bench.isAlone { try peer.fill() }
      return Mix(
        name: Self.name, unit: "minute", operations: 1,
        sides: [
          Mix.Side("Tandem") { run in
            let work = MinuteWork(round: run + 1, of: data)
            try await change(sender, work)
            return try await minute(work, family: sender.container.store.storeID)
          },
          Mix.Side("GRDB, session extension", target: Mixes.target) { run in
            try peer.minute(MinuteWork(round: run + 1, of: data))
          },
        ])
    }
  }

  private var exchange: URL { bench.folder.appending(path: "minute-exchange") }

  /// The other device; the app's store has its records.
  private func filled() throws -> Device {
    let container = try bench.container("minute-other")
    try Workbench.insert(data.subscriptions[...], into: container)
    return Device(
      container: container, engine: SyncComparisons.engine(container, exchange, container.store.storeID))
  }

  /// Fifty changes of the other device, in one save, exported. The first time all records go along, and into the app's
  /// store.
  private func change(_ sender: Device, _ work: MinuteWork) async throws {
    let family = sender.container.store.storeID
    if !FileManager.default.fileExists(atPath: exchange.path) {
      _ = try await sender.engine.export()
      _ = try await SyncComparisons.engine(bench.container("minute"), exchange, family).import()
    }
    let context = Workbench.context(sender.container)
    for row in work.foreignNew { context.insert(Subscription(row)) }
    for row in work.foreignEdited { try Self.subscription(row.id, context).amount += 1 }
    try context.save()
    _ = try await sender.engine.export()
  }

  private func minute(_ work: MinuteWork, family: RecordID) async throws -> Double {
    let start = Stopwatch.now()
    let container = try bench.container("minute")
    let context = Workbench.context(container)
    let list = try due(context)
    try fetch(work, context)
    try save(work, context, list)
    let engine = SyncComparisons.engine(container, exchange, family)
    let received = try await engine.import()
    _ = try await engine.export()
    context.processPendingChanges()
    try ReadComparisons.expect(received.conflicts == 0 && list.results.first?.id == work.foreignNew.last?.id)
    let seconds = Double(Stopwatch.now() - start) / 1e9
    // Until here, because closing is not part of it.
    withExtendedLifetime((container, context, list, engine)) {}
    return seconds
  }

  private func due(_ context: ModelContext) throws -> ResultsObserver<Subscription, Never> {
    let category = MinuteWork.dueCategory
    var descriptor = FetchDescriptor<Subscription>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.nextBillingDate)])
    descriptor.fetchLimit = MinuteWork.dueCount
    return try ResultsObserver(fetchDescriptor: descriptor, modelContext: context, isolation: nil)
  }

  private func fetch(_ work: MinuteWork, _ context: ModelContext) throws {
    for row in work.looked { try ReadComparisons.expect(try Self.subscription(row.id, context).name == row.name) }
    let category = MinuteWork.dueCategory
    for day in work.days {
      var descriptor = FetchDescriptor<Subscription>(
        predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
        sortBy: [SortDescriptor(\.nextBillingDate)])
      descriptor.fetchLimit = 100
      let found = try context.fetch(descriptor)
      try ReadComparisons.expect(found.allSatisfy { $0.nextBillingDate >= day })
    }
  }

  private func save(
    _ work: MinuteWork, _ context: ModelContext, _ list: ResultsObserver<Subscription, Never>
  ) throws {
    for row in work.entered {
      context.insert(Subscription(row))
      try context.save()
      try ReadComparisons.expect(list.results.first?.id == row.id)
    }
    for row in work.edited {
      try Self.subscription(row.id, context).amount += 1
      try context.save()
    }
  }

  private static func subscription(_ id: UUID, _ context: ModelContext) throws -> Subscription {
    let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
    guard let first = found.first else { throw BenchmarkError("a record of an app's minute is not there") }
    return first
  }
}
