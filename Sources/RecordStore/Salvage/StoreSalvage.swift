package import Foundation
import LMDB

/// Brings what is intact in a damaged store into a new one.
///
/// The new store is a replica of its own, and of the same family. Two cases, decided by what is there:
///
/// 1. **Nothing is missing** but what follows from the records (indexes and the like). Then all is carried over:
///    history with what is not exported yet, what was seen of others, the conflict log. The new store stands to the
///    old one as a copy does: what was written under the old id is exported under the old id.
/// 2. **Something is missing.** Then nothing is counted as seen, so that a synchronisation brings the lost records
///    back, and joins again what is there, which has no effect. History, and what synchronisation knew, stay behind,
///    but for the large values that records name and that have not come.
///    What the old store had saved and not exported, nobody else has, and the transactions that said it are gone: the
///    new store says it again, as edits of its own.
///
/// The once ledger is brought over in both cases, from older states of its pages too: a key is never removed, so none
/// that is found is void.
package struct StoreSalvage {
  private let file: SalvagedFile
  private let survey: DataFileSurvey
  private let identity: IdentityFile?
  private let includesDoubtful: Bool
  package private(set) var report = SalvageReport()
  /// The once keys by their hashes, with all runs that are known.
  private var ledger: [UInt64: OnceEntry] = [:]
  private let values: SalvagedValues

  /// Reads a store that nobody has open.
  ///
  /// - Parameters:
  ///   - schemaSource: a backup or copy of the store, for a store whose catalogue or header is lost.
  ///   - includingDoubtful: brings records back of which only an older state of a page is left, where damage hides
  ///     whether they were deleted or changed since.
  /// - Throws: `busy` while a process has the store open; `damaged` where too little is left to tell what it was.
  package init(
    of url: URL, schemaFrom schemaSource: URL? = nil, includingDoubtful: Bool = false,
    progress: @escaping (UInt64, UInt64) -> Void = { _, _ in }
  ) throws {
    let isUnused = try StoreError.translating(store: url.path) {
      try Environment.whileUnused(at: url.path, isForReading: true) { true }
    }
    guard isUnused == true else {
      throw StoreError(.busy, "the store at \(url.path) is open in this process or another: close it there first")
    }
    let source = try schemaSource.map { try RecordStore.open(StoreConfiguration(url: $0, isReadOnly: true)) }
    let known = try IdentityFile.read(beside: url)
    file = try SalvagedFile(url, source: source, identity: known, progress: progress)
    guard let survey = file.survey else { preconditionFailure("a file that was read has been surveyed") }
    self.survey = survey
    self.includesDoubtful = includingDoubtful
    identity = known?.incarnation == file.header.incarnation ? known : nil
    values = SalvagedValues(of: file, in: url)
    report.flaws = survey.flaws
    if survey.hasTables, survey.counts[NamedDatabases.Name.meta] == nil {
      report.flaws.append("the list of tables is that of no store")
    }
    report.lostSaves = file.lostSaves
    report.isWhole = isComplete && hasOneHistory && values.lost.isEmpty
    report.flaws += file.unreadable.sorted { $0.key < $1.key }.map { table, count in
      "table \(table) has \(count == 1 ? "an entry that is" : "\(count) entries that are") damaged"
    }
    report.flaws += unknownTables.map { "the list of tables names '\($0)', which no store of this catalogue has" }
    if isComplete, !hasOneHistory {
      report.flaws.append("the numbers of history and the names of transactions contradict each other")
    }
    report.includesDoubtful = includingDoubtful
    collectLedger()
    if !report.isWhole { listLosses() }
  }
}

// The tables that are there.
extension StoreSalvage {
  /// Tables that follow from the others.
  private static let derived: Set<String> = [
    NamedDatabases.Name.backReferences, NamedDatabases.Name.claims, NamedDatabases.Name.classClaims,
    ClassTables.Name.heldKeys,
  ]

  private var primaryTables: [String] {
    let indexes = Set(
      file.catalogue.entities.flatMap { entity in
        entity.indexes.map { NamedDatabases.Name.tree(of: $0, entity.number) }
      })
    // Stores of earlier builds may lack those that were added later.
    let added = NamedDatabases.addedNames.filter { survey.counts[$0] != nil }
    return (NamedDatabases.names(for: file.catalogue) + added).filter {
      !indexes.contains($0) && !Self.derived.contains($0)
    }
  }

