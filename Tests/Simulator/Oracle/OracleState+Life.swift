import RecordStore

// The records that live, and those that are visible.
extension OracleState {
  /// A record lives if its greatest touch is after its greatest delete, where the touches of the living below it
  /// count too and a living holder under deny voids the delete. Begins with every holder living and takes back.
  mutating func decideLife() {
    var holders = Set(rows.values.filter(\.isInserted).map(\.id))
    while true {
      alive = aliveRows(whereLiving: holders)
      let next = alive.filter { !hasDeadAncestor($0) }
      if next == holders { return }
      holders = next
    }
  }

  private func aliveRows(whereLiving holders: Set<RecordID>) -> Set<RecordID> {
    var touch = rows.mapValues(\.life)
    var kept: Set<RecordID> = []
    func lives(_ row: Row) -> Bool {
      guard row.isInserted else { return false }
      guard let deleted = row.deleted else { return true }
      if entities[row.entity]?.deleteIsFinal == true { return false }
      return kept.contains(row.id) || (touch[row.id] ?? nil).map { $0 > deleted } ?? false
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for row in rows.values where lives(row) {
        for reference in references(of: row) {
          guard let above = row.target(reference.name), rows[above] != nil else { continue }
          if reference.isDeny, holders.contains(row.id), kept.insert(above).inserted { hasChanged = true }
          guard reference.isCascade, let own = touch[row.id] ?? nil else { continue }
          if (touch[above] ?? nil).map({ $0 < own }) ?? true {
            touch[above] = own
            hasChanged = true
          }
        }
      }
    }
    return Set(rows.values.filter(lives).map(\.id))
  }

  /// Whether it was deleted, or never inserted and deleted; one that only waits for its insert is not dead.
  func isDeadByItself(_ id: RecordID) -> Bool {
    guard let row = rows[id] else { return false }
    if row.isInserted { return !alive.contains(id) }
    guard let deleted = row.deleted else { return false }
    return row.life.map { $0 <= deleted } ?? true
  }

  /// Whether something that the record cannot be without is dead.
  func hasDeadAncestor(_ id: RecordID) -> Bool {
    var seen: Set<RecordID> = [id]
    var pending = [id]
    while let current = pending.popLast() {
      guard let row = rows[current] else { continue }
      for reference in references(of: row) where reference.hides {
        guard let above = row.target(reference.name), rows[above] != nil, seen.insert(above).inserted else { continue }
        if isDeadByItself(above) { return true }
        pending.append(above)
      }
    }
    return false
  }

  func isDead(_ id: RecordID) -> Bool { isDeadByItself(id) || hasDeadAncestor(id) }

  /// Visible are records that live, are not superseded, and whose hiding references all lead to visible rows. The loser
  /// of a one-to-one or a value depends on what is visible, so both are repeated until they agree.
  mutating func decideVisibility() {
    superseded = [:]
    for _ in 0..<16 {
      visible = greatestVisible(alive.subtracting(superseded.keys))
      let (nextLost, nextSuperseded) = (losers(), supersededRows())
      if nextLost == lost, nextSuperseded == superseded { return }
      (lost, superseded) = (nextLost, nextSuperseded)
    }
  }

  private func greatestVisible(_ candidates: Set<RecordID>) -> Set<RecordID> {
    var kept = candidates
    while true {
      let next = kept.filter { id in
        guard let row = rows[id] else { return false }
        return references(of: row).allSatisfy { reference in
          guard reference.hides else { return true }
          guard let target = row.target(reference.name), !lost.contains(Reference(holder: id, field: reference.name))
          else { return !reference.isRequired }
          return kept.contains(target)
        }
      }
      if next.count == kept.count { return kept }
      kept = next
    }
  }

  /// Of several visible holders of a one-to-one target, all but the one that wrote it last.
  private func losers() -> Set<Reference> {
    var found: Set<Reference> = []
    for id in visible {
      guard let row = rows[id] else { continue }
      for reference in references(of: row) where reference.isExclusive {
        guard let target = row.target(reference.name), let own = row.registers[reference.name] else { continue }
        let isBeaten = visible.contains { other in
          guard other != id, let rival = rows[other], rival.entity == row.entity,
            rival.target(reference.name) == target, let theirs = rival.registers[reference.name]
          else { return false }
          return theirs.stamp != own.stamp ? theirs.stamp > own.stamp : other > id
        }
        if isBeaten { found.insert(Reference(holder: id, field: reference.name)) }
      }
    }
    return found
  }

  /// Rows one of whose values a visible row was given later: where equal values do not make two one, the later was
  /// made in place of the other. Values with a reference that reads as nil are nobody's.
  private func supersededRows() -> [RecordID: OracleStamp] {
    var holders: [ClaimKey: [Row]] = [:]
    for row in rows.values {
      for claim in currentClaims(of: row) where isShown(claim, row) { holders[claim, default: []].append(row) }
    }
    var found: [RecordID: OracleStamp] = [:]
    for (claim, rivals) in holders where rivals.count > 1 {
      for row in rivals {
        for rival in rivals where rival.id != row.id && visible.contains(rival.id) {
          // What a save takes from a visible row is refused, not decided.
          let isTaken = draft.map { $0.visible.contains(row.id) && !$0.written.isDisjoint(with: [row.id, rival.id]) }
          let (own, theirs) = (latest(claim, row), latest(claim, rival))
          guard isTaken != true, own != theirs ? own < theirs : row.id < rival.id else { continue }
          found[row.id] = max(found[row.id] ?? theirs, theirs)
        }
      }
    }
    return found
  }

  private func isShown(_ claim: ClaimKey, _ row: Row) -> Bool {
    claim.key.allSatisfy { field in
      guard let target = row.target(field) else { return true }
      return visible.contains(target) && !lost.contains(Reference(holder: row.id, field: field))
    }
  }

  /// Whether a living row is out of sight for one that was made in its place, or in place of one that it cannot be
  /// without, by an author that did not know a write of it.
  func didGiveWay(_ row: Row, unseen author: OracleTransaction) -> Bool {
    guard row.isInserted, !isDead(row.id), !visible.contains(row.id) else { return false }
    let ends =
      [superseded[row.id]]
      + references(of: row).filter(\.hides).map { reference in
        row.target(reference.name).flatMap { isDead($0) ? nil : superseded[$0] }
      }
    return ends.contains { end in end.flatMap { byStamp[$0] }?.knew(author) == false }
  }

  /// When the row got the value.
  private func latest(_ claim: ClaimKey, _ row: Row) -> OracleStamp {
    claim.key.compactMap { row.registers[$0]?.stamp }.max() ?? OracleStamp(time: 0, counter: 0, replica: 0)
  }
}
