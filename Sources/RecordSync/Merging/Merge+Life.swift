import RecordStore

// Life and death: deletes that beat edits, edits that beat deletes, and what a deleted parent takes along.
extension Merge {
  mutating func judgeLives(of transactions: [TransactionFacts]) {
    var roots: Set<RecordKey> = []
    for transaction in transactions {
      for facts in transaction.records where !surroundings.joinEntities.contains(facts.entity) {
        addDeleted(from: facts.key, to: &roots, depth: 0)
      }
    }
    for root in roots.sorted() { judge(root) }
  }

  /// The record itself and everything above it that carries a delete.
  private func addDeleted(from key: RecordKey, to roots: inout Set<RecordKey>, depth: Int) {
    guard let facts = surroundings.known[key], depth < 64 else { return }
    if facts.deleted != nil { roots.insert(key) }
    for parent in surroundings.cascades.parents(of: facts) { addDeleted(from: parent, to: &roots, depth: depth + 1) }
  }

  private mutating func judge(_ root: RecordKey) {
    guard let facts = surroundings.known[root], let deleted = facts.deleted else { return }
    let below = descendants(of: root)
    let isFinal = surroundings.finalEntities.contains(root.entity)
    let activity = below.compactMap { surroundings.known[$0]?.touch }.reduce(facts.touch ?? .zero, max)
    if activity > deleted && !isFinal {
      guard isNew(deleted, activity), !surroundings.contexts.didSee(activity, deleted) else { return }
      log(.deletionOverridden, facts.key, lost: deleted, winning: activity)
    } else {
      for key in [root] + below { logLost(key, to: deleted) }
    }
  }

  /// Living records below a deleted one: those that were visible, and those that arrive.
  private func descendants(of root: RecordKey) -> [RecordKey] {
    var found: [RecordKey] = []
    var seen: Set<RecordKey> = [root]
    var next = [root]
    while let key = next.popLast() {
      for child in (surroundings.children[key] ?? []) + (arrivingChildren[key] ?? []) {
        guard seen.insert(child).inserted, let facts = surroundings.known[child],
          surroundings.cascades.parents(of: facts).contains(key) || surroundings.children[key]?.contains(child) == true,
          facts.isAliveByItself
        else { continue }
        found.append(child)
        next.append(child)
      }
    }
    return found.sorted()
  }

  /// Logs the values of a record that die with a delete whose author had not seen them.
  private mutating func logLost(_ key: RecordKey, to deleted: Stamp) {
    guard let facts = surroundings.known[key] else { return }
    for register in facts.registers where register.stamp < deleted || surroundings.finalEntities.contains(key.entity) {
      guard isNew(deleted, register.stamp), !surroundings.contexts.didSee(deleted, register.stamp) else { continue }
      log(
        .editLostToDelete, facts.key, lost: register.stamp, winning: deleted,
        field: Conflict.Field(ordinal: register.ordinal, lost: register.value, winning: .null))
    }
  }

  /// Whether one of the two arrives now: two that were here before have been judged before.
  private func isNew(_ left: Stamp, _ right: Stamp) -> Bool {
    arriving.contains(left) || arriving.contains(right)
  }
}
