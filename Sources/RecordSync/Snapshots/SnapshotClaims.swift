import RecordStore

/// Whether what a snapshot claims fits together, and fits what is known here: asked before anything of it is taken.
///
/// Checksums tell damage and no lie. A store that believed a lie would count transactions as seen of which it has
/// nothing, or have facts that it does not count as seen; then who knew whom is answered one way today and another way
/// when the transactions arrive.
struct SnapshotClaims {
  let content: SnapshotContent
  let vector: VersionVector
  /// Names the snapshot, for messages.
  let subject: String

  /// Throws `damagedFile` if the parts contradict each other.
  func check() throws {
    for (replica, entry) in vector.entries where entry.stamp.replica != replica || entry.sequence == 0 {
      throw contradiction("counts a transaction of replica \(replica) that is not one of its stream")
    }
    try checkStamps()
    try checkPastWrites()
    try checkAliases()
    for entry in content.once {
      guard !entry.runs.isEmpty, zip(entry.runs, entry.runs.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw contradiction("holds runs of a once key that do not follow each other")
      }
    }
  }

  /// Every value is of a transaction that the vector counts, under whichever of its names: who knew of it depends on
  /// that. Lives, deaths and once runs do not; those of a salvaged store may be of transactions that nobody has.
  private func checkStamps() throws {
    let isCounted = content.isCounted(by: vector)
    for record in content.records {
      guard record.registers.allSatisfy({ isCounted($0.stamp) }) else {
        throw contradiction("holds values of record \(record.id) that its own version vector does not count")
      }
    }
    let others = content.pastWrites.map(\.write.stamp) + content.contexts.map(\.since)
    guard others.allSatisfy(isCounted) else {
      throw contradiction("speaks of transactions that its own version vector does not count")
    }
  }

  /// Every overwritten value was overwritten.
  private func checkPastWrites() throws {
    guard !content.pastWrites.isEmpty else { return }
    var present: [RecordKey: RecordFacts] = [:]
    for record in content.records { present[record.key, default: record].join(record) }
    for past in content.pastWrites {
      let now = present[RecordKey(entity: past.entity, id: past.id)]?.register(at: past.write.ordinal)
      guard let now, past.write.stamp < now.stamp else {
        throw contradiction("calls a value of record \(past.id) overwritten that nothing newer has overwritten")
      }
    }
  }

  /// An alias leads in one step to a smaller id, which is that of a record; it is no record itself.
  private func checkAliases() throws {
    guard !content.aliases.isEmpty else { return }
    let ids = Set(content.records.map(\.id))
    for (gone, kept) in content.aliases {
      guard kept < gone, ids.contains(kept), !ids.contains(gone), content.aliases[kept] == nil else {
        throw contradiction("gives the id \(gone) to a record that cannot have it")
      }
    }
  }

  /// Throws `damagedFile` if the vector cannot be of the streams that this store has read. Of two stores that write
  /// under one id, one may look like that: its snapshots are refused until files show that the stream was forked.
  func check(against snapshot: borrowing StoreSnapshot) throws {
    let (own, applied) = (try snapshot.replica, try snapshot.versionVector)
    let forks = try snapshot.forkedStreams
    if vector.sequence(of: own) > applied.sequence(of: own) {
      throw contradiction("counts transactions of this device that it has not written")
    }
    for (replica, entry) in vector.entries {
      guard let known = applied.entries[replica], replica != own else { continue }
      let isAhead = entry.sequence > known.sequence
      if isAhead ? entry.stamp > known.stamp : entry.stamp <= known.stamp { continue }
      // Where a stream is known to be forked, its id counts for nothing behind the place where it parted.
      if !isAhead, forks.names(replica) { continue }
      throw contradiction("counts transactions of replica \(replica) otherwise than its stream has them")
    }
    for branch in ForkedStreams(notes: content.attachments).branchIDs where !forks.names(branch) {
      guard branch != own, applied.entries[branch] == nil else {
        throw contradiction("calls replica \(branch), which is known as a device, a branch of another stream")
      }
    }
    for gone in content.aliases.keys {
      for entity in snapshot.catalogue.entities where try snapshot.written(gone, of: entity.number)?.id == gone {
        throw contradiction("gives the id \(gone) to another record than the one that has it here")
      }
    }
  }

  private func contradiction(_ what: String) -> SyncError {
    SyncError(
      .damagedFile,
      "\(subject) contradicts itself or this store: it \(what); remove it and have its device write another")
  }
}

extension SnapshotContent {
  /// Tells whether a stamp is of a transaction that the vector counts, under whichever of its names.
  fileprivate func isCounted(by vector: VersionVector) -> (Stamp) -> Bool {
    let forks = ForkedStreams(notes: attachments)
    return { stamp in stamp != .zero && forks.names(of: stamp).contains(where: vector.covers) }
  }

  /// What others may learn from this store; nil as long as it has values of transactions that it does not count.
  ///
  /// A salvaged store has such values until it has read all streams anew. What it had written itself and never
  /// exported, and overwritten since, stays its own.
  func told(by vector: VersionVector) -> SnapshotContent? {
    let isCounted = isCounted(by: vector)
    guard records.allSatisfy({ $0.registers.allSatisfy { isCounted($0.stamp) } }) else { return nil }
    var told = self
    told.pastWrites.removeAll { !isCounted($0.write.stamp) }
    told.contexts.removeAll { !isCounted($0.since) }
    return told
  }
}
