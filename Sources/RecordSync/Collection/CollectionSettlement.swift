import RecordStore

/// The effect of a collection on this store, worked out from the writer's snapshot: the records are forgotten, and
/// one that lives by what somebody wrote without knowing of the collection is said again, whole, for all others.
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
    for record in collection.records {
      guard let facts = try snapshot.storedAsWritten(record.id, of: record.entity), facts.id == record.id else {
        continue
      }
      let isDead = try dead.contains(record) || livesByOthers(facts, in: snapshot)
      if late.isEmpty || isDead && !facts.stamps.contains(where: isLate) {
        covered.records.append(record)
      } else if isDead {
        whole.records.append(record)
      } else {
        sayAgain(facts, void, nowMilliseconds: nowMilliseconds)
      }
    }
    work.forgettings = [covered, whole].filter { !$0.records.isEmpty }
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
      late[replica] = (after, contexts.first(of: replica, after: after) { !isLate(dot, stamp, $0) })
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

  /// The record lives here: it is logged as a delete that was overridden, and everybody gets it anew.
  private mutating func sayAgain(_ facts: RecordFacts, _ void: VersionVector, nowMilliseconds: UInt64) {
    // Where the delete itself never came, the collection stands for it.
    let deleted = facts.deleted ?? collection.stamp
    work.restatements.append(Restatement(entity: facts.entity, id: facts.id, deleted: deleted, void: void))
    guard let touch = facts.touch, isLate(touch) else { return }
    let conflict = Conflict(
      kind: .deletionOverridden, entity: facts.entity, record: facts.id, lostStamp: deleted,
      winningStamp: touch, loggedAtMilliseconds: nowMilliseconds)
    attachments.append(StoreAttachment(key: conflict.key, value: conflict.encoded))
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
