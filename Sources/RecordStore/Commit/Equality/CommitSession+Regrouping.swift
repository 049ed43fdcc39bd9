import LMDB

/// From alias classes to rows.
extension CommitSession {
  /// Works out the classes of records whose claims have changed, and makes the rows what the classes say.
  func deriveClasses() throws {
    guard !equality.claimants.isEmpty, terms.mutation != .noAlias else { return }
    let derivation = ClassDerivation(self)
    try derivation.run(equality.claimants)
    equality.claimants.removeAll()
    let changed = try derivation.groups.filter { try !$0.isEmpty && isChanged($0) }
    guard !changed.isEmpty else { return }
    try regroup(changed)
  }

  private func isChanged(_ group: [RecordKey]) throws -> Bool {
    // Most groups are a record that was on its own before.
    if group.count == 1, !side.hasAliases { return false }
    return try storedClass(of: group[0]).members != group.map(\.id)
  }

  private func regroup(_ groups: [[RecordKey]]) throws {
    let members = groups.flatMap { $0 }
    // Read before names change: rows that name these records, and what hangs on their old rows.
    for group in groups { equality.regrouped.append(try outcome(of: group)) }
    let rows = Set(try members.map { RecordKey(entity: $0.entity, id: try storedCanonical($0.id)) })
    let oldSlots = try rows.sorted { $0.id < $1.id }.compactMap { try slots[$0] ?? slot(of: $0.id, entity: $0.entity) }
    let holders = try oldSlots.flatMap { slot in
      try self.holders(of: records[slot].facts.id, incoming: rules(of: slot).incoming)
    }
    for slot in holders { _ = try member(records[slot].key) }
    for slot in oldSlots { try reconsiderNeighbours(of: slot, earlier: nil) }
    for group in groups { try rename(group) }
    let kept = Set(groups.map { $0[0] })
    for slot in oldSlots where !kept.contains(records[slot].key) { remove(slot) }
    let made = try groups.map { try makeRow(of: $0) }
    for slot in Set(holders).sorted() { try respell(slot) }
    for (slot, earlier) in made {
      try noteClaims(of: slot)
      try reconsiderNeighbours(of: slot, earlier: earlier)
    }
  }

  private func outcome(of group: [RecordKey]) throws -> RecordClass {
    var rows: Set<RecordID> = []
    var before: Set<RecordID> = []
    for key in group {
      rows.insert(try storedCanonical(key.id))
      before.formUnion(try storedClass(of: key).members)
    }
    return RecordClass(
      entity: group[0].entity, row: group[0].id, members: try group.compactMap { try member($0)?.facts },
      previousRows: rows.sorted(), isParted: !before.isSubset(of: group.map(\.id)))
  }

  /// Classes that this merge has changed, and those of which it has changed a member.
  func touchedClasses() throws -> [RecordClass] {
    guard side.hasAliases || !equality.aliases.isEmpty else { return [] }
    var found = equality.regrouped
    var rows = Set(equality.regrouped.map { RecordKey(entity: $0.entity, id: $0.row) })
    for key in equality.members.keys.sorted(by: { $0.id < $1.id }) {
      let row = RecordKey(entity: key.entity, id: try canonical(key.id))
      guard rows.insert(row).inserted else { continue }
      let group = try currentClass(of: row)
      guard group.isShared else { continue }
      let facts = try group.members.compactMap { try member(RecordKey(entity: row.entity, id: $0))?.facts }
      found.append(RecordClass(entity: row.entity, row: row.id, members: facts, previousRows: [row.id]))
    }
    return found
  }

  /// Gives a class its name and its members.
  private func rename(_ group: [RecordKey]) throws {
    var made = AliasClass(members: group.map(\.id))
    for key in group {
      for (folded, root) in try storedClass(of: key).folded where root == key.id { made.folded[folded] = root }
    }
    for id in made.ids { equality.aliases[id] = group[0].id }
    equality.classes[group[0]] = made
  }

  private func remove(_ slot: Int) {
    if layout.hasContainingRules { noteContainment(of: slot, before: containingRegisters(of: slot)) }
    records[slot].isRemoved = true
    records[slot].isVisible = false
    records[slot].isDirty = true
    settling.touches.removeAll()
    for other in settling.waiting.removeValue(forKey: records[slot].facts.id) ?? [] { enqueue(other) }
  }

  private func makeRow(of group: [RecordKey]) throws -> (slot: Int, earlier: RecordFacts?) {
    let row = group[0]
    let facts = try rowFacts(of: row, currentClass(of: row))
    guard let slot = slots[row] else {
      let slot = add(WorkingRecord(new: facts), key: row)
      noteReferences(of: slot)
      enqueue(slot)
      if facts.isBlank { remove(slot) }
      return (slot, nil)
    }
    let earlier = records[slot].facts
    changeFacts(of: slot) { $0 = facts }
    // Nothing is left of a record that was forgotten.
    if facts.isBlank { remove(slot) }
    return (slot, earlier)
  }

  /// Spells a row's references anew.
  private func respell(_ slot: Int) throws {
    guard !records[slot].isRemoved else { return }
    let earlier = records[slot].facts
    let facts = try rowFacts(of: records[slot].key, currentClass(of: records[slot].key))
    guard facts != earlier, terms.mutation != .childrenNotFollowed else { return }
    changeFacts(of: slot) { $0 = facts }
    try noteClaims(of: slot)
    try reconsiderNeighbours(of: slot, earlier: earlier)
  }

  private func reconsiderNeighbours(of slot: Int, earlier: RecordFacts?) throws {
    enqueue(slot)
    try reconsiderTargets(of: slot, mayDrop: true)
    try reconsiderRivals(of: slot, earlier: earlier)
    try reconsiderSuperseded(by: slot, earlier: earlier)
  }
}
