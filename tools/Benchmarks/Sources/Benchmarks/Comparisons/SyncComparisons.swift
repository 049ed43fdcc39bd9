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

  /// Of `count` changes one half updates the first half of the rows, the other inserts the second.
  init(bench: Workbench, count: Int) {
    self.bench = bench
    rows = Self.rows(count)
  }

  static func rows(_ count: Int) -> [SubscriptionRow] {
    var generator = SplitMix(seed: 21)
    return (0..<count).map { SubscriptionRow(number: $0, using: &generator) }
  }

  struct Outcome {
    var comparisons: [Comparison] = []
    /// Bytes of a change in the files, ours and the peer's; empty where nothing was compared.
    var bytesPerChange: [Double] = []
  }

  private static let names = [
    "export of changes", "merge, clean", "merge, every update conflicting", "merge of what is known",
  ]
  private static let targets: [Double] = [8, 8, 4, 1_000]

  func all() async throws -> Outcome {
    guard Self.names.contains(where: bench.seeks) else { return Outcome() }
    var ours: [Round] = []
    var theirs: [Round] = []
    for run in -1..<bench.runs {
      // The first side changes.
      if run.isMultiple(of: 2) { ours.append(try await round(run)) }
      if !bench.isAlone { theirs.append(try peerRound(run)) }
      if !run.isMultiple(of: 2) { ours.append(try await round(run)) }
    }
    let bytes = [ours, theirs].compactMap { $0.last.map { Double($0.bytes) / Double(rows.count) } }
    return Outcome(comparisons: try comparisons(ours, theirs), bytesPerChange: bytes.count == 2 ? bytes : [])
  }

  /// The rounds took turns already; this puts their times side by side.
  private func comparisons(_ ours: [Round], _ theirs: [Round]) throws -> [Comparison] {
    try zip(Self.names, Self.targets).map { name, target in
      try Comparison(
        name, unit: "change", operations: rows.count, bench: bench,
        contestants: [
          Contestant("Tandem") { run in ours[run + 1].seconds[name] ?? -1 },
          Contestant("SQLite, session extension", target: target) { run in theirs[run + 1].seconds[name] ?? -1 },
        ] + (ours[0].replays[name].map { changes in [ReplayedChanges.contestant(Prepared { changes })] } ?? []))
    }
  }

  private struct Round {
    var seconds: [String: Double] = [:]
    var bytes = 0
    /// Of the merges, in the round that warms up.
    var replays: [String: ReplayedChanges] = [:]
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
    round.seconds[Self.names[0]] = try await seconds { try await Self.engine(sender, exchange, family).export() }
    round.bytes = try Workbench.bytes(below: exchange) - before
    for (receiver, name) in zip(receivers, Self.names[1...]) {
      var conflicts = 0
      let before = run < 0 && !bench.isAlone ? try ReplayedChanges.copy(of: receiver, name, bench) : nil
      round.seconds[name] = try await seconds {
        conflicts = try await Self.engine(receiver, exchange, family).import().conflicts
      }
      if let before { round.replays[name] = try ReplayedChanges(name, since: before, of: receiver, bench: bench) }
      try ReadComparisons.expect(conflicts == (name == Self.names[1] ? 0 : half))
      try ReadComparisons.expect(merged) {
        try Workbench.context(receiver).aggregate(.sum(of: \Subscription.amount))
      }
    }
    round.seconds[Self.names[3]] = try await seconds {
      try await Self.engine(receivers[0], exchange, family).import()
    }
    return round
  }

  /// What all amounts add up to after a merge: the sender's update, which is the later one, counts.
  private var merged: Double { rows.reduce(Double(half)) { $0 + $1.amount } }

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
    round.seconds[Self.names[0]] = sqlite_session_export(sender, statements, &changes)
    round.bytes = Int(changes.bytes)
    for (receiver, name) in zip(receivers, Self.names[1...]) {
      var conflicts: Int32 = 0
      round.seconds[name] = sqlite_session_apply(receiver, &changes, sqlite_replaces, &conflicts)
      try ReadComparisons.expect(Int(conflicts) == (name == Self.names[1] ? 0 : half))
      var found = 0.0
      _ = sqlite_query(receiver, "SELECT sum(amount) FROM subscription", 0, &found)
      try ReadComparisons.expect(merged) { found }
    }
    var conflicts: Int32 = 0
    round.seconds[Self.names[3]] = sqlite_session_apply(receivers[0], &changes, sqlite_omits, &conflicts)
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
