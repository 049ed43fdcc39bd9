import RecordStore

/// The parts of a snapshot that a store takes: facts in its own numbering, and the work that is left on records that
/// the snapshot's store has forgotten.
struct SnapshotJoin: Sendable {
  /// How many records are taken in at a time.
  private static let partCount = 5_000

  private let stored: StoredContent
  private let claims: SnapshotClaims
  private let reach: ClockReach
  private let mapping: CatalogueMapping
  /// Where the store's large values lie.
  private let values: ExternalFolder?
  private let nowMilliseconds: UInt64
  /// Whether the store has seen no transaction.
  private let isNew: Bool
  /// Whether the store has records: a salvaged one has, though it has seen nothing.
  private let hasRecords: Bool
  private let seen: VersionVector
  private let forks: ForkedStreams
  private let void: VoidFacts
  /// The cut up to which the snapshot's store has collected; nil if nothing.
  private var cut: VersionVector?
  /// The attachments for which the records are not needed.
  private var attachments: [StoreAttachment] = []
  private var announcement: TransactionOrigin?

  /// Throws `damagedFile` if the snapshot contradicts the store.
  init(
    _ stored: StoredContent, within reach: ClockReach, in snapshot: borrowing StoreSnapshot, values: ExternalFolder?,
    nowMilliseconds: UInt64
  ) throws {
    claims = SnapshotClaims(stored)
    try claims.check(against: snapshot)
    self.stored = stored
    self.reach = reach
    self.values = values
    self.nowMilliseconds = nowMilliseconds
    let content = stored.content
    mapping = CatalogueMapping(author: stored.author, local: snapshot.catalogue)
    seen = try snapshot.versionVector
    isNew = seen.entries.isEmpty
    hasRecords = try SnapshotJoin.hasRecords(in: snapshot)
    forks = try snapshot.forkedStreams
    void = try VoidFacts(content, seen: seen, forks, in: snapshot)
    let state = try CollectionState(snapshot)
    var collected = state.collected
    var writers: [WriterVersion] = []
    for attachment in content.attachments {
      guard !attachment.key.starts(with: SyncAttachment.conflicts) else {
        // A store with a log of its own says by itself what it has lost.
        if isNew, let conflict = try SnapshotJoin.translate(attachment, mapping) { attachments.append(conflict) }
        continue
      }
      guard !attachment.key.starts(with: SyncAttachment.versions) else {
        writers.append(try WriterVersion(attachment))
        continue
      }
      // Contexts of authors are known here as far as they are: they decided what was logged and collected.
      let isContext = attachment.key.starts(with: SyncAttachment.contexts)
      if isContext, try snapshot.attachment(attachment.key) != nil { continue }
      guard attachment.key == SyncAttachment.collected else {
        attachments.append(attachment)
        continue
      }
      var reader = FileReader(attachment.value ?? [], subject: "the collected cut")
      let cut = try reader.versionVector()
      collected.join(cut)
      self.cut = cut
    }
    attachments.append(CollectionState.collected(collected))
    attachments += try WriterVersion.noting(writers, in: snapshot)
    announcement = try announcement(in: snapshot)
  }

