import Foundation
import RecordStore
import RecordSync
import ScenarioRunner
import StoreTables

/// Carries out one history on real stores and real files, and compares after every step.
///
/// Used by one task. Deterministic but for the readers that look on while merges commit: what they may find is not.
package final class HistoryRun {
  let history: History
  let session: ScenarioSession
  /// The stores that a check makes have it as those of the replicas do: what they read is written so.
  let mutation: RuleMutation?
  var outcome: HistoryOutcome
  /// Everything that was saved anywhere, as the oracle has it.
  var transactions: [OracleTransaction] = []
  var upgraded: Set<String> = []
  /// The last state worked out for each replica, and what it was made from.
  private var states: [String: (vector: [UInt64: UInt64], schema: SimulatedSchema, state: OracleState)] = [:]
  private var names: [RecordID: String] = [:]
  /// By the record's name.
  var entityNames: [String: String] = [:]
  /// Records that somebody inserted, and that must be known everywhere in the end; by replica those that it has not
  /// published yet. Asked where the oracle does not know.
  var inserted: Set<String> = []
  var unpublished: [String: Set<String>] = [:]
  /// The devices that were copied and have saved since.
  var hasSavedSinceCopied: Set<String> = []
  /// The texts that stand for large values.
  private(set) var files: [FieldValue: String] = [:]
  /// The bytes by which folders are known: of each key, empty without one.
  var wholeMarkers: [String: Data] = [:]
  /// What lies in encrypted folders; nil where there are none.
  var sealedFiles: SealedFiles?
  /// The last transaction of a forgotten device that the family knew when it forgot it.
  var lastOfForgotten: [UInt64: UInt64] = [:]
  /// The ids of the keys that a forgotten device was ever given.
  var keysOfForgotten: [String: Set<String>] = [:]

  /// The folder in which sessions are made: in memory where the system has such a place.
  private static let parent: URL = {
    let shared = URL(filePath: "/dev/shm")
    return FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
  }()

  /// Runs a history. Whatever the engine throws that no step may end with is a violation, too. `keepsContents`: whether
  /// the outcome has what the stores hold in the end.
  static func run(
    _ history: History, mutation: RuleMutation?, asking: AskingReplicas, keepsContents: Bool = false
  ) async throws -> HistoryOutcome {
    let session = try ScenarioSession(history.document(), in: parent, mutation: mutation, asking: asking)
    let run = HistoryRun(history, session, mutation: mutation)
    do {
      try await run.runSteps()
      if keepsContents { try run.keepContents() }
    } catch let violation as Violation {
      run.outcome.violation = violation
    } catch let error as CancellationError {
      // Ended from outside: the history says nothing.
      try session.remove()
      throw error
    } catch {
      let sentence = "an error that no step may end with: \(error)"
      run.outcome.violation = Violation(invariant: .timeNeverStopsWork, sentence: sentence)
    }
    run.outcome.expectation = try run.expectation()
    try session.remove()
    return run.outcome
  }

  private func keepContents() throws {
    let isCounted = { (key: [UInt8]) in !Self.namesFiles.contains { key.starts(with: $0.utf8) } }
    outcome.contents = try history.replicas.map { try StoreContents(of: session.store(of: $0), attachments: isCounted) }
  }

  /// Attachments with paths, which each run has of its own, and with names of files: they hold hashes of the contents,
  /// in which a save's records may stand in another order.
  private static let namesFiles = [
    "sync/export/", "sync/whole/", "sync/attested", "sync/folder/", "sync/last/", "sync/refused/",
    "sync/unnamed/",
  ]

  private init(_ history: History, _ session: ScenarioSession, mutation: RuleMutation?) {
    self.history = history
    self.session = session
    self.mutation = mutation
    outcome = HistoryOutcome(seed: history.seed)
    if history.isSealed { sealedFiles = SealedFiles(history) }
    for step in history.steps {
      for case .insert(let entity, let name, _) in step.edits {
        entityNames[name] = entity
        if let id = try? session.record(name) { names[id] = name }
      }
    }
    if history.schema == history.newestSchema { upgraded = Set(history.replicas) }
    for text in history.steps.flatMap(\.edits).flatMap(\.fileTexts) { files[FieldValue(file: text)] = text }
  }

  private func runSteps() async throws {
    for index in history.steps.indices {
      do {
        try await run(index)
      } catch var violation as Violation {
        violation.step = index + 1
        throw violation
      }
    }
    try await checkEnd()
  }

  private func run(_ index: Int) async throws {
    let step = history.steps[index]
    if let fault = step.faultName { outcome.faults[fault, default: 0] += 1 }
    switch step {
    case .save(let replica, _, let edits): try await save(index, on: replica, edits)
    case .once(let key, let replica, _, let edits): try await save(index, on: replica, edits, once: key)
    case .export(let name), .importing(let name), .interrupt(_, let name, _), .collect(let name), .snapshot(let name),
      .compact(let name), .maintain(let name):
      try await work(index, on: [name], step)
    case .sync(let names): try await work(index, on: names, step)
    default:
      if try await perform(index) { try note(step) }
      try await noteDevices(step)
      for name in step.replicas where step.replica != nil { try compare(name) }
    }
  }

  private func note(_ step: HistoryStep) throws {
    switch step {
    case .rotate(let name, let gone?):
      let id = session.replicaID(of: gone).value
      lastOfForgotten[id] = try StoreView.read(session.store(of: name)).vector[id] ?? 0
      keysOfForgotten[gone] = Set(session.keyIDs.dropLast())
    case .upgrade(let name): upgraded.insert(name)
    case .clone(let source, let name) where upgraded.contains(source): upgraded.insert(name)
    default: return
    }
  }

  /// Carries out the step; false if it made no sense.
  @discardableResult
  func perform(_ index: Int) async throws -> Bool {
    do {
      if let code = try await session.perform(index) { outcome.failures[index] = code }
      return true
    } catch is ScenarioError {
      outcome.skipped.insert(index)
      return false
    } catch let error as CocoaError where error.code == .fileWriteFileExists {
      // A second copy of the same name.
      outcome.skipped.insert(index)
      return false
    }
  }

  func name(_ id: RecordID) -> String { names[id] ?? "\(id)" }

  func schema(of replica: String) -> SimulatedSchema {
    (upgraded.contains(replica) ? history.newestSchema : history.schema).withJoins
  }

  func fail(_ invariant: Invariant, _ sentence: String, on replica: String? = nil) -> Violation {
    Violation(invariant: invariant, sentence: sentence, replica: replica)
  }
}

