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

  func checkLog(of replica: String, vector: [UInt64: UInt64]) throws {
    // A clock that ran far ahead makes entries look old, and old entries go.
    guard clockOffsets[replica] == nil else { return }
    let state = state(of: replica, vector: vector)
    let logged = try logged(on: replica, state)
    outcome.checked.insert(.nothingIsLostSilently)
    for row in state.rows.values.sorted(by: { $0.id < $1.id }) {
      for (field, write) in mustBeLogged(row, state) {
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

  private func logged(on replica: String, _ state: OracleState) throws -> [Loss: Set<FieldValue>] {
    let store = session.store(of: replica)
    let catalogue = try store.read { $0.catalogue }
    var found: [Loss: Set<FieldValue>] = [:]
    for entry in try ConflictLog(store: store).entries() {
      for field in entry.fields {
        let loss = Loss(
          record: state.root(entry.record), field: catalogue.entities[entry.entity].fields[field.ordinal].name,
          stamp: OracleStamp(entry.lostStamp))
        var value = field.lost
        if case .reference(let id) = value { value = .reference(state.root(id)) }
        found[loss, default: []].insert(value)
      }
    }
    return found
  }

  private func mustBeLogged(_ row: OracleState.Row, _ state: OracleState) -> [(String, OracleState.Write)] {
    let members = state.members(of: row.id)
    // Where ids were joined, values are compared when the second arrives; a dead one's are not.
    guard state.entities[row.entity]?.isJoin == false, row.isInserted, members.count == 1 else { return [] }
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
          if isLost { found.append((field, write)) }
          continue
        }
        // A later write of the same value stands for it, whoever made that.
        let isBuiltUpon = writes.contains { other in
          guard other.stamp > write.stamp else { return false }
          return other.value == write.value || state.byStamp[other.stamp]?.knew(author) == true
        }
        if !isBuiltUpon, write.value != winner.value { found.append((field, write)) }
      }
    }
    return found
  }
}
