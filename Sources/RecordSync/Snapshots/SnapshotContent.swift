import RecordStore

/// The payload of a snapshot: every fact of a store, and what its synchronisation must not forget.
///
/// Records are many: a store that writes a snapshot or joins one holds all but them (``SnapshotSource``,
/// ``StoredContent``).
///
/// A sequence of items: kind u8 · length u32 · bytes. The clock, the vector and the schema are in the manifest;
/// entity numbers and ordinals are those of its schema description. A reader that does not know a kind refuses the
/// snapshot, for a part of a store is worse than none.
struct SnapshotContent: Hashable, Sendable {
  /// Raw values are part of the format.
  enum Kind: UInt8 { case record = 1, alias, attachment, pastWrite, context, once }

  /// As they were written: records that share a row each for themselves.
  var records: [RecordFacts] = []
  /// Ids that an earlier build joined to others for good.
  var aliases: [RecordID: RecordID] = [:]
  /// Values of unique keys that were overwritten.
  var pastWrites: [RecordPastWrite] = []
  /// The contexts of transactions' authors.
  var contexts: [CausalContext] = []
  /// The once ledger.
  var once: [OnceEntry] = []
  /// The attachments of synchronisation: contexts, collections, retired replicas, versions of writers.
  var attachments: [StoreAttachment] = []

  /// The attachments that travel: facts about the family, and the conflict log's entries, not about this device.
  static let carried = [
    SyncAttachment.contexts, SyncAttachment.collected, SyncAttachment.forgotten, SyncAttachment.retired,
    ForkedStreams.prefix, ForkedStreams.momentPrefix, SyncAttachment.conflicts, SyncAttachment.versions,
  ]

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    forEachItem { bytes += $0 }
    return bytes
  }

  /// The items in their order: what a reader must know of records comes before them.
  func forEachItem(_ body: ([UInt8]) throws -> Void) rethrows {
    for (gone, kept) in aliases.sorted(by: { $0.key < $1.key }) {
      try body(
        FileWriter.item(.alias) { part in
          part.put(gone)
          part.put(kept)
        })
    }
    for past in pastWrites {
      try body(
        FileWriter.item(.pastWrite) { part in
          part.put(UInt32(past.entity))
          part.put(past.id)
          part.put(UInt32(past.write.ordinal))
          part.put(past.write.stamp)
          part.put(past.write.value)
        })
    }
    for known in contexts {
      try body(
        FileWriter.item(.context) { part in
          part.put(known.since)
          part.put(known.context)
        })
    }
    for entry in once {
      try body(
        FileWriter.item(.once) { part in
          part.put(entry.key.text)
          part.put(UInt32(entry.runs.count))
          for run in entry.runs { part.put(run) }
        })
    }
    for attachment in attachments {
      try body(
        FileWriter.item(.attachment) { part in
          part.put(counted: attachment.key)
          part.put(counted: attachment.value ?? [])
        })
    }
    for record in records { try body(SnapshotContent.item(of: record)) }
  }

  static func item(of record: RecordFacts) -> [UInt8] { FileWriter.item(.record) { $0.put(record) } }

  init() {}

  /// The greatest stamp of all but the records; zero if there is none.
  var greatestStamp: Stamp {
    var greatest = Stamp.zero
    for past in pastWrites { greatest = max(greatest, past.write.stamp) }
    for known in contexts { greatest = known.context.stamps.reduce(max(greatest, known.since), max) }
    for entry in once { greatest = entry.runs.reduce(greatest, max) }
    return greatest
  }

  /// Throws `damagedFile` or `newerFormat`.
  init(_ bytes: [UInt8], author: Catalogue, subject: String) throws {
    var items = SnapshotItems(subject: subject)
    try items.add(bytes[...]) { try take($0, &$1, author: author, subject: subject) }
    try items.end()
  }

  /// Throws `damagedFile` or `newerFormat`.
  mutating func take(_ kind: UInt8, _ part: inout FileReader, author: Catalogue, subject: String) throws {
    guard let kind = Kind(rawValue: kind) else {
      throw SyncError(.newerFormat, "\(subject) holds what this build does not know; update the app")
    }
    switch kind {
    case .record: records.append(try part.recordFacts(of: author))
    case .alias: aliases[try part.recordID()] = try part.recordID()
    case .pastWrite: pastWrites.append(try part.pastWrite(of: author))
    case .context:
      contexts.append(CausalContext(since: try part.stamp(), context: try part.versionVector()))
    case .once: once.append(try part.onceEntry())
    case .attachment:
      let key = Array(try part.counted(limit: 255))
      let value = Array(try part.counted(limit: part.remaining))
      guard SnapshotContent.carried.contains(where: key.starts) else { return }
      try SnapshotContent.check(key, value, subject: subject)
      attachments.append(StoreAttachment(key: key, value: value))
    }
  }
}

