import Foundation
import RecordStore
import RecordSync
import ScenarioRunner

// When everybody has everything.
extension HistoryRun {
  func checkEnd() async throws {
    guard history.hasOracle else { return try await checkEndWithoutOracle() }
    var all: [UInt64: UInt64] = [:]
    for transaction in transactions {
      all[transaction.replica] = max(all[transaction.replica] ?? 0, transaction.sequence)
    }
    // What a forgotten device wrote afterwards is nobody's but its own.
    all.merge(lastOfForgotten) { $1 }
    all = all.filter { $0.value > 0 }
    for replica in history.members {
      let view = try StoreView.read(session.store(of: replica))
      guard view.vector == all else {
        throw fail(.timeNeverStopsWork, "\(replica) has not got everything: \(view.vector) of \(all)")
      }
      try compare(view, on: replica)
      try checkSums(view, on: replica)
      try checkIDs(on: replica, vector: all)
      try checkLog(of: replica, vector: all, isWhole: !history.mayJoinSnapshots)
      if let first = try session.store(of: replica).integrityViolations().first {
        throw fail(.integrity, "on \(replica): \(first)")
      }
    }
    outcome.checked.insert(.integrity)
    let dump = try checkConvergence()
    try checkValuesInTheEnd()
    try checkFolders()
    try checkFormerKeysInTheEnd()
    try await checkRepetition(dump)
    try await checkBatches(dump)
    try await checkSnapshot()
    noteFaultsSurvived()
  }

  /// The replicas are compared with each other; of the dead, some may know what others have forgotten.
  private func checkEndWithoutOracle() async throws {
    for replica in history.replicas {
      try compare(replica)
      if let first = try session.store(of: replica).integrityViolations().first {
        throw fail(.integrity, "on \(replica): \(first)")
      }
    }
    outcome.checked.insert(.integrity)
    let dumps = try history.replicas.map { try CanonicalDump.lines(of: session.store(of: $0), includesDead: false) }
    outcome.checked.insert(.converges)
    for (replica, dump) in zip(history.replicas, dumps) where dump != dumps[0] {
      throw fail(.converges, "\(history.members[0]) and \(replica) differ: \(firstDifference(dumps[0], dump))")
    }
    try checkValuesInTheEnd()
    try checkNothingIsForgotten()
    try checkReplicaIDs()
    for replica in history.replicas {
      let report = try await session.engine(of: replica).sync()
      guard report.transactionsMerged == 0, report.recordsCollected == 0 else {
        throw fail(.repetitionChangesNothing, "another synchronisation of \(replica) changed something")
      }
    }
    outcome.checked.formUnion([.repetitionChangesNothing, .oneTransactionOneEffect])
    try await checkSnapshot()
    noteFaultsSurvived()
  }

  /// I1.
  private func checkConvergence() throws -> [String] {
    let dumps = try history.members.map { try CanonicalDump.lines(of: session.store(of: $0)) }
    outcome.checked.insert(.converges)
    for (replica, dump) in zip(history.members, dumps) where dump != dumps[0] {
      throw fail(.converges, "\(history.members[0]) and \(replica) differ: \(firstDifference(dumps[0], dump))")
    }
    return dumps[0]
  }

  func firstDifference(_ left: [String], _ right: [String]) -> String {
    let index = zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(left.count, right.count)
    let line = { (lines: [String]) in index < lines.count ? lines[index] : "nothing" }
    return "\(line(left)) against \(line(right))"
  }

  /// I10, the other half: the same ids are one record everywhere, and lead to the same id.
  private func checkIDs(on replica: String, vector: [UInt64: UInt64]) throws {
    let state = state(of: replica, vector: vector)
    try session.store(of: replica).read { snapshot in
      for id in state.members.keys where state.entities[state.members[id]?.entity ?? ""]?.isJoin == false {
        let found = try snapshot.canonical(id)
        guard found != state.root(id) else { continue }
        throw fail(
          .uniqueValuesAreUnique, "on \(replica): \(name(id)) leads to \(name(found)), not to \(name(state.root(id)))")
      }
    }
  }

  /// I3 and I14: files that were read before, and all once more. The day's maintenance may first let go what a
  /// snapshot stands for since others have attested it, or join files; nothing else may be left to it.
  private func checkRepetition(_ dump: [String]) async throws {
    for replica in history.members {
      var maintenance = try await session.engine(of: replica).maintain()
      maintenance.filesCompacted = 0
      let report = try await session.engine(of: replica).sync()
      guard maintenance.isUnchanged, report.isUnchanged,
        try CanonicalDump.lines(of: session.store(of: replica)) == dump
      else {
        throw fail(.repetitionChangesNothing, "another synchronisation of \(replica) changed something")
      }
    }
    outcome.checked.formUnion([.repetitionChangesNothing, .oneTransactionOneEffect])
  }

  /// I2: new replicas that take everything, in one batch and in the smallest ones.
  private func checkBatches(_ dump: [String]) async throws {
    guard history.seed % 3 == 0, history.schema == history.newestSchema else { return }
    let source = session.folder(of: history.members[0])
    for (name, size) in [("whole", 100_000), ("small", 1)] {
      let root = source.deletingLastPathComponent().appending(path: name)
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
      try FileManager.default.copyItem(at: source, to: root.appending(path: "exchange"))
      var configuration = StoreConfiguration(url: root.appending(path: "new.store"), durability: .unsafeNoFlush)
      configuration.replicaOfNewStore = ReplicaID(.max)
      configuration.ruleMutation = mutation
      let store = try RecordStore.open(configuration, schema: session.schema)
      var options = SyncOptions()
      options.storeID = ScenarioFamily.id
      options.key = session.familyKey(of: history.members[0])
      options.recordsPerCommit = size
      _ = try await SyncEngine(store: store, folder: root.appending(path: "exchange"), options: options).import()
      let found = try CanonicalDump.lines(of: store)
      guard found == dump else {
        throw fail(.batchesDoNotMatter, "a new replica with \(name) batches differs: \(firstDifference(dump, found))")
      }
    }
    outcome.checked.insert(.batchesDoNotMatter)
  }

  /// What was checked all the time counts for a fault once the history with it has held.
  private func noteFaultsSurvived() {
    let faults = Set(outcome.faults.keys)
    let missing: Set = ["removed file", "folder unmounted", "folder rolled back", "folder emptied"]
    if !faults.isDisjoint(with: missing) { outcome.checked.insert(.missingFilesDeleteNothing) }
    if faults.contains("killed process") { outcome.checked.insert(.killsHarmNothing) }
    if faults.contains("collection of dead records") { outcome.checked.insert(.collectionIsInvisible) }
    if history.schema != history.newestSchema { outcome.checked.insert(.oldSchemasEndEqual) }
  }
}
