import RecordStore

/// Whether what a snapshot claims fits together, and fits what is known here.
///
/// Checksums tell damage and no lie. A store that believed a lie would count transactions as seen of which it has
/// nothing, or have facts that it does not count as seen; what authors knew then has one answer today and another
/// when the transactions arrive. So ``check()`` is asked before records are read, ``CheckedRecords`` before each record
/// is taken and once more before the commit.
struct SnapshotClaims: Sendable {
  /// All but the records.
  let content: SnapshotContent
  let vector: VersionVector
  let holdsReferences: Bool
  /// Names the snapshot, for messages.
  let subject: String

  init(_ stored: StoredContent) {
    content = stored.content
    vector = stored.manifest.vector
    holdsReferences = stored.manifest.holdsReferences
    subject = stored.path
  }

  /// Throws `damagedFile` if the parts beside the records contradict each other.
  func check() throws {
    for (replica, entry) in vector.entries where entry.stamp.replica != replica || entry.sequence == 0 {
      throw contradiction("counts a transaction of replica \(replica) that is not one of its stream")
    }
    for entry in content.once {
      guard !entry.runs.isEmpty, zip(entry.runs, entry.runs.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw contradiction("holds runs of a once key that do not follow each other")
      }
    }
    let others = content.pastWrites.map(\.write.stamp) + content.contexts.map(\.since)
    guard others.allSatisfy(content.isCounted(by: vector)) else {
      throw contradiction("speaks of transactions that its own version vector does not count")
    }
    try checkReferences(content.pastWrites.map(\.write.value) + (try content.conflictValues))
    for (gone, kept) in content.aliases where kept >= gone || content.aliases[kept] != nil { throw isTaken(gone) }
  }

  /// Throws `damagedFile` where something is written like the name of a large value that no value can have.
  fileprivate func checkReferences(_ values: some Sequence<FieldValue>) throws {
    guard holdsReferences, values.contains(where: ExternalReference.isBroken) else { return }
    throw contradiction("names a large value of a length that no value has")
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

  fileprivate func isTaken(_ gone: RecordID) -> SyncError {
    contradiction("gives the id \(gone) to a record that cannot have it")
  }

  fileprivate func contradiction(_ what: String) -> SyncError {
    SyncError(
      .damagedFile,
      "\(subject) contradicts itself or this store: it \(what); remove it and have its device write another")
  }
}

/// The records of a snapshot, judged one after another by what the snapshot says beside them.
struct CheckedRecords {
  private let claims: SnapshotClaims
  private let reach: ClockReach
  private let isCounted: (Stamp) -> Bool
  private var ledger: [UInt64: Set<Stamp>] = [:]
  private var greatest = Stamp.zero
  /// The records of which other parts of the snapshot speak.
  private let namedKeys: Set<RecordKey>
  private let namedIDs: Set<RecordID>
  private var present: [RecordKey: RecordFacts] = [:]
  private var presentIDs: Set<RecordID> = []

  init(_ claims: SnapshotClaims, within reach: ClockReach) {
    self.claims = claims
    self.reach = reach
    let content = claims.content
    isCounted = content.isCounted(by: claims.vector)
    for entry in content.once { ledger[entry.key.hash, default: []].formUnion(entry.runs) }
    namedKeys = Set(content.pastWrites.map { RecordKey(entity: $0.entity, id: $0.id) })
    namedIDs = Set(content.aliases.keys).union(content.aliases.values)
  }

  /// Throws `damagedFile` for a record, in the numbers of its author, that contradicts what the snapshot says beside
  /// it, or bears a time above which no device could write.
  mutating func take(_ record: RecordFacts) throws {
    // Every value is of a transaction that the vector counts, under any of its names: what authors knew depends on
    // that. Lives, deaths and once runs do not; those of a salvaged store may be of transactions that nobody has.
    guard record.registers.allSatisfy({ isCounted($0.stamp) }) else {
      throw claims.contradiction("holds values of record \(record.id) that its own version vector does not count")
    }
    // Such a record proves a run of the key, and the author's ledger keeps every run: without it the key would have
    // its effect a second time.
    guard record.onceInserts.allSatisfy({ ledger[$0.keyHash]?.contains($0.stamp) == true }) else {
      throw claims.contradiction("has a record of a once key that its ledger does not know")
    }
    try claims.checkReferences(record.registers.lazy.map(\.value))
    if let newest = record.newestStamp, newest > greatest {
      try reach.take([newest], subject: claims.subject)
      greatest = newest
    }
    if namedKeys.contains(record.key) { present[record.key, default: record].join(record) }
    if namedIDs.contains(record.id) { presentIDs.insert(record.id) }
  }

  /// Throws `damagedFile` if other parts of the snapshot speak of records otherwise than all that were taken show.
  func end() throws {
    // Every overwritten value was overwritten.
    for past in claims.content.pastWrites {
      let now = present[RecordKey(entity: past.entity, id: past.id)]?.register(at: past.write.ordinal)
      guard let now, past.write.stamp < now.stamp else {
        throw claims.contradiction(
          "calls a value of record \(past.id) overwritten that nothing newer has overwritten")
      }
    }
    // An alias leads in one step to the id of a record; it is no record itself.
    for (gone, kept) in claims.content.aliases where !presentIDs.contains(kept) || presentIDs.contains(gone) {
      throw claims.isTaken(gone)
    }
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
