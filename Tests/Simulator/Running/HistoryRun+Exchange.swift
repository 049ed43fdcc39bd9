import Foundation
import RecordStore
import RecordSync
import ScenarioRunner

extension HistoryRun {
  /// The engine works on some replicas: what it merges must be seen whole, what it cannot read must stop nothing.
  func work(_ index: Int, on replicas: [String], _ step: HistoryStep) async throws {
    let before = try replicas.map { try StoreView.read(session.store(of: $0)).vector }
    let values = try replicas.map { try ownValueFiles(of: $0) }
    let folders = try auditsFolders ? foreignFiles(of: replicas, step) : [:]
    let standings = replicas.map(standing)
    try noteLying()
    let watches = watchesReaders ? replicas.map { ReaderWatch($0, session.store(of: $0)) } : []
    let made = try await perform(index)
    noteMarkers()
    try noteWritten(by: replicas)
    for watch in watches {
      for view in await watch.views() { try compareSeen(view, on: watch.replica) }
    }
    guard made else { return }
    for (replica, files) in zip(replicas, values) { try checkValuesStay(files, on: replica) }
    try checkRefusal(of: step, outcome.failures[index], on: replicas, standings)
    for (replica, (vector, standing)) in zip(replicas, zip(before, standings)) where standing == .locked {
      try checkNothingIsTaken(by: replica, from: vector)
    }
    guard history.hasOracle else {
      if outcome.failures[index] == nil, step.publishes { for name in replicas { unpublished[name] = [] } }
      for replica in replicas { try compare(replica) }
      return
    }
    try noteNotices(of: replicas, step)
    for (replica, (vector, standing)) in zip(replicas, zip(before, standings)) {
      let hasFailed = outcome.failures[index] != nil && (!history.isSealed || standing != .open)
      try checkProgress(of: replica, from: vector, step, hasFailed: hasFailed)
      try compare(replica)
    }
    if auditsFolders { try compareFolders(folders, with: foreignFiles(of: replicas, step)) }
  }

  private var auditsFolders: Bool { history.seed % 4 == 0 && history.hasOracle }
  private var watchesReaders: Bool { history.seed % 16 == 1 && history.hasOracle }

  /// I13: what a reader saw in the middle is the oracle's state for the transactions that it saw.
  private func compareSeen(_ view: StoreView, on replica: String) throws {
    outcome.checked.insert(.readersSeeWholeTransactions)
    let expected = StoreView(state(of: replica, vector: view.vector), vector: view.vector)
    guard let difference = view.difference(from: expected, name: name) else { return }
    throw fail(.readersSeeWholeTransactions, "a reader on \(replica) saw: \(difference.text)")
  }

  /// What the engine writes on its own says nothing of any record: collections, and whom a person retired.
  private func noteNotices(of replicas: [String], _ step: HistoryStep) throws {
    for replica in replicas {
      let own = session.replicaID(of: replica)
      let entry = try session.store(of: replica).read { try $0.versionVector.entries[own] }
      let made = transactions.filter { $0.replica == own.value }
      let last = made.map(\.sequence).max() ?? 0
      guard let entry, entry.sequence > last else { continue }
      guard case .collect = step, entry.sequence == last + 1 else {
        throw fail(.oneTransactionOneEffect, "\(replica) made a transaction that nobody asked for", on: replica)
      }
      let context = try StoreView.read(session.store(of: replica)).vector.merging([own.value: last]) { $1 }
      transactions.append(
        OracleTransaction(
          replica: own.value, sequence: entry.sequence, stamp: OracleStamp(entry.stamp), context: context, facts: [:]))
      outcome.faults["collection of dead records", default: 0] += 1
    }
  }

  /// I6 and I19: an import takes all that lies there whole and without a gap, and nothing that is damaged.
  private func checkProgress(
    of replica: String, from before: [UInt64: UInt64], _ step: HistoryStep, hasFailed: Bool
  ) throws {
    let after = try StoreView.read(session.store(of: replica)).vector
    let own = session.replicaID(of: replica).value
    for (author, sequence) in before where after[author] ?? 0 < sequence {
      throw fail(.nothingIsLostSilently, "\(replica) forgot transactions of \(author)")
    }
    var mustImport = false
    if case .importing = step { mustImport = !hasFailed }
    if case .sync = step { mustImport = !hasFailed }
    for author in transactions.map(\.replica).uniqued where author != own {
      let stream = try StreamAudit(of: author, in: session.streams(of: replica), sealed: sealedFiles)
      if stream.damaged > 0 { outcome.checked.insert(.damagedFilesAreRefused) }
      let reachable = stream.end(from: before[author] ?? 0)
      if mustImport, after[author] ?? 0 < reachable {
        throw fail(
          .timeNeverStopsWork,
          "\(replica) stays at transaction \(after[author] ?? 0) of \(author), although its folder reaches \(reachable)"
        )
      }
      if case .importing = step, mustImport, history.isSealed, !stream.hasCopies {
        try checkIsNamed(stream.refusable(from: before[author] ?? 0, reached: after[author] ?? 0), on: replica)
      }
      let hasJoined = session.report(of: replica).snapshotsJoined > 0
      if history.isSealed { outcome.checked.insert(.onlySealedFilesAreTaken) }
      if !stream.hasCopies, !hasJoined, after[author] ?? 0 > max(reachable, before[author] ?? 0) {
        throw fail(
          history.isSealed ? .onlySealedFilesAreTaken : .damagedFilesAreRefused,
          "\(replica) took transactions of \(author) from a file that is damaged or missing")
      }
    }
  }
}

extension HistoryRun {
  /// I29: what is not taken is named.
  private func checkIsNamed(_ files: [String], on replica: String) throws {
    let named = session.report(of: replica).refused.map(\.file)
    guard let file = files.first(where: { file in !named.contains { $0.hasSuffix(file) } }) else { return }
    throw fail(.onlySealedFilesAreTaken, "\(replica) passed over \(file), which is not what its author wrote, unnamed")
  }
}

extension Array where Element == UInt64 {
  fileprivate var uniqued: [UInt64] { Set(self).sorted() }
}
