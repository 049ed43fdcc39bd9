import RecordStore
import RecordSync

extension ScenarioWorld {
  /// Carries out one step. Throws a ``ScenarioError`` that names the step when it does not go as the file says.
  func run(_ step: Scenario.Step) async throws {
    do {
      try await run(step.action, place: step.place)
    } catch let error as SyncError where step.fails == nil && isPause(error, step.action) {
      return
    } catch let error as SyncError {
      try expectFailure(step, code: error.code.description, message: error.message)
      return
    } catch let error as StoreError {
      try expectFailure(step, code: error.code.description, message: error.message)
      return
    }
    if let fails = step.fails { throw ScenarioError("\(step.place): expected the failure \(fails), but it worked") }
    try checkReport(of: step)
  }

  /// Whether the engine stops because a step before has emptied the folder, which is what it should do.
  private func isPause(_ error: SyncError, _ action: Scenario.Action) -> Bool {
    guard error.code == .folderMissing else { return false }
    switch action {
    case .sync(let names): return names.contains { replica($0).isFolderWiped }
    case .importing(let name), .export(let name): return replica(name).isFolderWiped
    default: return false
    }
  }

  private func expectFailure(_ step: Scenario.Step, code: String, message: String) throws {
    guard step.fails != code else { return }
    let expected = step.fails.map { "expected the failure \($0), " } ?? ""
    throw ScenarioError("\(step.place): \(expected)failed with \(code): \(message)")
  }

  func run(_ action: Scenario.Action, place: String) async throws {
    switch action {
    case .save(let name, let time, let changes, let once):
      try save(changes, once: once, on: name, at: moment(time), place: place)
    case .sync(let names): try await exchange(names)
    case .export(let name): try await export(name)
    case .importing(let name): try await importing(name)
    case .deliver(let author, let receiver, let files, let kind):
      try deliver(from: author, to: receiver, files: files, of: kind, place: place)
    case .fault(let fault, let kind, let author, let receiver, let file):
      try harm(fault, kind, from: author, in: receiver, file: file, place: place)
    case .wipeFolder(let name): try wipeFolder(of: name)
    case .reopen(let name): try replica(name).reopen()
    case .clone(let source, let name): try replica(name).become(replica(source))
    case .backup(let name): try replica(name).backUp()
    case .restore(let name): try replica(name).restore()
    case .copy(let source, let target): try copyFolder(replica(source).folder, to: replica(target).folder)
    case .unmount(let name): try unmount(name)
    case .mount(let name): try mount(name)
    case .keepFolder(let name): try keepFolder(of: name)
    case .rollBackFolder(let name): try rollBackFolder(of: name)
    case .interrupt(let work, let name, let point): try await interrupt(work, on: name, at: point)
    case .clock(let name, let clock): replica(name).time.set(clock)
    case .upgrade(let name, let schema): try replica(name).store.migrate(to: schema)
    case .check(let expectations):
      let failures = try check(expectations)
      if let first = failures.first { throw ScenarioError("\(place): \(first)") }
    case .restoreConflict(let name, let time, let expected):
      try restore(expected, on: name, at: moment(time), place: place)
    case .loadValues(let name): try await loadValues(on: name)
    case .collectValues(let name): try collectValues(on: name)
    case .maintain(let name): try await maintain(on: name)
    case .collect(let name): try await collect(on: name)
    case .snapshot(let name): try await writeSnapshot(on: name)
    case .compact(let name): try await compact(on: name)
    case .removeChunk(let index, let author, let owner): try removeChunk(index, of: author, in: owner, place: place)
    case .removeStream(let author, let owner): try removeStream(of: author, in: owner)
    case .retire(let gone, let name): try await retire(gone, on: name)
    case .key(let state, let name): try set(state, on: name, place: place)
    case .rotate(let name, let gone): try rotate(on: name, forgetting: gone, place: place)
    case .replay(let name): try replay(in: name)
    }
  }

  private func restore(
    _ expected: Scenario.ExpectedConflict, on name: String, at time: UInt64, place: String
  ) throws {
    let replica = replica(name)
    replica.time.set(at: time)
    let log = ConflictLog(store: replica.store)
    let entries = try log.entries()
    let entry = try replica.store.read { snapshot in try entries.first { try matches(expected, $0, in: snapshot) } }
    guard let entry else {
      throw ScenarioError("\(place): the conflict log of \(name) has no such entry")
    }
    try log.restore(entry.id, author: name)
  }

  private func checkReport(of step: Scenario.Step) throws {
    guard let expected = step.report else { return }
    let reports: [ScenarioReplica]
    switch step.action {
    case .sync(let names): reports = names.map(replica)
    case .importing(let name), .export(let name), .collect(let name), .snapshot(let name), .compact(let name):
      reports = [replica(name)]
    default:
      throw ScenarioError("\(step.place): only sync, import, export, collect, snapshot and compact have a report")
    }
    let sum = reports.reduce(into: SyncReport()) { $0.add($1.report) }
    let found = [
      "merged": sum.transactionsMerged, "refused": sum.refused.count, "waiting": sum.waiting.count,
      "conflicts": sum.conflicts, "exported": sum.filesExported, "warnings": sum.warnings.count,
      "collected": sum.recordsCollected, "compacted": sum.filesCompacted, "snapshots": sum.snapshotsWritten,
      "joined": sum.snapshotsJoined,
    ]
    for (name, count) in expected.sorted(by: { $0.key < $1.key }) where found[name] != count {
      throw ScenarioError("\(step.place): the report says \(name) \(found[name] ?? 0), expected \(count)")
    }
  }
}