// The oracle beside the stores.
extension HistoryRun {
  /// What a replica must show that has these transactions.
  func state(of replica: String, vector: [UInt64: UInt64]) -> OracleState {
    let schema = schema(of: replica)
    if let known = states[replica], known.vector == vector, known.schema == schema { return known.state }
    let state = OracleState(
      transactions.filter { $0.sequence <= vector[$0.replica] ?? 0 }, schema: schema)
    states[replica] = (vector, schema, state)
    return state
  }

  /// Compares what a replica shows with what it must.
  func compare(_ replica: String) throws {
    try checkValues(on: replica)
    try compare(try StoreView.read(session.store(of: replica)), on: replica)
  }

  func compare(_ view: StoreView, on replica: String) throws {
    guard history.hasOracle else {
      try checkReferences(view, on: replica)
      try checkUniqueValues(view, on: replica)
      return
    }
    for (author, sequence) in view.vector {
      let made = transactions.filter { $0.replica == author }.map(\.sequence).max() ?? 0
      guard sequence <= made else {
        throw fail(.oneTransactionOneEffect, "\(replica) has transaction \(sequence) of \(author), which nobody made")
      }
    }
    try checkReferences(view, on: replica)
    try checkUniqueValues(view, on: replica)
    let expected = StoreView(state(of: replica, vector: view.vector), vector: view.vector)
    outcome.checked.formUnion([.lastWriteIsSeen, .lifeFollowsTheOracle])
    if let difference = view.difference(from: expected, name: name) {
      throw fail(
        difference.isOfLife ? .lifeFollowsTheOracle : .lastWriteIsSeen, "on \(replica): \(difference.text)",
        on: replica)
    }
  }
}
