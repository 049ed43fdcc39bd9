import RecordStore

/// Whether what a snapshot claims fits together, and fits what is known here: asked before anything of it is taken.
///
/// Checksums tell damage and no lie. A store that believed a lie would count transactions as seen of which it has
/// nothing, or have facts that it does not count as seen; what authors knew then has one answer today and another
/// when the transactions arrive.
struct SnapshotClaims {
  /// All but the records.
  let content: SnapshotContent
  let vector: VersionVector
  /// Names the snapshot, for messages.
  let subject: String

  /// Throws `damagedFile` if the parts contradict each other. `forEachRecord` reads the records. Returns the greatest
  /// stamp of them.
  func check(_ forEachRecord: ((RecordFacts) throws -> Void) throws -> Void) throws -> Stamp {
    for (replica, entry) in vector.entries where entry.stamp.replica != replica || entry.sequence == 0 {
      throw contradiction("counts a transaction of replica \(replica) that is not one of its stream")
    }
    for entry in content.once {
      guard !entry.runs.isEmpty, zip(entry.runs, entry.runs.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw contradiction("holds runs of a once key that do not follow each other")
      }
    }
    let isCounted = content.isCounted(by: vector)
    let others = content.pastWrites.map(\.write.stamp) + content.contexts.map(\.since)
    guard others.allSatisfy(isCounted) else {
      throw contradiction("speaks of transactions that its own version vector does not count")
    }
    var named = NamedRecords(content)
    var ledger: [UInt64: Set<Stamp>] = [:]
    for entry in content.once { ledger[entry.key.hash, default: []].formUnion(entry.runs) }
    var greatest = Stamp.zero
    try forEachRecord { record in
      // Every value is of a transaction that the vector counts, under any of its names: what authors knew depends on
      // that. Lives, deaths and once runs do not; those of a salvaged store may be of transactions that nobody has.
      guard record.registers.allSatisfy({ isCounted($0.stamp) }) else {
        throw contradiction("holds values of record \(record.id) that its own version vector does not count")
      }
      // Such a record proves a run of the key, and the author's ledger keeps every run: without it the key would have
      // its effect a second time.
      guard record.onceInserts.allSatisfy({ ledger[$0.keyHash]?.contains($0.stamp) == true }) else {
        throw contradiction("has a record of a once key that its ledger does not know")
      }
      named.note(record)
      greatest = record.stamps.reduce(greatest, max)
    }
    try checkPastWrites(named)
    try checkAliases(named)
    return greatest
  }

  /// The records of which other parts of the snapshot speak.
  private struct NamedRecords {
    private let keys: Set<RecordKey>
    private let ids: Set<RecordID>
    private(set) var present: [RecordKey: RecordFacts] = [:]
    private(set) var presentIDs: Set<RecordID> = []

    init(_ content: SnapshotContent) {
      keys = Set(content.pastWrites.map { RecordKey(entity: $0.entity, id: $0.id) })
      ids = Set(content.aliases.keys).union(content.aliases.values)
    }

    mutating func note(_ record: RecordFacts) {
      if keys.contains(record.key) { present[record.key, default: record].join(record) }
      if ids.contains(record.id) { presentIDs.insert(record.id) }
    }
  }

  /// Every overwritten value was overwritten.
  private func checkPastWrites(_ named: NamedRecords) throws {
    for past in content.pastWrites {
      let now = named.present[RecordKey(entity: past.entity, id: past.id)]?.register(at: past.write.ordinal)
      guard let now, past.write.stamp < now.stamp else {
        throw contradiction("calls a value of record \(past.id) overwritten that nothing newer has overwritten")
      }
    }
  }

  /// An alias leads in one step to a smaller id, which is that of a record; it is no record itself.
  private func checkAliases(_ named: NamedRecords) throws {
    for (gone, kept) in content.aliases {
      guard kept < gone, named.presentIDs.contains(kept), !named.presentIDs.contains(gone),
        content.aliases[kept] == nil
      else { throw contradiction("gives the id \(gone) to a record that cannot have it") }
    }
  }

  /// Throws `damagedFile` if the vector cannot be of the streams that this store has read. One of two stores that write
  /// under one id may look like that: its snapshots are refused until files show that the stream was forked.
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
      for entity in snapshot.catalogue.entities where try snapshot.storedAsWritten(gone, of: entity.number)?.id == gone
      {
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
  func isCounted(by vector: VersionVector) -> (Stamp) -> Bool {
    let forks = ForkedStreams(notes: attachments)
    // Without forks a stream has one name.
    if forks.isEmpty { return { $0 != .zero && vector.covers($0) } }
    return { stamp in stamp != .zero && forks.names(of: stamp).contains(where: vector.covers) }
  }
}
