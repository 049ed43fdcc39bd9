import Foundation
import LMDB

/// All that is intact in a data file that may be damaged, by what it is.
///
/// Whatever bears a checksum is known by that, wherever it lies: records, history entries, once keys, the catalogue.
/// The rest is taken from pages of its own tree alone. Of a page outside the trees only what is as current as they
/// are counts; older states are kept apart.
final class SalvagedFile {
  /// A record under its key: seen by readers, or not.
  struct Row {
    var facts: RecordFacts
    var isVisible: Bool
  }

  let header: StoreHeader
  let state: StoreState?
  /// See ``SalvagedMeta``.
  private let laterNumber: UInt64?
  let catalogue: Catalogue
  private(set) var survey: DataFileSurvey?
  private(set) var rows: [RecordKey: Row] = [:]
  /// The newest row, from older states of pages, of each record that is in no current page.
  private(set) var formerRows: [RecordKey: Row] = [:]
  /// Records as written, whose row is another one or says it otherwise.
  private(set) var originals: [RecordKey: RecordFacts] = [:]
  /// Ids that an earlier build joined to others for good.
  private(set) var folded: [RecordID: RecordID] = [:]
  private(set) var aliases: [RecordID: RecordID] = [:]
  private(set) var pastWrites: [RecordPastWrite] = []
  private(set) var contexts: [CausalContext] = []
  /// The contexts of the transactions of which history tells.
  private(set) var contextsInHistory: [CausalContext] = []
  private(set) var once: [[UInt8]: OnceEntry] = [:]
  private(set) var formerOnce: [[UInt8]: OnceEntry] = [:]
  /// Tables that are carried as they are: key and value.
  private(set) var history: [[UInt8]: [UInt8]] = [:]
  private(set) var dots: [[UInt8]: [UInt8]] = [:]
  /// How many of the history entries were found beside the list of databases.
  private(set) var tailCount = 0
  /// The stamps of the transactions that history entries tell of.
  private(set) var stamps: [Dot: Stamp] = [:]
  /// The numbers of transactions, as history tells them.
  private(set) var numbers: [Dot: UInt64] = [:]
  private(set) var attachments: [[UInt8]: [UInt8]] = [:]
  /// Ids that an index of each entity names.
  private(set) var indexed: [EntityNumber: Set<RecordID>] = [:]
  /// Records whose bytes are damaged, by table.
  private(set) var broken: [String: [SalvageReport.Record]] = [:]
  /// How many entries could not be read of each table that has such.
  private(set) var unreadable: [String: Int] = [:]
  /// How many entries were found of each table, in its tree and beside it.
  private(set) var found: [String: Int] = [:]

  private let entityOfIndex: [String: EntityNumber]
  /// The names of all tables that the store can have.
  let tables: Set<String>

  /// - Parameters:
  ///   - source: a backup or copy that tells what the store has lost of its header and catalogue.
  ///   - identity: the file beside the store, which names it, too.
  /// - Throws: `damaged` where header or catalogue is lost and nothing tells it, `notAStore`, `newerFormat`,
  ///   `permissionDenied`.
  init(
    _ url: URL, source: RecordStore?, identity: IdentityFile?, progress: @escaping (UInt64, UInt64) -> Void
  ) throws {
    let meta = try StoreError.translating(store: url.path) { try SalvagedMeta(url) }
    let given = try source?.read { snapshot throws in (snapshot.catalogue, try CopyHead(snapshot).header) }
    guard let catalogue = meta.catalogue ?? given?.0,
      let header = meta.header ?? identity.map(StoreHeader.init(of:)) ?? given?.1
    else {
      throw StoreError(
        .damaged,
        "the \(meta.catalogue == nil ? "catalogue" : "header") of the store at \(url.path) is lost: name a backup of "
          + "it with --schema-from")
    }
    (self.catalogue, self.header, state) = (catalogue, header, meta.state)
    laterNumber = meta.laterNumber
    entityOfIndex = Dictionary(
      catalogue.entities.flatMap { entity in
        entity.indexes.map { (NamedDatabases.Name.tree(of: $0, entity.number), entity.number) }
      }, uniquingKeysWith: { first, _ in first })
    tables = Set(NamedDatabases.names(for: catalogue) + NamedDatabases.addedNames)
    survey = try StoreError.translating(store: url.path) {
      try DataFileSurvey.run(directory: url.path, includingStrays: true, progress: progress) { place, key, value in
        switch place {
        case .table(let name): try self.take(key, value, of: name)
        // Beside the names of tables lies what bears a checksum, and all else where damage leads to another tree.
        case .list, .lost: try self.takeLost(key, value)
        case .former: try self.takeFormer(key, value)
        }
      }
    }
    for key in rows.keys { formerRows[key] = nil }
    for key in once.keys { formerOnce[key] = nil }
  }

