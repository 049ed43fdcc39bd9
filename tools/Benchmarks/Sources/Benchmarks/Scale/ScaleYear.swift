import Foundation
import RecordSync
import Tandem

/// All that `--scale` measures.
struct ScaleReport: Encodable {
  let scale: Scale
  let year: [Ceiling]
}

/// A year of three devices that are used and synchronised every day, played without waiting for its days: what is old
/// enough to be forgotten after weeks is old enough at once.
struct ScaleYear {
  static let days = 365
  private static let devices = ["phone", "tablet", "laptop"]
  /// What each device does on a day.
  private static let (inserts, updates, deletes) = (2, 6, 1)

  let bench: Workbench
  let records: Int
  private var folder: URL { bench.folder.appending(path: "year") }

  init(bench: Workbench, records: Int) { (self.bench, self.records) = (bench, records) }

  /// How large the folder is at most, beside a snapshot of what the devices have at the end.
  func ceilings() async throws -> [Ceiling] {
    let dataset = Dataset(count: records + Self.days * Self.devices.count * Self.inserts)
    var fresh = dataset.subscriptions[records...]
    let containers = try Self.devices.map { try bench.container($0) }
    try Workbench.insertAll(dataset.subscriptions[..<records], into: containers[0])
    var options = SyncOptions()
    (options.maintenanceIntervalSeconds, options.collectionAgeSeconds, options.historyRetentionSeconds) = (0, 0, 0)
    let engines = containers.map { container in
      SyncEngine(
        store: container.store,
        at: DeviceDirectory.Place(ofStoreAt: container.configurations.first?.url ?? folder), sharedFolder: folder,
        options: options)
    }
    var generator = SplitMix(seed: 3)
    var largest = 0
    for _ in 0..<Self.days {
      for (container, engine) in zip(containers, engines) {
        _ = try await engine.sync()
        try use(container, rows: fresh.prefix(Self.inserts), &generator)
        fresh = fresh.dropFirst(Self.inserts)
        _ = try await engine.sync()
      }
      largest = max(largest, try Workbench.bytes(below: folder))
    }
    let before = try Workbench.bytes(below: folder)
    _ = try await engines[0].writeSnapshot()
    let snapshot = try Workbench.bytes(below: folder) - before
    return [
      Ceiling("a year: bytes in the folder, at most", unit: "kB", figure: Double(largest) / 1_000, most: nil),
      Ceiling("a year: the folder beside a snapshot", unit: "×", figure: Double(largest) / Double(snapshot), most: 2),
    ]
  }

  /// A day of one device: a save for what is new and what goes, one for each change.
  private func use(
    _ container: ModelContainer, rows: ArraySlice<SubscriptionRow>, _ generator: inout SplitMix
  ) throws {
    let context = Workbench.context(container)
    let all = try context.fetchIdentifiers(FetchDescriptor<Subscription>())
    for row in rows { context.insert(Subscription(row)) }
    for _ in 0..<Self.deletes { context.delete(try subscription(all, context, &generator)) }
    try context.save()
    for _ in 0..<Self.updates {
      let subscription = try subscription(all, context, &generator)
      subscription.amount += 1
      subscription.nextBillingDate += 30 * 86_400
      try context.save()
    }
  }

  private func subscription(
    _ all: [PersistentIdentifier], _ context: ModelContext, _ generator: inout SplitMix
  ) throws -> Subscription {
    while true {
      let id = all[Int(generator.next() % UInt64(all.count))]
      if let found = context.model(for: id) as? Subscription, !found.isDeleted { return found }
    }
  }
}