extension SnapshotContent {
  /// Throws `damagedFile` for an attachment that could not be read again: once in the store, it would stop every
  /// synchronisation.
  private static func check(_ key: [UInt8], _ value: [UInt8], subject: String) throws {
    if key.starts(with: SyncAttachment.contexts) {
      var contexts = CausalContexts(own: ReplicaID(0))
      try contexts.read(key: key, value: value)
    } else if key == SyncAttachment.collected {
      var reader = FileReader(value, subject: subject)
      _ = try reader.versionVector()
    } else if key.starts(with: SyncAttachment.forgotten) {
      _ = try ForgottenRecords(value)
    } else if key.starts(with: SyncAttachment.retired) {
      var reader = FileReader(key.dropFirst(SyncAttachment.retired.count), subject: subject)
      _ = try reader.integer(UInt64.self)
    } else if key.starts(with: SyncAttachment.versions) {
      _ = try WriterVersion(StoreAttachment(key: key, value: value))
    } else if key.starts(with: SyncAttachment.conflicts) {
      _ = try Conflict(key: key, value: value)
    }
  }
}

extension FileWriter {
  fileprivate static func item(_ kind: SnapshotContent.Kind, _ body: (inout FileWriter) -> Void) -> [UInt8] {
    var part = FileWriter(reserving: 256)
    body(&part)
    var item = FileWriter(reserving: part.bytes.count + 5)
    item.put(kind.rawValue)
    item.put(counted: part.bytes)
    return item.bytes
  }

  /// Entity u32 · id · flags u8 (1 inserted, 2 touched, 4 deleted) · stamps: count u32, each · places of touch and
  /// delete among them, as far as there are, u32 · once inserts: count u32 · each: key hash u64, place u32 ·
  /// registers: count u32 · each: ordinal u32, place u32, once flag u8, value.
  fileprivate mutating func put(_ facts: RecordFacts) {
    // Few: a search through them is faster than a table.
    var stamps: [Stamp] = []
    for stamp in facts.stamps.sorted() where stamps.last != stamp { stamps.append(stamp) }
    let place = { (stamp: Stamp) in UInt32(stamps.firstIndex(of: stamp) ?? 0) }
    put(UInt32(facts.entity))
    put(facts.id)
    put(UInt8((facts.isInserted ? 1 : 0) | (facts.touch == nil ? 0 : 2) | (facts.deleted == nil ? 0 : 4)))
    put(UInt32(stamps.count))
    for stamp in stamps { put(stamp) }
    if let touch = facts.touch { put(place(touch)) }
    if let deleted = facts.deleted { put(place(deleted)) }
    put(UInt32(facts.onceInserts.count))
    for insert in facts.onceInserts {
      put(insert.keyHash)
      put(place(insert.stamp))
    }
    put(UInt32(facts.registers.count))
    for register in facts.registers {
      put(UInt32(register.ordinal))
      put(place(register.stamp))
      put(UInt8(register.isOnce ? 1 : 0))
      put(register.value)
    }
  }
}

extension FileReader {
  fileprivate mutating func recordFacts(of author: Catalogue) throws -> RecordFacts {
    let entity = EntityNumber(try integer(UInt32.self))
    guard entity < author.entities.count else { throw damage }
    let id = try recordID()
    let flags: UInt8 = try integer()
    let stampCount = Int(try integer(UInt32.self))
    guard flags <= 7, stampCount <= remaining / Stamp.byteCount else { throw damage }
    var stamps: [Stamp] = []
    for _ in 0..<stampCount { stamps.append(try stamp()) }
    var facts = RecordFacts(entity: entity, id: id, isInserted: flags & 1 != 0)
    if flags & 2 != 0 { facts.touch = try stamp(among: stamps) }
    if flags & 4 != 0 { facts.deleted = try stamp(among: stamps) }
    let inserts = Int(try integer(UInt32.self))
    guard inserts <= remaining / 12 else { throw damage }
    for _ in 0..<inserts {
      facts.onceInserts.append(RecordFacts.OnceInsert(keyHash: try integer(), stamp: try stamp(among: stamps)))
    }
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / 10 else { throw damage }
    for _ in 0..<count {
      let ordinal = Int(try integer(UInt32.self))
      let stamp = try stamp(among: stamps)
      let isOnce = try integer(UInt8.self) != 0
      let value = try fieldValue()
      guard ordinal < author.entities[entity].fields.count, facts.registers.last.map({ $0.ordinal < ordinal }) ?? true,
        value.type == nil || value.type == author.entities[entity].fields[ordinal].type
      else { throw damage }
      facts.registers.append(RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp, isOnce: isOnce))
    }
    guard facts.isSound else { throw damage }
    return facts
  }

  fileprivate mutating func pastWrite(of author: Catalogue) throws -> RecordPastWrite {
    let entity = EntityNumber(try integer(UInt32.self))
    let id = try recordID()
    let ordinal = Int(try integer(UInt32.self))
    let write = PastWrite(ordinal: ordinal, stamp: try stamp(), value: try fieldValue())
    guard entity < author.entities.count, ordinal < author.entities[entity].fields.count,
      write.value.type == nil || write.value.type == author.entities[entity].fields[ordinal].type
    else { throw damage }
    return RecordPastWrite(entity: entity, id: id, write: write)
  }

  fileprivate mutating func onceEntry() throws -> OnceEntry {
    let text = try text(limit: OnceKey.maximumByteCount)
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / Stamp.byteCount else { throw damage }
    var runs: [Stamp] = []
    for _ in 0..<count { runs.append(try stamp()) }
    do {
      return OnceEntry(key: try OnceKey(text), runs: runs)
    } catch is StoreError {
      throw damage
    }
  }

  private mutating func stamp(among stamps: [Stamp]) throws -> Stamp {
    let place = Int(try integer(UInt32.self))
    guard place < stamps.count else { throw damage }
    return stamps[place]
  }
}