  /// Runs `read`; false where the bytes are damaged. The format of an entry may be what damage changed: whether this
  /// build reads the store, its header has said.
  private func isSound(_ read: () throws -> Void) throws -> Bool {
    do {
      try read()
      return true
    } catch let error as StoreError where [.damaged, .newerFormat].contains(error.code) {
      return false
    }
  }
}

// From the trees.
extension SalvagedFile {
  private func take(_ key: RawBytes, _ value: RawBytes, of table: String) throws {
    // A table whose name is damaged has entries that are as current as any other's.
    guard tables.contains(table) else { return try takeLost(key, value) }
    if let entity = entityOfIndex[table] {
      if let id = try? IndexKey.recordID(key: key, value: value) { indexed[entity, default: []].insert(id) }
      return
    }
    let isSound = try isSound {
      switch table {
      case NamedDatabases.Name.hidden: try takeHidden(key, value)
      case ClassTables.Name.originals: try takeOriginal(key, value)
      case ClassTables.Name.pastWrites:
        let (record, write) = try PastWriteTable.write(key, value)
        guard catalogue.entities.indices.contains(record.entity),
          catalogue.entities[record.entity].fields.indices.contains(write.ordinal),
          [nil, catalogue.entities[record.entity].fields[write.ordinal].type].contains(write.value.type)
        else { throw StoreError(.damaged, "a past value belongs to no field") }
        pastWrites.append(RecordPastWrite(entity: record.entity, id: record.id, write: write))
      case ClassTables.Name.contexts: contexts.append(try ContextTable.entry(key, value))
      case NamedDatabases.Name.once: try takeOnce(key, value)
      case NamedDatabases.Name.history: try takeHistory(key, value)
      case NamedDatabases.Name.dots: dots[key.copied()] = value.copied()
      case NamedDatabases.Name.attachments: attachments[key.copied()] = value.copied()
      case NamedDatabases.Name.aliases:
        if let id = RecordID(bytes: key), let root = RecordID(bytes: value) { aliases[id] = root }
      default:
        guard let entity = catalogue.entities.first(where: { NamedDatabases.Name.records(of: $0.number) == table })
        else { return }
        try takeRow(key, value, of: entity)
      }
    }
    if isSound { found[table, default: 0] += 1 } else { noteBroken(key, of: table) }
  }

  private func noteBroken(_ key: RawBytes, of table: String) {
    unreadable[table, default: 0] += 1
    let row = HiddenTable.recordKey(key)
    let number = catalogue.entities.first { NamedDatabases.Name.records(of: $0.number) == table }?.number ?? row?.entity
    guard let number, catalogue.entities.indices.contains(number),
      table == NamedDatabases.Name.hidden || key.count == RecordID.byteCount
    else { return }
    broken[table, default: []].append(
      SalvageReport.Record(
        entity: catalogue.entities[number].name, id: RecordID(bytes: key) ?? row?.id, reason: "its bytes are damaged"))
  }

  private func takeRow(_ key: RawBytes, _ value: RawBytes, of entity: CatalogueEntity) throws {
    guard let id = RecordID(bytes: key) else { throw StoreError(.damaged, "a record has no id") }
    enter(try RecordFacts(decoding: value, id: id, entity: entity), isVisible: true)
  }

  private func takeHidden(_ key: RawBytes, _ value: RawBytes) throws {
    guard let row = HiddenTable.recordKey(key), catalogue.entities.indices.contains(row.entity) else {
      throw StoreError(.damaged, "a hidden record has no id")
    }
    enter(try RecordFacts(decoding: value, id: row.id, entity: catalogue.entities[row.entity]), isVisible: false)
  }

  /// Facts only grow, so two states of one record are joined to the newer one.
  private func enter(_ facts: RecordFacts, isVisible: Bool) {
    let key = RecordKey(entity: facts.entity, id: facts.id)
    guard let known = rows[key] else {
      rows[key] = Row(facts: facts, isVisible: isVisible)
      return
    }
    var joined = known
    joined.facts.join(facts)
    joined.isVisible = joined.facts == facts ? isVisible : known.isVisible
    rows[key] = joined
  }

  private func takeOriginal(_ key: RawBytes, _ value: RawBytes) throws {
    guard let (row, id) = OriginalTable.ids(key), catalogue.entities.indices.contains(row.entity) else {
      throw StoreError(.damaged, "a record as written has no id")
    }
    switch try OriginalTable.entry(value, id: id, catalogue.entities[row.entity]) {
    case .record(let facts): originals[RecordKey(entity: row.entity, id: id)] = facts
    case .folded(let root): folded[id] = root
    }
  }

  private func takeOnce(_ key: RawBytes, _ value: RawBytes) throws {
    let entry = try OnceTable.decode(value)
    guard entry.key.digest == key.copied() else { throw StoreError(.damaged, "a once key has another's name") }
    once[entry.key.digest] = entry.joined(once[entry.key.digest])
  }