  private static func hasRecords(in snapshot: borrowing StoreSnapshot) throws -> Bool {
    struct Found: Error {}
    do {
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachStoredFacts(of: entity.number) { _, _ in throw Found() }
      }
      return false
    } catch is Found {
      return true
    }
  }

  /// `check` throws when the work is to end.
  func facts(_ check: @escaping @Sendable () throws -> Void) -> JoinedFacts {
    let content = stored.content
    let facts = RestoredFacts(
      vector: stored.manifest.vector, aliases: content.aliases,
      pastWrites: content.pastWrites.compactMap { void.isVoid($0) ? nil : SnapshotJoin.translate($0, mapping) },
      contexts: content.contexts, once: content.once)
    return JoinedFacts(
      facts: facts, attachments: attachments, announcement: announcement,
      holdsReferences: stored.manifest.holdsReferences
    ) { snapshot, body throws in
      try read(in: snapshot, check, body)
    }
  }

  /// Gives the records part by part, each judged before. Returns what follows from all of them.
  private func read(
    in snapshot: borrowing StoreSnapshot, _ check: () throws -> Void, _ body: ([RecordFacts]) throws -> Void
  ) throws -> [StoreAttachment] {
    var consequences: [StoreAttachment] = []
    var there: Set<RecordID> = []
    // In earlier formats what looks like a name of a value is a value.
    let isReferring = stored.manifest.holdsReferences
    var references = isReferring ? try stored.content.references : []
    try ReadAhead.forEach { [stored, mapping, claims, reach] give throws in
      var checked = CheckedRecords(claims, within: reach)
      var part: [RecordFacts] = []
      try stored.forEachRecord { record in
        try checked.take(record)
        guard let record = mapping.translate(record) else { return }
        part.append(record)
        guard part.count == SnapshotJoin.partCount else { return }
        try give(part)
        part = []
      }
      try checked.end()
      try give(part)
    } use: { part in
      try check()
      if hasRecords, cut != nil { there.formUnion(part.map(\.id)) }
      let kept = part.compactMap { record in
        void.leavingOut(record) { consequences.append(voidDelete($0, of: record)) }
      }
      for record in kept {
        if !isNew { consequences += try losses(against: record, in: snapshot) }
        if isReferring { references.formUnion(record.references) }
      }
      try body(kept)
    }
    consequences += try ValueList.entries(
      of: references, by: stored.manifest.replica, here: values, in: snapshot)
    if let cut, hasRecords, let forgotten = try forgotten(cut, there, in: snapshot) { consequences.append(forgotten) }
    return consequences
  }

  private static func translate(_ past: RecordPastWrite, _ mapping: CatalogueMapping) -> RecordPastWrite? {
    let register = RecordFacts.Register(
      ordinal: past.write.ordinal, value: past.write.value, stamp: past.write.stamp)
    let facts = mapping.translate(RecordFacts(entity: past.entity, id: past.id, registers: [register]))
    guard let facts, let translated = facts.registers.first else { return nil }
    return RecordPastWrite(
      entity: facts.entity, id: facts.id,
      write: PastWrite(ordinal: translated.ordinal, stamp: translated.stamp, value: translated.value))
  }

  /// An entry of the conflict log in this store's numbering; nil where it does not know the field.
  private static func translate(
    _ attachment: StoreAttachment, _ mapping: CatalogueMapping
  ) throws -> StoreAttachment? {
    var conflict = try Conflict(key: attachment.key, value: attachment.value ?? [])
    let subject = RecordFacts(entity: conflict.entity, id: conflict.record)
    guard let entity = mapping.translate(subject)?.entity else { return nil }
    let fields = conflict.fields.compactMap { field -> Conflict.Field? in
      var written = subject
      written.registers = [
        RecordFacts.Register(ordinal: field.ordinal, value: field.lost, stamp: conflict.lostStamp)
      ]
      let ordinal = mapping.translate(written)?.registers.first?.ordinal
      return ordinal.map { Conflict.Field(ordinal: $0, lost: field.lost, winning: field.winning) }
    }
    guard fields.count == conflict.fields.count else { return nil }
    conflict.entity = entity
    conflict.fields = fields.sorted { $0.ordinal < $1.ordinal }
    return StoreAttachment(key: conflict.key, value: conflict.encoded)
  }

  /// A record of which the snapshot covers facts and holds none was forgotten by the snapshot's store: a collection
  /// that this store has still to carry out. A record of this store's under an id under which the snapshot means
  /// another life is no such record, whatever the snapshot says of the id.
  private func forgotten(
    _ cut: VersionVector, _ there: Set<RecordID>, in snapshot: borrowing StoreSnapshot
  ) throws -> StoreAttachment? {
    let (manifest, there) = (stored.manifest, there.union(stored.content.aliases.keys))
    var covered = manifest.vector
    for own in try [snapshot.replica] + snapshot.formerReplicas.map(\.replica) where !forks.names(own) {
      guard let entry = covered.entries[own], try !snapshot.agrees(with: entry, of: own) else { continue }
      covered.entries[own] = nil
    }
    var missing: [Forgetting.Record] = []
    for entity in snapshot.catalogue.entities {
      try snapshot.forEachStoredFacts(of: entity.number) { known, _ in
        guard !there.contains(known.id), known.stamps.contains(where: { forks.covers(covered, $0) }) else { return }
        missing.append(Forgetting.Record(entity: entity.number, id: known.id))
      }
    }
    guard !missing.isEmpty else { return nil }
    let newest = manifest.vector.entries.values.map(\.stamp).max() ?? .zero
    let stamp = Stamp(time: newest.time, counter: newest.counter, replica: manifest.replica)
    return TombstoneCollection(stamp: stamp, covered: covered, cut: cut, records: missing).attachment
  }

  /// Nil if nothing is new.
  private func announcement(in snapshot: borrowing StoreSnapshot) throws -> TransactionOrigin? {
    let (content, manifest) = (stored.content, stored.manifest)
    let advanced = manifest.vector.entries.filter { $0.value.sequence > seen.sequence(of: $0.key) }
    let source = advanced[manifest.replica].map { (manifest.replica, $0) }
    guard let (replica, entry) = source ?? advanced.min(by: { $0.key < $1.key }).map({ ($0.key, $0.value) }) else {
      return nil
    }
    var contexts = CausalContexts(own: try snapshot.replica)
    try contexts.read(content.attachments)
    return TransactionOrigin(
      dot: Dot(replica: replica, sequence: entry.sequence), stamp: entry.stamp, author: nil,
      context: contexts.vector(of: entry.stamp) ?? VersionVector())
  }

  private func voidDelete(_ stamp: Stamp, of record: RecordFacts) -> StoreAttachment {
    let key = RecordKey(entity: record.entity, id: record.id)
    return Conflict(voidDelete: stamp, of: key, loggedAtMilliseconds: nowMilliseconds).attachment
  }

  /// Writes of this store that the snapshot has not seen, and that lose against what it says of a record.
  private func losses(
    against arriving: RecordFacts, in snapshot: borrowing StoreSnapshot
  ) throws -> [StoreAttachment] {
    guard let known = try snapshot.storedFacts(arriving.id, of: arriving.entity) else { return [] }
    var conflicts: [Conflict] = []
    for register in known.registers where !forks.covers(stored.manifest.vector, register.stamp) {
      let field = { Conflict.Field(ordinal: register.ordinal, lost: register.value, winning: $0) }
      let log = { (kind: Conflict.Kind, winner: Stamp, field: Conflict.Field) in
        Conflict(
          kind: kind, entity: known.entity, record: known.id, lostStamp: register.stamp, winningStamp: winner,
          fields: [field], loggedAtMilliseconds: nowMilliseconds)
      }
      if let rival = arriving.register(at: register.ordinal), rival.stamp > register.stamp,
        !rival.value.isSame(asStored: register.value)
      {
        conflicts.append(log(.editLost, rival.stamp, field(rival.value)))
      } else if let deleted = arriving.deleted, deleted > register.stamp, deleted > arriving.touch ?? .zero {
        conflicts.append(log(.editLostToDelete, deleted, field(.null)))
      }
    }
    return conflicts.map { StoreAttachment(key: $0.key, value: $0.encoded) }
  }
}
