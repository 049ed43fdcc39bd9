import Foundation
import RecordStore
import RecordSync
import Tandem

/// What it costs a device to bring all its records to a folder, and a new one to take them in: as change sets, and as a
/// snapshot. Each does so in a process of its own, which tells how much memory it took.
struct FirstSyncBenchmark {
  let bench: Workbench
  let count: Int
  private var places: FirstSyncPlaces { FirstSyncPlaces(folder: bench.folder.appending(path: "first-sync")) }

  func all() async throws -> [Ceiling] {
    let family = try fill()
    let author = try run(.bring, family)
    let changes = try Workbench.bytes(below: places.author)
    let newcomer = try run(.take, family)
    let before = try Workbench.bytes(below: places.author)
    let writer = try run(.write, family)
    let snapshot = try Workbench.bytes(below: places.author) - before
    try places.leaveSnapshotAlone()
    let reader = try run(.join, family)
    // Fewer records say nothing of what is aimed at.
    func most(_ figure: Double) -> Double? { count >= 1_000_000 ? figure : nil }
    func ceilings(_ name: String, _ run: MeasuredProcess.Figures, milliseconds: Double?) -> [Ceiling] {
      [
        Ceiling(name, unit: "ms", figure: run.milliseconds, most: milliseconds),
        Ceiling("\(name): memory", unit: "MB", figure: run.megabytes, most: most(200)),
      ]
    }
    let name = ComparisonTable.grouped(Double(count))
    return ceilings("first sync of \(name), the author", author, milliseconds: most(10_000))
      + ceilings("a new device", newcomer, milliseconds: most(30_000))
      + [Ceiling("a snapshot beside the change sets", unit: "×", figure: Double(snapshot) / Double(changes), most: 1.2)]
      + ceilings("writing it", writer, milliseconds: nil)
      // The reason to have snapshots.
      + ceilings("beginning with it", reader, milliseconds: newcomer.milliseconds)
  }

  /// Makes the author's store, in saves of 1,000. Returns the family.
  private func fill() throws -> RecordID {
    let container = try Workbench.container(Workbench.configuration(places.device(.bring)))
    let rows = Dataset(count: count).subscriptions
    for start in stride(from: 0, to: rows.count, by: 1_000) {
      try Workbench.insert(rows[start..<min(start + 1_000, rows.count)], into: container)
    }
    return container.store.storeID
  }

  private func run(_ step: FirstSyncStep, _ family: RecordID) throws -> MeasuredProcess.Figures {
    try MeasuredProcess.run([
      "--first-sync", step.rawValue, "--first-sync-folder", places.folder.path, "--family", "\(family)", "--records",
      "\(count)",
    ])
  }
}

enum FirstSyncStep: String { case bring, take, write, join }

struct FirstSyncPlaces {
  let folder: URL

  var author: URL { folder.appending(path: "author-exchange") }
  private var newcomer: URL { folder.appending(path: "newcomer-exchange") }
  func device(_ step: FirstSyncStep) -> URL {
    switch step {
    case .bring, .write: folder.appending(path: "device-author")
    case .take, .join: folder.appending(path: "device-\(step.rawValue)")
    }
  }
  func exchange(_ step: FirstSyncStep) -> URL { step == .join ? newcomer : author }

  /// What a device finds that comes when all change sets have gone.
  func leaveSnapshotAlone() throws {
    try FileManager.default.copyItem(at: author, to: newcomer)
    for path in try FileManager.default.subpathsOfDirectory(atPath: newcomer.path) where path.hasSuffix("/s") {
      try FileManager.default.removeItem(at: newcomer.appending(path: path))
    }
  }
}

/// The process that is measured.
struct FirstSyncWorker {
  let step: FirstSyncStep
  let places: FirstSyncPlaces
  let family: RecordID
  let count: Int

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(places.device(step)))
    let engine = SyncComparisons.engine(container, places.exchange(step), family)
    try await MeasuredProcess.measure {
      let isDone =
        switch step {
        case .bring: try await engine.sync().transactionsExported > 0
        case .take: try await engine.sync().transactionsMerged > 0
        case .write: try await engine.writeSnapshot().snapshotsWritten == 1
        case .join: try await engine.import().snapshotsJoined == 1
        }
      try ReadComparisons.expect(isDone)
    } check: {
      try ReadComparisons.expect(try ModelContext(container).fetchCount(FetchDescriptor<Subscription>()) == count)
    }
  }
}
