import CPeers
import Foundation
import GRDB
import RecordStore
import RecordSync
import Tandem

/// Changes of one device on their way to another: as many inserts as updates of three of eight fields, over a base that
/// both have. The peer is SQLite's session extension on the same rows, with their UUIDs as primary keys.
struct SyncComparisons {
  let bench: Workbench
  let rows: [SubscriptionRow]
  private var half: Int { rows.count / 2 }

  /// `count` inserts and as many updates.
  init(bench: Workbench, count: Int) {
    self.bench = bench
    rows = Self.rows(count * 2)
  }

  static func rows(_ count: Int) -> [SubscriptionRow] {
    var generator = SplitMix(seed: 21)
    return (0..<count).map { SubscriptionRow(number: $0, using: &generator) }
  }

  struct Outcome: Encodable {
    var comparisons: [Comparison]
    /// Bytes of a change in the files, ours and the peer's.
    var bytesPerChange: [Double]
  }

  func all() async throws -> Outcome {
    var ours: [String: [Double]] = [:]
    var theirs: [String: [Double]] = [:]
    var bytes = [0.0, 0.0]
    for run in -1..<bench.runs {
      let mine = try await round(run)
      let peers = try peerRound(run)
      bytes = [Double(mine.bytes) / Double(rows.count), Double(peers.bytes) / Double(rows.count)]
      guard run >= 0 else { continue }
      for (name, seconds) in mine.seconds { ours[name, default: []].append(seconds) }
      for (name, seconds) in peers.seconds { theirs[name, default: []].append(seconds) }
    }
    let targets = ["export": 2.0, "merge, clean": 1.5, "merge, every update conflicting": 1.5, "merge again": 100]
    let comparisons = try ["export", "merge, clean", "merge, every update conflicting", "merge again"].map { name in
      // The rounds above took turns already; this puts their times side by side.
      return try Comparison(
        name + " of changes", unit: "change", operations: rows.count, bench: bench,
        contestants: [
          Contestant("Tandem") { run in ours[name]?[max(run, 0)] ?? -1 },
          Contestant("SQLite, session extension", target: targets[name]) { run in
            theirs[name]?[max(run, 0)] ?? -1
          },
        ])
    }
    return Outcome(comparisons: comparisons, bytesPerChange: bytes)
  }

  private struct Round {
    var seconds: [String: Double] = [:]
    var bytes = 0
  }
}

// Our side.
extension SyncComparisons {
  private func round(_ run: Int) async throws -> Round {
    let exchange = bench.folder.appending(path: "sync-exchange-\(run)")
    let sender = try bench.container("sync-sender-\(run)")
    let family = sender.store.storeID
    try Workbench.insert(rows[..<half], into: sender)
    _ = try await Self.engine(sender, exchange, family).export()
    let receivers = try ["clean", "conflicting"].map { try bench.container("sync-\($0)-\(run)") }
    for receiver in receivers { _ = try await Self.engine(receiver, exchange, family).import() }
    try Self.update(receivers[1], by: 2)
    try Self.update(sender, by: 1)
    try Workbench.insert(rows[half...], into: sender)
    let before = try Workbench.bytes(below: exchange)
    var round = Round()
    round.seconds["export"] = try await seconds { try await Self.engine(sender, exchange, family).export() }
    round.bytes = try Workbench.bytes(below: exchange) - before
    for (receiver, name) in zip(receivers, ["merge, clean", "merge, every update conflicting"]) {
      round.seconds[name] = try await seconds { try await Self.engine(receiver, exchange, family).import() }
    }
    round.seconds["merge again"] = try await seconds {
      try await Self.engine(receivers[0], exchange, family).import()
    }
    return round
  }

  /// Three attributes of every record, in one save.
  static func update(_ container: ModelContainer, by number: Int) throws {
    let context = Workbench.context(container)
    for model in try context.fetch(FetchDescriptor<Subscription>()) {
      model.amount += Double(number)
      model.name += String(number)
      model.nextBillingDate += Double(number)
    }
    try context.save()
  }

  static func engine(_ container: ModelContainer, _ folder: URL, _ family: RecordID) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = family
    return SyncEngine(store: container.store, folder: folder, options: options)
  }

  private func seconds<Result>(_ body: () async throws -> Result) async throws -> Double {
    let start = Stopwatch.now()
    _ = try await body()
    return Double(Stopwatch.now() - start) / 1e9
  }
}

// The peer's.
extension SyncComparisons {
  private static let updateSQL = """
    UPDATE subscription SET amount = amount + %d, name = name || '%d', nextBillingDate = nextBillingDate + %d;
    """

  private func peerRound(_ run: Int) throws -> Round {
    var round = Round()
    let sender = try base("sender-\(run)")
    let receivers = try ["clean", "conflicting"].map { try base("\($0)-\(run)") }
    let conflicting = String(format: Self.updateSQL, 2, 2, 2)
    guard sqlite_run(receivers[1], conflicting) == 0 else { throw BenchmarkError("SQLite cannot update") }
    let staged = try staging("staging-\(run)")
    let statements =
      "ATTACH '\(staged)' AS staged; BEGIN; " + String(format: Self.updateSQL, 1, 1, 1)
      + " INSERT INTO main.subscription SELECT * FROM staged.subscription; COMMIT;"
    var changes = sqlite_changes()
    defer { sqlite_changes_free(&changes) }
    round.seconds["export"] = sqlite_session_export(sender, statements, &changes)
    round.bytes = Int(changes.bytes)
    var conflicts: Int32 = 0
    round.seconds["merge, clean"] = sqlite_session_apply(receivers[0], &changes, &conflicts)
    round.seconds["merge, every update conflicting"] = sqlite_session_apply(receivers[1], &changes, &conflicts)
    guard Int(conflicts) >= half else { throw BenchmarkError("SQLite met \(conflicts) conflicts instead of \(half)") }
    round.seconds["merge again"] = sqlite_session_apply(receivers[0], &changes, &conflicts)
    return round
  }

  private func base(_ name: String) throws -> String {
    let peer = try PeerStore(bench.folder, "sync-" + name)
    try peer.insertByStatement(rows[..<half])
    try peer.pool.close()
    return peer.path
  }

  private func staging(_ name: String) throws -> String {
    let peer = try PeerStore(bench.folder, "sync-" + name)
    try peer.insertByStatement(rows[half...])
    try peer.pool.close()
    return peer.path
  }
}