  private var isComplete: Bool {
    survey.hasTables && unknownTables.isEmpty && file.state != nil && primaryTables.allSatisfy(isComplete)
      && file.history.count == file.tailCount + Int(clamping: survey.counts[NamedDatabases.Name.history]?.expected ?? 0)
  }

  /// Names that damage has changed, or that came after the catalogue that was found.
  private var unknownTables: [String] { survey.counts.keys.filter { !file.tables.contains($0) }.sorted() }

  private var hasOneHistory: Bool { hasSoundNumbers && hasSoundStreams }

  /// The keys of history entries have no checksum: they follow each other without a gap, up to the state's at most.
  private var hasSoundNumbers: Bool {
    let numbers = file.history.keys.map { key in key.withRawBytes { $0.load(at: 0, as: UInt64.self).byteSwapped } }
    guard let first = numbers.min(), let last = numbers.max() else { return true }
    return last - first == UInt64(numbers.count - 1) && last <= file.state?.lastNumber ?? 0
  }

  /// Dots have no checksum: with those that history tells they must rise without a gap, and end where the state says.
  private var hasSoundStreams: Bool {
    var dots = file.numbers.mapValues { (number: $0, stamp: Stamp.zero) }
    for dot in dots.keys { dots[dot]?.stamp = file.stamps[dot] ?? .zero }
    for (key, value) in file.dots {
      guard key.count == 16, value.count == 8 + Stamp.byteCount else { return false }
      let dot = Dot(
        replica: ReplicaID(key.withRawBytes { $0.load(at: 0, as: UInt64.self).byteSwapped }),
        sequence: key.withRawBytes { $0.load(at: 8, as: UInt64.self).byteSwapped })
      let row = value.withRawBytes { (number: $0.load(at: 0, as: UInt64.self), stamp: Stamp(encoded: $0, at: 8)) }
      if let number = file.numbers[dot], ![0, number].contains(row.number) { return false }
      dots[dot] = row
    }
    var ends: [ReplicaID: VersionVector.Entry] = [:]
    for (dot, row) in dots.sorted(by: { $0.key < $1.key }) {
      if let last = ends[dot.replica],
        row.stamp <= last.stamp || (row.number != 0 && dot.sequence != last.sequence + 1)
      {
        return false
      }
      ends[dot.replica] = VersionVector.Entry(sequence: dot.sequence, stamp: row.stamp)
    }
    return ends == file.state?.versionVector.entries
  }

  private func isComplete(_ table: String) -> Bool {
    guard survey.hasTables, report.lostSaves == nil, let count = survey.counts[table],
      file.unreadable[table] == nil
    else { return false }
    // The parts of `meta` that matter were read one by one.
    if table == NamedDatabases.Name.meta { return true }
    return UInt64(file.found[table] ?? 0) == count.expected
  }

  private mutating func collectLedger() {
    for entry in file.once.values { ledger[entry.key.hash] = entry }
    if !isComplete(NamedDatabases.Name.once) {
      for entry in file.formerOnce.values where ledger[entry.key.hash] == nil {
        ledger[entry.key.hash] = entry
        report.formerOnceKeys.append(entry.key.text)
      }
    }
    report.formerOnceKeys.sort()
  }

  private mutating func listLosses() {
    report.lost = file.broken.sorted { $0.key < $1.key }.flatMap(\.value)
    let hidden = NamedDatabases.Name.hidden
    let told = Set(report.lost.compactMap(\.id))
    report.lostValues = values.lost
    for entity in file.catalogue.entities {
      let table = NamedDatabases.Name.records(of: entity.number)
      guard !isComplete(table) else { continue }
      let named = (file.indexed[entity.number] ?? []).filter { id in
        !told.contains(id) && file.aliases[id] == nil && file.rows[RecordKey(entity: entity.number, id: id)] == nil
      }
      report.lost += named.sorted().map {
        SalvageReport.Record(entity: entity.name, id: $0, reason: "its page is damaged; an index still names it")
      }
      note(table, as: entity.name, named: (file.broken[table]?.count ?? 0) + named.count)
    }
    note(hidden, as: "deleted or waiting", named: file.broken[hidden]?.count ?? 0)
    report.doubtful = doubtfulRows.map { row in
      SalvageReport.Record(
        entity: file.catalogue.entities[row.facts.entity].name, id: row.facts.id,
        reason: report.lostSaves == nil
          ? "possibly deleted: only an older state of its page is left"
          : "of a save that is lost, or possibly deleted before")
    }
  }

  private mutating func note(_ table: String, as name: String, named: Int) {
    guard let count = survey.counts[table] else { return report.uncounted.append(name) }
    let missing = Int(clamping: count.expected) - (file.found[table] ?? 0) - named
    if missing > 0 { report.missing[name] = missing }
  }

