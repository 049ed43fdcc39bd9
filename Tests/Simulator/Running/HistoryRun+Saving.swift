import RecordStore
import RecordSync
import ScenarioRunner

extension HistoryRun {
  /// A save must do what the oracle says: nothing, these facts, or be refused for a reason that the oracle sees.
  func save(
    _ index: Int, on replica: String, _ edits: [HistoryStep.RecordEdit], once: String? = nil
  ) async throws {
    let store = session.store(of: replica)
    let before = try StoreView.read(store).vector
    let own = session.replicaID(of: replica)
    guard try await perform(index) else { return }
    outcome.saves += 1
    let entry = try store.read { try $0.versionVector.entries[own] }
    let hasSaved = entry?.sequence ?? 0 > before[own.value] ?? 0
    if hasSaved { hasSavedSinceCopied.insert(replica) }
    guard history.hasOracle else {
      if outcome.failures[index] == nil { noteInserts(edits, on: replica) } else { outcome.refusedSaves += 1 }
      return try compare(replica)
    }
    let stamp = entry.map { OracleStamp($0.stamp) } ?? OracleStamp(time: .max, counter: 0, replica: own.value)
    let known = state(of: replica, vector: before)
    let assumed = hasSaved ? stamp : OracleStamp(time: .max, counter: .max, replica: own.value)
    var save = OracleSave(
      state: known, replica: own.value, stamp: assumed,
      id: { [session] name in (try? session.record(name)) ?? RecordID(high: .max, low: .max) },
      entityOf: { [entityNames] name in entityNames[name] }, keepsUnknownUpdates: !history.collects)
    let expected = save.run(edits, once: once)
    try check(expected, hasSaved: hasSaved, refusal: outcome.failures[index], on: replica)
    if case .facts(let facts) = expected, let entry {
      let transaction = OracleTransaction(
        replica: own.value, sequence: entry.sequence, stamp: stamp, context: before, facts: facts,
        once: once)
      if let once, transactions.contains(where: { $0.once == once }) { outcome.checked.insert(.onceCountsOnce) }
      try checkStamp(of: transaction)
      transactions.append(transaction)
    }
    try compare(replica)
  }

  private func check(
    _ expected: OracleSave.Outcome, hasSaved: Bool, refusal: String?, on replica: String
  ) throws {
    outcome.checked.insert(.timeNeverStopsWork)
    switch (expected, refusal) {
    case (.refused, .some): outcome.refusedSaves += 1
    case (.refused(let reason), nil):
      throw fail(.lifeFollowsTheOracle, "\(replica) took a save that must be refused: \(reason)")
    case (_, let refusal?): throw fail(.timeNeverStopsWork, "\(replica) refused a save for no reason: \(refusal)")
    case (.nothing, nil) where hasSaved: throw fail(.lastWriteIsSeen, "\(replica) saved where nothing changes")
    case (.facts, nil) where !hasSaved: throw fail(.nothingIsLostSilently, "\(replica) saved nothing of a change")
    default: return
    }
  }

  /// Whatever the author knew has a smaller stamp.
  private func checkStamp(of transaction: OracleTransaction) throws {
    outcome.checked.insert(.stampsFollowKnowledge)
    for other in transactions where transaction.knew(other) && other.stamp >= transaction.stamp {
      throw fail(.stampsFollowKnowledge, "the stamp \(transaction.stamp) is not above \(other.stamp), which was known")
    }
  }
}
