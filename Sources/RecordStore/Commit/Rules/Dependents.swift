import LMDB

/// The records that refer to a record. Every reference in the store is found in one of two places: the index over its
/// field, when holder and target are visible, else table `backrefs`. References that this commit has
/// changed are added from memory.
extension CommitSession {
  /// The slots of all records that refer to `id`, as far as `rules` of the incoming references say; some
  /// may have let go of it meanwhile.
  func holders(of id: RecordID, incoming: [EntityRules.Incoming], includingChanged: Bool = true) throws -> [Int] {
    var found: Set<Int> = []
    for reference in incoming {
      for holder in try indexedHolders(of: id, reference) {
        if let slot = try slot(of: holder, entity: reference.holder) { found.insert(slot) }
      }
    }
    if side.hasBackReferences {
      for entry in try backReferences(to: id) {
        guard incoming.contains(where: { $0.holder == entry.holder.entity && $0.rule.ordinal == entry.ordinal }),
          let slot = try slot(of: entry.holder.id, entity: entry.holder.entity)
        else { continue }
        found.insert(slot)
      }
    }
    if includingChanged { found.formUnion(holdersChangedHere(of: id)) }
    // In slot order, so that equal requests do equal things.
    return found.sorted()
  }

  /// The slots that hold `id` in the field of `rule` now.
  func currentHolders(of id: RecordID, _ reference: EntityRules.Incoming) throws -> [Int] {
    try holders(of: id, incoming: [reference]).filter { slot in
      records[slot].facts.entity == reference.holder && !records[slot].isRemoved
        && records[slot].facts.reference(at: reference.rule.ordinal) == id
    }
  }

  private func indexedHolders(of id: RecordID, _ reference: EntityRules.Incoming) throws -> [RecordID] {
    let index = layout.rules[reference.holder].indexes[reference.rule.indexPosition].index
    guard !lookUps.emptyIndexes.contains(index.number) else { return [] }
    return try view.recordIDs(in: layout.databases.index(index.number), startingWith: ReferenceKey.prefix(id))
  }

  private func backReferences(to id: RecordID) throws -> [BackReferenceTable.Entry] {
    var prefix: [UInt8] = []
    id.append(to: &prefix)
    var entries: [BackReferenceTable.Entry] = []
    try view.forEachKey(in: layout.databases.backReferences, startingWith: prefix) { key, _ in
      if let entry = BackReferenceTable.entry(key) { entries.append(entry) }
    }
    return entries
  }

  private func holdersChangedHere(of id: RecordID) -> [Int] {
    if changedHolders == nil {
      var map: [RecordID: [Int]] = [:]
      for slot in records.indices where records[slot].isDirty {
        for rule in rules(of: slot).references {
          if let target = records[slot].facts.reference(at: rule.ordinal) { map[target, default: []].append(slot) }
        }
      }
      changedHolders = map
    }
    return changedHolders?[id] ?? []
  }
}