  /// In order of entity and id.
  private var doubtfulRows: [SalvagedFile.Row] {
    file.formerRows.filter { key, _ in
      guard file.rows[key] == nil, file.aliases[key.id] == nil, file.originals[key] == nil else { return false }
      var id: [UInt8] = []
      key.id.append(to: &id)
      return mayHaveBeen(id, in: NamedDatabases.Name.records(of: key.entity))
        || mayHaveBeen(HiddenTable.key(key), in: NamedDatabases.Name.hidden)
    }.map(\.value).sorted { ($0.facts.entity, $0.facts.id) < ($1.facts.entity, $1.facts.id) }
  }

  /// Whether damage hides what a table had under a key.
  private func mayHaveBeen(_ key: [UInt8], in table: String) -> Bool {
    guard !isComplete(table) else { return false }
    let damages = survey.damages.filter { $0.table == table }
    return report.lostSaves != nil || !survey.hasTables || damages.isEmpty || damages.contains { $0.mayHaveHeld(key) }
  }
}

// Writing.
extension StoreSalvage {
  /// Bounds the memory of a commit.
  private static let recordsPerCommit = 20_000

  /// Makes the new store. If anything throws, the caller removes what was begun.
  ///
  /// Keys, names of transactions and attachments bear no checksum, so damage may show only where they contradict each
  /// other in the new store. The store is then made once more of what bears one.
  package mutating func write(to configuration: StoreConfiguration) throws {
    var violation = try make(configuration)
    if let found = violation, report.isWhole {
      if let url = configuration.url { try FileItem.remove(url, "the store that was begun") }
      report.isWhole = false
      report.flaws.append("history and state contradict each other (\(found))")
      listLosses()
      violation = try make(configuration)
    }
    if let violation {
      throw StoreError(.damaged, "what is left of the store contradicts itself (\(violation))")
    }
  }

  /// Makes the store as `report.isWhole` says. Returns the first rule that it breaks.
  private mutating func make(_ configuration: StoreConfiguration) throws -> String? {
    let store = try RecordStore.create(configuration, catalogue: file.catalogue, storeID: file.header.storeID)
    report.recordsWithoutOnceKey = 0
    if let external = store.core.external { try values.copy(to: external) }
    let facts = try allFacts()
    report.factCount = facts.count
    report.onceKeyCount = ledger.count
    // First: which records share a row depends on what each author had seen, which history tells, too.
    if report.isWhole { try carryHistory(into: store) } else { try keepAwaiting(in: store) }
    try restore(facts, into: store)
    if !report.isWhole {
      report.repeatedCount = try repeatUnsaid(facts, in: store)
      try store.goOn(after: file.state?.lastNumber ?? StoreSuccession.unknownNumbers)
    }
    report.recordCount = try store.read { snapshot throws in
      try snapshot.layout.databases.records.reduce(0) { try $0 + snapshot.transaction.statistics($1).entries }
    }
    return try store.integrityViolations().first
  }

  /// Records as they were written, those that share a row each for itself.
  private mutating func allFacts() throws -> [RecordFacts] {
    let hasOriginals = isComplete(ClassTables.Name.originals)
    var all = file.originals
    for (key, row) in file.rows {
      guard let original = all[key] else {
        all[key] = row.facts
        continue
      }
      // A row has what all its records wrote, those too whose own entries are lost.
      if !hasOriginals {
        var joined = original
        joined.join(row.facts)
        all[key] = joined
      }
    }
    if includesDoubtful {
      for row in doubtfulRows { all[RecordKey(entity: row.facts.entity, id: row.facts.id)] = row.facts }
    }
    return all.values.map { withKnownKeys(values.without(lostOf: $0)) }
      .sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
  }

  /// A record proves the run of the key that inserted it. Where the key is lost, the record stays as one that was
  /// inserted without.
  private mutating func withKnownKeys(_ record: RecordFacts) -> RecordFacts {
    guard !record.onceInserts.isEmpty else { return record }
    var record = record
    for insert in record.onceInserts {
      guard var entry = ledger[insert.keyHash] else { continue }
      if !entry.runs.contains(insert.stamp) {
        entry.runs = (entry.runs + [insert.stamp]).sorted()
        ledger[insert.keyHash] = entry
      }
    }
    let unknown = record.onceInserts.filter { ledger[$0.keyHash] == nil }
    guard !unknown.isEmpty else { return record }
    report.recordsWithoutOnceKey += 1
    record.onceInserts.removeAll { ledger[$0.keyHash] == nil }
    if record.onceInserts.isEmpty {
      record.registers = record.registers.map {
        RecordFacts.Register(ordinal: $0.ordinal, value: $0.value, stamp: $0.stamp)
      }
    }
    record.touch = unknown.map(\.stamp).reduce(record.touch) { life, stamp in life.map { max($0, stamp) } ?? stamp }
    return record
  }

