import RecordStore

/// What becomes of a collection at this store, worked out from the writer's snapshot: the records are forgotten, and
/// one that lives by what somebody wrote without knowing of the collection is said again, whole, for all others.
struct CollectionSettlement {
  let collection: TombstoneCollection
  /// Late authors whose transactions are here: the stamps between which they are late.
  private var late: [ReplicaID: (after: Stamp, before: Stamp?)] = [:]
  private(set) var request = SaveRequest()

  init(
    _ collection: TombstoneCollection, state: CollectionState, in snapshot: borrowing StoreSnapshot,
    nowMilliseconds: UInt64
  ) throws {
    self.collection = collection
    try findLateAuthors(in: snapshot)
    let dead = late.isEmpty ? [] : try snapshot.dead(among: collection.records)
    let void = void(seen: try snapshot.versionVector)
    var whole = Forgetting(records: [], covered: void)
    var covered = Forgetting(records: [], covered: collection.covered)
    for record in collection.records {
      guard let facts = try snapshot.written(record.id, of: record.entity), facts.id == record.id else { continue }
      let isDead = try dead.contains(record) || livesByOthers(facts, in: snapshot)
      if late.isEmpty || isDead && !facts.stamps.contains(where: isLate) {
        covered.records.append(record)
      } else if isDead {
        whole.records.append(record)
      } else {
        sayAgain(facts, void, nowMilliseconds: nowMilliseconds)
      }
    }
    request.forgettings = [covered, whole].filter { !$0.records.isEmpty }
    request.attachments += state.attachments(after: collection)
  }

  /// Replicas with transactions here that the collection's author had not seen, and that did not know its cut.
  private mutating func findLateAuthors(in snapshot: borrowing StoreSnapshot) throws {
    let contexts = try CausalContexts(in: snapshot)
    for (replica, entry) in try snapshot.versionVector.entries where replica != collection.stamp.replica {
      let seen = collection.covered.sequence(of: replica)
      guard entry.sequence > seen else { continue }
      let first = Dot(replica: replica, sequence: seen + 1)
      let stamp = try snapshot.stamp(of: first) ?? entry.stamp
      guard let context = try snapshot.context(of: first) ?? contexts.vector(of: stamp),
        TombstoneCollection.isLate(first, context: context, to: collection.cut)
      else { continue }
      let after = collection.covered.entries[replica]?.stamp ?? .zero
      late[replica] = (
        after, contexts.first(of: replica, after: after) { $0.covers(collection.cut, except: [replica]) }
      )
    }
  }

  /// Whether a record is dead by its own facts, and shown only because it shares its row with others that live.
  private func livesByOthers(_ facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws -> Bool {
    guard let deleted = facts.deleted, facts.life ?? .zero <= deleted,
      let row = try snapshot.facts(facts.id, of: facts.entity)
    else { return false }
    return row.life ?? .zero > row.deleted ?? .zero
  }

  /// What nobody knows any more of the records, or will: what the collection's author had seen, and what late authors
  /// wrote as long as they were late. `seen`: all that is here.
  private func void(seen: VersionVector) -> VersionVector {
    var void = collection.covered
    for (replica, stretch) in late {
      guard let last = seen.entries[replica] else { continue }
      void.entries[replica] = last
      if let before = stretch.before { void.entries[replica]?.stamp = before.predecessor }
    }
    return void
  }

  private func isLate(_ stamp: Stamp) -> Bool {
    guard let late = late[stamp.replica] else { return false }
    return stamp > late.after && late.before.map { stamp < $0 } ?? true
  }

  /// The record lives here: it is logged as a delete that was overridden, and everybody gets it anew.
  private mutating func sayAgain(_ facts: RecordFacts, _ void: VersionVector, nowMilliseconds: UInt64) {
    // Where the delete itself never came, the collection stands for it.
    let deleted = facts.deleted ?? collection.stamp
    request.restatements.append(Restatement(entity: facts.entity, id: facts.id, deleted: deleted, void: void))
    guard let touch = facts.touch, isLate(touch) else { return }
    let conflict = Conflict(
      kind: .deletionOverridden, entity: facts.entity, record: facts.id, lostStamp: deleted,
      winningStamp: touch, loggedAtMilliseconds: nowMilliseconds)
    request.attachments.append(SaveRequest.Attachment(key: conflict.key, value: conflict.encoded))
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