  private func takeHistory(_ key: RawBytes, _ value: RawBytes) throws {
    let entry = try HistoryEntry(decoding: value)
    guard key.count == 8 else { throw StoreError(.damaged, "a history entry has no number") }
    history[key.copied()] = value.copied()
    for member in entry.transactions { numbers[member.dot] = key.load(at: 0, as: UInt64.self).byteSwapped }
    // The ledger keeps every key for ever; this is where else it stands.
    for member in entry.transactions {
      stamps[member.dot] = member.stamp
      contextsInHistory.append(CausalContext(since: member.stamp, context: member.context))
      guard let key = member.once else { continue }
      let run = OnceEntry(key: key, runs: [member.written])
      once[key.digest] = run.joined(once[key.digest])
    }
  }
}

// From other pages.
extension SalvagedFile {
  /// Takes the entries beside the list of databases: the newest history entries, and the state, which ``SalvagedMeta``
  /// takes.
  private func takeListed(_ key: RawBytes, _ value: RawBytes) throws {
    guard key.copied() == HistoryTail.key else { return }
    let isSound = try isSound {
      try HistoryTail(value).forEach { number, entry in
        try HistoryTable.key(number).withRawBytes { key throws in try takeHistory(key, entry) }
        tailCount += 1
        return true
      }
    }
    if !isSound { unreadable[NamedDatabases.Name.history, default: 0] += 1 }
  }

  /// Takes an entry below a parent that is destroyed. Its checksum tells what it is.
  private func takeLost(_ key: RawBytes, _ value: RawBytes) throws {
    try takeListed(key, value)
    _ = try isSound {
      switch key.count {
      case RecordID.byteCount:
        guard let entity = entity(of: value) else { return }
        try takeRow(key, value, of: entity)
        found[NamedDatabases.Name.records(of: entity.number), default: 0] += 1
      case 20:
        try takeHidden(key, value)
        found[NamedDatabases.Name.hidden, default: 0] += 1
      case 36 where value.count >= RecordID.byteCount:
        try takeOriginal(key, value)
        found[ClassTables.Name.originals, default: 0] += 1
      case 32:
        try takeOnce(key, value)
        found[NamedDatabases.Name.once, default: 0] += 1
      case 8:
        try takeHistory(key, value)
        found[NamedDatabases.Name.history, default: 0] += 1
      default: return
      }
    }
  }

  /// Takes an entry that is of an older state, or perhaps is.
  private func takeFormer(_ key: RawBytes, _ value: RawBytes) throws {
    _ = try isSound {
      switch key.count {
      case RecordID.byteCount:
        guard let entity = entity(of: value), let id = RecordID(bytes: key) else { return }
        enterFormer(Row(facts: try RecordFacts(decoding: value, id: id, entity: entity), isVisible: true))
      case 20:
        guard let row = HiddenTable.recordKey(key), catalogue.entities.indices.contains(row.entity) else { return }
        let facts = try RecordFacts(decoding: value, id: row.id, entity: catalogue.entities[row.entity])
        enterFormer(Row(facts: facts, isVisible: false))
      case 32:
        let entry = try OnceTable.decode(value)
        guard entry.key.digest == key.copied() else { return }
        formerOnce[entry.key.digest] = entry.joined(formerOnce[entry.key.digest])
      default: return
      }
    }
  }

  private func entity(of value: RawBytes) -> CatalogueEntity? {
    guard value.count >= RecordFormat.headerByteCount else { return nil }
    let number = RecordView(value).entity
    return catalogue.entities.indices.contains(number) ? catalogue.entities[number] : nil
  }

  private func enterFormer(_ row: Row) {
    let key = RecordKey(entity: row.facts.entity, id: row.facts.id)
    let newest = formerRows[key]?.facts.newestStamp ?? .zero
    if formerRows[key] == nil || newest < row.facts.newestStamp ?? .zero { formerRows[key] = row }
  }
}

extension SalvagedFile {
  /// The numbers of the last saves, where the meta page that led to them is destroyed; nil where none is missing.
  ///
  /// With both meta pages, a newer state is one that a commit had begun to write when its process ended.
  var lostSaves: ClosedRange<UInt64>? {
    guard let survey, !survey.hasBothMetas, let state, let laterNumber else { return nil }
    return state.lastNumber + 1...laterNumber
  }

  /// The stamp of a transaction; nil where it is lost.
  func stamp(of dot: Dot) -> Stamp? {
    if let stamp = stamps[dot] { return stamp }
    guard let row = dots[DotTable.key(dot)], row.count == 8 + Stamp.byteCount else { return nil }
    return row.withRawBytes { Stamp(encoded: $0, at: 8) }
  }
}

extension OnceEntry {
  /// With the runs of another entry of the same key.
  fileprivate func joined(_ other: OnceEntry?) -> OnceEntry {
    guard let other else { return self }
    return OnceEntry(key: key, runs: Set(runs + other.runs).sorted())
  }
}

extension StoreHeader {
  /// As far as the file beside a store tells it.
  fileprivate init(of identity: IdentityFile) {
    self.init(
      storeID: identity.storeID, replica: identity.replica, incarnation: identity.incarnation, createdAtMilliseconds: 0)
  }
}