  private func restore(_ records: [RecordFacts], into store: RecordStore) throws {
    // Where this build has written, `originals` explains all aliases.
    let given = file.originals.isEmpty && file.folded.isEmpty ? file.aliases.filter { $0.value < $0.key } : file.folded
    let known = Dictionary(
      records.map { (RecordKey(entity: $0.entity, id: $0.id), $0) }, uniquingKeysWith: { first, _ in first })
    // Where the newest row is lost, an older one may stand for it that has not overwritten the value yet.
    let pastWrites = file.pastWrites.filter { past in
      let now = known[RecordKey(entity: past.entity, id: past.id)]?.register(at: past.write.ordinal)
      return now.map { past.write.stamp < $0.stamp } ?? false
    }
    var batch = RestoredFacts(
      vector: report.isWhole ? file.state?.versionVector ?? VersionVector() : VersionVector(),
      aliases: given, pastWrites: pastWrites,
      contexts: report.isWhole ? file.contexts : CausalContext.changes(of: file.contexts + file.contextsInHistory),
      once: ledger.values.sorted { $0.key.hash < $1.key.hash })
    for start in stride(from: 0, to: records.count, by: Self.recordsPerCommit) {
      batch.records = Array(records[start..<min(start + Self.recordsPerCommit, records.count)])
      try store.restore(batch, refersToFiles: true)
      batch = RestoredFacts(vector: batch.vector, pastWrites: batch.pastWrites)
    }
    if records.isEmpty { try store.restore(batch, refersToFiles: true) }
    try store.settleGivenAliases()
  }

  /// The first case: the tables that nothing else follows from, and the state, as they are.
  private func carryHistory(into store: RecordStore) throws {
    guard let state = file.state else { preconditionFailure("a store that is whole has its state") }
    let former = FormerReplica(replica: file.header.replica, reason: .copied)
    let (history, dots, attachments) = (file.history, file.dots, file.attachments)
    try store.write { transaction, layout throws in
      let databases = layout.databases
      try transaction.removeAll(from: databases.dots)
      for (table, entries) in [
        (databases.history, history), (databases.dots, dots), (databases.attachments, attachments),
      ] {
        for (key, value) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
          try transaction.put(table, key: key, value: value)
        }
      }
      try transaction.put(databases.attachments, key: former.key, value: former.value)
      try HistoryTail.removeAll(in: transaction)
      try state.write(to: transaction)
      return ((), layout)
    }
  }

  /// The second case: the large values that have not come. Index entries may be made of their names until then.
  private func keepAwaiting(in store: RecordStore) throws {
    let awaited = values.awaited
    guard !awaited.isEmpty else { return }
    _ = try store.commit { snapshot in
      let note = try ProvisionalKeys.note(isLoss: true, isDue: false, in: snapshot)
      return (SaveRequest(attachments: awaited.map(\.attachment) + [note].compactMap(\.self)), ())
    }
  }

  /// The second case: what the old store wrote and did not export. Returns how many records that are.
  private func repeatUnsaid(_ records: [RecordFacts], in store: RecordStore) throws -> Int {
    let repetition = Repetition(after: lastSaid, records: records)
    guard !repetition.records.isEmpty else { return 0 }
    var work = MaintenanceWork()
    work.repetition = repetition
    let request = SaveRequest(author: "tandem salvage", .maintenance(work))
    _ = try store.commit(request)
    return repetition.records.count
  }

  /// The last stamps of the old store's own streams that others may have.
  private var lastSaid: [ReplicaID: Stamp] {
    let own = file.header.replica
    var said = [own: Stamp.zero]
    if let exported = identity?.lastExported, let stamp = file.stamp(of: Dot(replica: own, sequence: exported)) {
      said[own] = stamp
    }
    guard identity == nil else { return said }
    // It never exported anything, so what it wrote under former ids is unsaid, too.
    for (key, value) in file.attachments where key.starts(with: FormerReplica.prefix) {
      if let former = FormerReplica(key: key, value: value) { said[former.replica] = .zero }
    }
    return said
  }
}
