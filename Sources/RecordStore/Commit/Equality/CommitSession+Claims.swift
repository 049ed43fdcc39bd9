import LMDB

/// The present and former holders of unique values, and what authors knew.
extension CommitSession {
  /// Records that held a key once, or hold it behind a row that they share.
  func holders(everOf claim: ClaimKey, _ entity: EntityNumber) throws -> [RecordKey] {
    guard side.hasHeldKeys else { return [] }
    return try heldKeys(startingWith: HeldKeyTable.keyPrefix(claim), entity)
  }

  private func heldKeys(startingWith prefix: [UInt8], _ entity: EntityNumber) throws -> [RecordKey] {
    var found: [RecordKey] = []
    try view.forEachKey(in: tables.heldKeys, startingWith: prefix) { key, _ in
      guard key.count == 36 else { return }
      found.append(RecordKey(entity: entity, id: RecordID(bytes: key, at: 20)))
    }
    return found
  }

  /// The members of the rows that showed a key before this commit, visible or not.
  func storedHolders(of claim: ClaimKey, _ entity: EntityNumber) throws -> [RecordKey] {
    var rows: [RecordID] = []
    if !lookUps.emptyIndexes.contains(claim.index) {
      let shown = try view.get(layout.databases.index(claim.index), key: claim.bytes)
      if let id = shown.flatMap({ RecordID(bytes: $0) }) { rows.append(id) }
    }
    if side.hasClaims {
      rows += try view.recordIDs(in: layout.databases.claims, startingWith: ClaimTable.prefix(claim))
    }
    return try rows.flatMap { id in
      try storedClass(of: RecordKey(entity: entity, id: id)).members.map { RecordKey(entity: entity, id: $0) }
    }
  }

  /// Records that hold or held a unique key with a reference to a record, as far as the store shows it.
  func claimants(referringTo target: RecordKey) throws -> [RecordKey] {
    let references = layout.rules[target.entity].incoming.filter { reference in
      layout.rules[reference.holder].uniqueOrdinals.contains(reference.rule.ordinal)
    }
    guard !references.isEmpty else { return [] }
    var found: [RecordKey] = []
    for slot in try holders(of: storedCanonical(target.id), incoming: references) where !records[slot].isRemoved {
      let row = records[slot].key
      found += try storedClass(of: row).members.map { RecordKey(entity: row.entity, id: $0) }
    }
    guard side.hasHeldKeys else { return found }
    for reference in references {
      let rules = layout.rules[reference.holder]
      for position in rules.uniquePositions {
        let prefix = HeldKeyTable.referencePrefix(target.id, index: rules.indexes[position].index.number)
        found += try heldKeys(startingWith: prefix, reference.holder)
      }
    }
    return found
  }

  /// Whether the author of the later write had seen the earlier one.
  func knew(_ earlier: Stamp, whoWrote later: Stamp) throws -> Bool {
    if later == stamp, !isMerge { return true }
    return try ClaimOrder.knew(earlier, whoWrote: later, forks: forks) { try context(of: $0) }
  }

  private func context(of stamp: Stamp) throws -> VersionVector? {
    if let merging = terms.merged[stamp] { return merging.context }
    if let known = equality.contexts[stamp] { return known }
    let found = try ClaimOrder.context(of: stamp, layout, view)
    equality.contexts[stamp] = .some(found)
    return found
  }

  /// Has the class of every record with unique values worked out anew.
  func noteAllClaimants() throws {
    let snapshot = StoreSnapshot(transaction: view, layout: layout)
    for entity in layout.catalogue.entities where !layout.rules[entity.number].uniquePositions.isEmpty {
      try snapshot.forEachStoredFacts(of: entity.number) { facts, _ in
        let row = RecordKey(entity: entity.number, id: facts.id)
        for id in try storedClass(of: row).members { noteClaimant(RecordKey(entity: entity.number, id: id)) }
      }
    }
  }
}
