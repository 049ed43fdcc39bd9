import RecordStore

/// The effect of a collection on this store, worked out from the writer's snapshot: the records are forgotten, and
/// one that lives by what somebody wrote without knowing of the collection is said again, whole, for all others. So is
/// one that the rules of this store's schema show, while those of the author's did not.
struct CollectionSettlement {
  let collection: TombstoneCollection
  private let forks: ForkedStreams
  /// Late authors whose transactions are here: the stamps between which they are late.
  private var late: [ReplicaID: (after: Stamp, before: Stamp?)] = [:]
  private var work = MaintenanceWork()
  private var attachments: [StoreAttachment] = []

  init(
    _ collection: TombstoneCollection, state: CollectionState, in snapshot: borrowing StoreSnapshot,
    nowMilliseconds: UInt64
  ) throws {
    self.collection = collection
    forks = try snapshot.forkedStreams
    try findLateAuthors(in: snapshot)
    let dead = late.isEmpty ? [] : try snapshot.dead(among: collection.records)
    let void = void(seen: try snapshot.versionVector)
    var whole = Forgetting(records: [], covered: void)
    var covered = Forgetting(records: [], covered: collection.covered)
    var parts = Forgetting(records: [], covered: collection.covered, leavesParts: true)
    let shown = late.isEmpty ? try shown(in: snapshot) : []
    for record in collection.records {
      guard let facts = try facts(of: record, in: snapshot) else { continue }
      let isDead =
        try late.isEmpty ? !shown.contains(record) : dead.contains(record) || livesByOthers(facts, in: snapshot)
      let isLateWord = facts.stamps.contains(where: isLate)
      if !isDead, late.isEmpty || !isWhole(facts, without: void) {
        sayAgain(facts, void, nowMilliseconds: nowMilliseconds)
      } else if isLateWord || !isDead {
        whole.records.append(record)
        noteVoidDelete(of: facts, nowMilliseconds: nowMilliseconds)
      } else if isWhole(facts, without: collection.covered) || !hasNews(facts) {
        covered.records.append(record)
      } else {
        parts.records.append(record)
      }
    }
    work.forgettings = [covered, parts, whole].filter { !$0.records.isEmpty }
    attachments += state.attachments(after: collection)
  }

  var request: SaveRequest { SaveRequest(.maintenance(work), attachments: attachments) }

  /// Replicas with transactions here that the collection's author had not seen, and that did not know its cut.
  private mutating func findLateAuthors(in snapshot: borrowing StoreSnapshot) throws {
    let contexts = try CausalContexts(in: snapshot)
    let isLate = { [cut = collection.cut, forks] dot, stamp, context in
      TombstoneCollection.isLate(dot, stamp, context: context, to: cut, forks)
    }
    for (replica, entry) in try snapshot.versionVector.entries where replica != collection.stamp.replica {
      guard let (dot, stamp, after) = try firstUnseen(of: replica, upTo: entry, in: snapshot),
        let context = try snapshot.context(of: dot) ?? contexts.vector(of: stamp), isLate(dot, stamp, context)
      else { continue }
      let isKnowing = { !isLate(dot, stamp, $0) }
      let before =
        try replica == snapshot.replica
        ? snapshot.firstOwnStamp(after: dot.sequence, where: isKnowing)
        : contexts.first(of: replica, after: after, where: isKnowing)
      late[replica] = (after, before)
    }
  }

  /// The first transaction that the collection's author had not seen, by whichever name, and the stamp of the one
  /// before it. Transactions of a forked stream above where it parts are found under its branches' names.
  private func firstUnseen(
    of replica: ReplicaID, upTo last: VersionVector.Entry, in snapshot: borrowing StoreSnapshot
  ) throws -> (dot: Dot, stamp: Stamp, after: Stamp)? {
    let seen = collection.covered.entries[replica]
    var (sequence, after) = (seen?.sequence ?? 0, seen?.stamp ?? .zero)
    while sequence < last.sequence {
      sequence += 1
      let dot = Dot(replica: replica, sequence: sequence)
      let stamp = try snapshot.stamp(of: dot) ?? last.stamp
      if let shared = forks.lastShared(of: replica), stamp > shared { return nil }
      if !forks.covers(collection.covered, stamp) { return (dot, stamp, after) }
      after = stamp
    }
    return nil
  }

  private func facts(
    of record: Forgetting.Record, in snapshot: borrowing StoreSnapshot
  ) throws -> RecordFacts? {
    let facts = try snapshot.storedAsWritten(record.id, of: record.entity)
    return facts?.id == record.id ? facts : nil
  }

