import RecordStore
import RecordSync
import ScenarioRunner

// I4: a write that nobody built upon and that is not seen is in the conflict log, with its bytes.
extension HistoryRun {
  private struct Loss: Hashable {
    var record: RecordID
    var field: String
    var stamp: OracleStamp
  }

  /// `isWhole`: whether the log must tell of everything; else only of nothing twice.
  func checkLog(of replica: String, vector: [UInt64: UInt64], isWhole: Bool) throws {
    let state = state(of: replica, vector: vector)
    let entries = try logEntries(on: replica, state)
    try checkNothingTwice(entries, on: replica, state)
    guard isWhole else { return }
    let logged = Dictionary(grouping: entries, by: \.loss).mapValues { Set($0.map(\.value)) }
    outcome.checked.insert(.nothingIsLostSilently)
    for row in state.rows.values.sorted(by: { $0.id < $1.id }) {
      for (field, write) in mustBeLogged(row, state, by: session.replicaID(of: replica).value) {
        let loss = Loss(record: row.id, field: field, stamp: write.stamp)
        guard logged[loss]?.contains(write.value) == true else {
          throw fail(
            .nothingIsLostSilently,
            "on \(replica): \(row.entity) \(name(row.id)).\(field) = \(text(write.value)) at \(write.stamp) lost "
              + "unseen and is not in the conflict log")
        }
      }
    }
  }

  private func text(_ value: FieldValue) -> String {
    if case .reference(let id) = value { name(id) } else { "\(value)" }
  }

  /// One field of an entry.
  private struct LogEntry {
    var loss: Loss
    var value: FieldValue
    var kind: Conflict.Kind
  }

  private func logEntries(on replica: String, _ state: OracleState) throws -> [LogEntry] {
    let store = session.store(of: replica)
    let catalogue = try store.read { $0.catalogue }
    return try ConflictLog(store: store).entries().flatMap { entry in
      entry.fields.map { field in
        let loss = Loss(
          record: state.root(entry.record), field: catalogue.entities[entry.entity].fields[field.ordinal].name,
          stamp: OracleStamp(entry.lostStamp))
        var value = field.lost.named
        if case .reference(let id) = value { value = .reference(state.root(id)) }
        return LogEntry(loss: loss, value: value, kind: entry.kind)
      }
    }
  }

  /// Each loss stands in the log once, and what readers see is in it as no lost edit.
  private func checkNothingTwice(_ entries: [LogEntry], on replica: String, _ state: OracleState) throws {
    var seen: Set<Loss> = []
    for entry in entries where entry.kind == .editLost {
      let loss = "\(name(entry.loss.record)).\(entry.loss.field) = \(text(entry.value)) at \(entry.loss.stamp)"
      guard seen.insert(entry.loss).inserted else {
        throw fail(.nothingIsLostSilently, "on \(replica): \(loss) is in the conflict log twice", on: replica)
      }
      guard let row = state.rows[entry.loss.record], state.visible.contains(row.id),
        row.registers[entry.loss.field]?.stamp == entry.loss.stamp, row.target(entry.loss.field) == nil
      else { continue }
      throw fail(.nothingIsLostSilently, "on \(replica): \(loss) is seen and in the conflict log", on: replica)
    }
  }

  private func mustBeLogged(
    _ row: OracleState.Row, _ state: OracleState, by own: UInt64
  ) -> [(String, OracleState.Write)] {
    let members = state.members(of: row.id)
    // What the dead lost when ids were joined is with the dead.
    let isSound = members.count == 1 || state.alive.contains(row.id)
    guard state.entities[row.entity]?.isJoin == false, row.isInserted, isSound, row.onceRuns.isEmpty else {
      return []
    }
    let deletes = state.transactions.filter { transaction in
      members.contains { transaction.facts[$0]?.isDeleted == true }
    }
    var found: [(String, OracleState.Write)] = []
    for (field, winner) in row.registers.sorted(by: { $0.key < $1.key }) {
      let writes = members.flatMap { state.members[$0]?.writes[field] ?? [] }.map { write in
        var write = write
        if case .reference(let id) = write.value { write.value = .reference(state.root(id)) }
        return write
      }
      for write in writes {
        guard let author = state.byStamp[write.stamp] else { continue }
        if write == winner {
          let later = deletes.filter { $0.stamp > write.stamp }
          let isLost = !later.isEmpty && !later.contains { $0.knew(author) } && state.isDeadByItself(row.id)
          if isLost, !gaveUp(row, later, state, by: own) { found.append((field, write)) }
          if state.didGiveWay(row, unseen: author) { found.append((field, write)) }
          continue
        }
        // A later write of the same value stands for it, whatever device made that.
        let isBuiltUpon = writes.contains { other in
          guard other.stamp >= write.stamp, other != write else { return false }
          return other.value == write.value || state.byStamp[other.stamp]?.knew(author) == true
        }
        // The device that deleted joined records knew what each of them had.
        let isGivenUp = members.count > 1 && deletes.contains { $0.stamp >= write.stamp && $0.knew(author) }
        if !isBuiltUpon, !isGivenUp, write.value != winner.value { found.append((field, write)) }
      }
    }
    return found
  }

  /// Whether a replica knew the delete when it changed or deleted a record that referred to this one: what protected
  /// the record went by a save of its own, which needs no log.
  private func gaveUp(
    _ row: OracleState.Row, _ deletes: [OracleTransaction], _ state: OracleState, by own: UInt64
  ) -> Bool {
    state.transactions.contains { transaction in
      guard transaction.replica == own, deletes.contains(where: transaction.knew) else { return false }
      return transaction.facts.keys.contains { id in
        state.members[id]?.writes.values.joined().contains { write in
          if case .reference(let target) = write.value { state.root(target) == row.id } else { false }
        } ?? false
      }
    }
  }
}
