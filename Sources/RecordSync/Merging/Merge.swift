import RecordStore

/// Turns another replica's transactions into a save request, and says who lost: a pure function of values.
///
/// Who wins is the engine's business (facts are joined, see MergeRules); the merge only compares what arrives
/// with what is there to find writes that lost unseen. A write lost *unseen* when the author of the one that
/// beat it had not seen it; it is then in the log exactly once, with its bytes.
struct Merge {
  struct Plan: Hashable, Sendable {
    var request: SaveRequest
    /// New entries of the conflict log.
    var conflictCount: Int
  }

  var surroundings: MergeSurroundings
  /// Stamps of the transactions that arrive.
  let arriving: Set<Stamp>
  let nowMilliseconds: UInt64
  /// New entries, by record.
  var conflicts: [RecordKey: [Conflict]] = [:]
  /// Entries that are in the log already and change; nil: they go.
  var rewritten: [[UInt8]: Conflict?] = [:]
  /// Children that arrive, by the record above them.
  var arrivingChildren: [RecordKey: [RecordKey]] = [:]

  /// `transactions` are in this store's numbering, all of one replica, in order.
  static func plan(
    _ transactions: [TransactionFacts], surroundings: MergeSurroundings, nowMilliseconds: UInt64
  ) -> Plan {
    var merge = Merge(
      surroundings: surroundings, arriving: Set(transactions.map(\.stamp)), nowMilliseconds: nowMilliseconds)
    var request = SaveRequest(merge: MergeOrigin(transactions: []))
    for transaction in transactions {
      request.merge?.transactions.append(
        MergeOrigin.Transaction(
          dot: transaction.dot, stamp: transaction.stamp, author: transaction.author, context: transaction.context))
      request.attachments += merge.surroundings.contexts.note(transaction)
      for facts in transaction.records {
        request.changes.append(.facts(facts))
        if !merge.surroundings.joinEntities.contains(facts.entity) { merge.add(facts, of: transaction) }
      }
    }
    merge.compareTwins()
    merge.judgeLives(of: transactions)
    request.attachments += merge.logAttachments
    return Plan(request: request, conflictCount: merge.conflicts.values.reduce(0) { $0 + $1.count })
  }

  private var logAttachments: [SaveRequest.Attachment] {
    let new = conflicts.values.joined().map { SaveRequest.Attachment(key: $0.key, value: $0.encoded) }
    let old = rewritten.map { SaveRequest.Attachment(key: $0.key, value: $0.value?.encoded) }
    return (new + old).sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Compares what arrives of one record with what is known, then joins it.
  private mutating func add(_ facts: RecordFacts, of transaction: TransactionFacts) {
    var joined = facts
    if let stored = surroundings.known[facts.key] {
      // Where ids were joined before, the log speaks of the one that stands for all.
      joined.id = stored.id
      supersede(joined, of: transaction)
      for register in facts.registers {
        guard let other = stored.register(at: register.ordinal) else { continue }
        compare(register, with: other, kind: .editLost, record: stored.key)
      }
      joined.join(stored)
    }
    surroundings.known[facts.key] = joined
    for parent in surroundings.cascades.parents(of: joined) {
      arrivingChildren[parent, default: []].append(facts.key)
    }
  }

  /// New records that end up with the unique value of another one, both alive, are one record from now on.
  private mutating func compareTwins() {
    for (key, twin) in surroundings.twins.sorted(by: { $0.key < $1.key }) {
      guard let facts = surroundings.known[key], let other = surroundings.known[twin],
        facts.isAliveByItself, other.isAliveByItself, surroundings.sharesUniqueValue(facts, other)
      else { continue }
      let record = RecordKey(entity: key.entity, id: min(facts.id, other.id))
      for register in facts.registers {
        guard let rival = other.register(at: register.ordinal) else { continue }
        compare(register, with: rival, kind: .aliasJoined, record: record)
      }
    }
  }

  private mutating func compare(
    _ register: RecordFacts.Register, with other: RecordFacts.Register, kind: Conflict.Kind, record: RecordKey
  ) {
    guard register.stamp != other.stamp, !surroundings.isSame(register.value, other.value) else { return }
    let (winner, loser) = register.stamp > other.stamp ? (register, other) : (other, register)
    guard !surroundings.contexts.didSee(winner.stamp, loser.stamp) else { return }
    log(
      kind, record, lost: loser.stamp, winning: winner.stamp,
      field: Conflict.Field(ordinal: loser.ordinal, lost: loser.value, winning: winner.value))
  }

  /// A lost value whose author's successor wrote the field again, knowing it but not what it had lost to, is not
  /// lost any more: the successor's own value stands for it, and wins or is logged itself.
  private mutating func supersede(_ facts: RecordFacts, of transaction: TransactionFacts) {
    let knows = { (stamp: Stamp) in
      stamp.replica == transaction.dot.replica || transaction.context.covers(stamp)
    }
    let written = Set(facts.registers.map(\.ordinal))
    for old in surroundings.logged[facts.key] ?? [] where knows(old.lostStamp) && !knows(old.winningStamp) {
      var entry = old
      if let pending = rewritten[old.key] {
        guard let pending else { continue }
        entry = pending
      }
      let kept = entry.fields.filter { !written.contains($0.ordinal) }
      guard kept.count < entry.fields.count else { continue }
      entry.fields = kept
      rewritten[old.key] = .some(kept.isEmpty ? nil : entry)
    }
    guard let pending = conflicts[facts.key] else { return }
    conflicts[facts.key] = pending.compactMap { entry in
      guard knows(entry.lostStamp), !knows(entry.winningStamp) else { return entry }
      var kept = entry
      kept.fields.removeAll { written.contains($0.ordinal) }
      return kept.fields.isEmpty && !entry.fields.isEmpty ? nil : kept
    }
  }

  /// Notes a loss, once. A value that its author's successor took up, and that lost as well, is not lost itself.
  mutating func log(
    _ kind: Conflict.Kind, _ record: RecordKey, lost: Stamp, winning: Stamp, field: Conflict.Field? = nil
  ) {
    let before = (surroundings.logged[record] ?? []) + (conflicts[record] ?? [])
    let entry = Conflict(
      kind: kind, entity: record.entity, record: record.id, lostStamp: lost, winningStamp: winning,
      loggedAtMilliseconds: nowMilliseconds)
    guard let field else {
      if !before.contains(where: { $0.isSameLoss(as: entry) }) { conflicts[record, default: []].append(entry) }
      return
    }
    let isTakenUp = before.contains { other in
      other.fields.contains { $0.ordinal == field.ordinal } && other.lostStamp != lost
        && surroundings.contexts.didSee(other.lostStamp, lost)
        && !surroundings.contexts.didSee(other.lostStamp, winning)
    }
    guard !isTakenUp else { return }
    let index = conflicts[record]?.firstIndex { $0.isSameLoss(as: entry) } ?? conflicts[record]?.count ?? 0
    if index == conflicts[record]?.count ?? 0 { conflicts[record, default: []].append(entry) }
    guard conflicts[record]?[index].fields.contains(where: { $0.ordinal == field.ordinal }) == false else { return }
    conflicts[record]?[index].fields.append(field)
    conflicts[record]?[index].fields.sort { $0.ordinal < $1.ordinal }
  }
}

extension Conflict {
  fileprivate func isSameLoss(as other: Conflict) -> Bool {
    kind == other.kind && lostStamp == other.lostStamp && winningStamp == other.winningStamp
  }
}