  /// The records that readers see here although this store knows all that the author of the collection did: those that
  /// a schema of other rules shows, and those that such a schema has let somebody edit since. Not those that were
  /// inserted since, nor those of whose delete nothing is known here, as in a store that is joined to a snapshot.
  private func shown(in snapshot: borrowing StoreSnapshot) throws -> Set<Forgetting.Record> {
    var shown: Set<Forgetting.Record> = []
    var deleted: Set<RecordID> = []
    var open: [RecordFacts] = []
    for record in collection.records {
      guard let facts = try facts(of: record, in: snapshot) else { continue }
      guard !isWhole(facts, without: collection.covered) else { continue }
      if facts.deleted != nil { deleted.insert(record.id) }
      guard try snapshot.row(record.id, of: record.entity) != nil else { continue }
      if facts.deleted != nil || hasNews(facts) {
        shown.insert(record)
        deleted.insert(record.id)
      } else {
        open.append(facts)
      }
    }
    // Below a deleted record by rules that hold where the collection was made; a pass for each level.
    var known = 0
    while known < deleted.count {
      known = deleted.count
      open.removeAll { facts in
        let isBelow = facts.registers.contains {
          if case .reference(let id) = $0.value { deleted.contains(id) } else { false }
        }
        if isBelow {
          shown.insert(Forgetting.Record(entity: facts.entity, id: facts.id))
          deleted.insert(facts.id)
        }
        return isBelow
      }
    }
    return shown
  }

  /// Whether anything of a record was written that the collection's author had not seen.
  private func hasNews(_ facts: RecordFacts) -> Bool {
    facts.stamps.contains { !forks.covers(collection.covered, $0) }
  }

  /// Whether a record is dead by its own facts, and shown only because it shares its row with others that live.
  private func livesByOthers(_ facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws -> Bool {
    guard let deleted = facts.deleted, facts.life ?? .zero <= deleted,
      let row = try snapshot.storedFacts(facts.id, of: facts.entity)
    else { return false }
    return row.life ?? .zero > row.deleted ?? .zero
  }

  /// The facts of the records that nobody knows any more, or will: those that the collection's author had seen, and
  /// those that late authors wrote as long as they were late. `seen`: all that is here.
  private func void(seen: VersionVector) -> VersionVector {
    var void = collection.covered
    for (replica, stretch) in late {
      guard var last = seen.entries[replica] else { continue }
      for end in [stretch.before?.predecessor, forks.lastShared(of: replica)] {
        if let end { last.stamp = min(last.stamp, end) }
      }
      void.entries[replica] = last
    }
    return void
  }

  private func isLate(_ stamp: Stamp) -> Bool {
    forks.names(of: stamp).contains { name in
      guard let late = late[name.replica], name > late.after, name <= forks.lastShared(of: name.replica) ?? name else {
        return false
      }
      return late.before.map { name < $0 } ?? true
    }
  }

  /// Whether all others have what a record is made of: somebody has inserted it or said it again since, and of what is
  /// void here nothing shows. A second insert would only beat what was written meanwhile.
  private func isWhole(_ facts: RecordFacts, without void: VersionVector) -> Bool {
    guard facts.isInserted, facts.life != nil else { return false }
    let stamps = [facts.touch].compactMap(\.self) + facts.onceInserts.map(\.stamp) + facts.registers.map(\.stamp)
    return !stamps.contains { forks.covers(void, $0) }
  }

  /// A delete that was made here without knowing of the collection goes with the facts that are void.
  private mutating func noteVoidDelete(of facts: RecordFacts, nowMilliseconds: UInt64) {
    guard let deleted = facts.deleted, isLate(deleted) else { return }
    let key = RecordKey(entity: facts.entity, id: facts.id)
    attachments.append(Conflict(voidDelete: deleted, of: key, loggedAtMilliseconds: nowMilliseconds).attachment)
  }

  /// The record lives here: it is logged as a delete that was overridden, and everybody gets it anew.
  private mutating func sayAgain(_ facts: RecordFacts, _ void: VersionVector, nowMilliseconds: UInt64) {
    // Where the delete itself never came, the collection stands for it.
    let deleted = facts.deleted ?? collection.stamp
    work.restatements.append(Restatement(entity: facts.entity, id: facts.id, deleted: deleted, void: void))
    guard let touch = facts.touch, isLate(touch) else { return }
    let conflict = Conflict(
      kind: .deletionOverridden, entity: facts.entity, record: facts.id, lostStamp: deleted,
      winningStamp: touch, loggedAtMilliseconds: nowMilliseconds)
    attachments.append(conflict.attachment)
  }
}

extension StoreSnapshot {
  /// The stamp of this replica's first transaction above `sequence` with a context as asked; nil if history has none.
  fileprivate func firstOwnStamp(after sequence: UInt64, where isMet: (VersionVector) -> Bool) throws -> Stamp? {
    let own = try replica
    let last = try versionVector.sequence(of: own)
    for sequence in sequence..<max(sequence, last) {
      let dot = Dot(replica: own, sequence: sequence + 1)
      if let context = try context(of: dot), isMet(context) { return try stamp(of: dot) }
    }
    return nil
  }
}

extension Stamp {
  /// The greatest stamp of the same replica that is smaller.
  fileprivate var predecessor: Stamp {
    counter > 0
      ? Stamp(time: time, counter: counter - 1, replica: replica)
      : Stamp(time: time == 0 ? 0 : time - 1, counter: .max, replica: replica)
  }
}
