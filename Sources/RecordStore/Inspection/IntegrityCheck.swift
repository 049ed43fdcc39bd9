import LMDB

/// Checks a snapshot against the numbered invariants of the Invariants article: one branch per number.
///
/// What a commit derives step by step is worked out here from all facts at once, in another way, so that
/// the two can disagree. Holds every record's facts in memory: for tests, and for `tandem check` on stores
/// of up to a few million records.
final class IntegrityCheck {
  private let view: TransactionView
  private let layout: StoreLayout
  /// Gets what is read next.
  private let reading: (String) -> Void
  private let folder: ExternalFolder?
  private var found: [String] = []
  private var records: [RecordKey: StoredRecord] = [:]
  private var aliases: [RecordID: RecordID] = [:]

  private struct StoredRecord {
    var facts: RecordFacts
    var isVisible: Bool
    var dangling: [Int]
  }

  static func violations(
    in snapshot: borrowing StoreSnapshot, values folder: ExternalFolder?, reading: @escaping (String) -> Void
  ) throws -> [String] {
    let check = IntegrityCheck(snapshot.transaction, snapshot.layout, folder, reading)
    try check.run()
    return check.found
  }

  private init(
    _ view: TransactionView, _ layout: StoreLayout, _ folder: ExternalFolder?, _ reading: @escaping (String) -> Void
  ) {
    self.folder = folder
    self.view = view
    self.reading = reading
    self.layout = layout
  }

  /// Every entry of a table.
  private func forEach(in table: Database, _ body: (RawBytes, RawBytes) throws -> Void) throws {
    reading("table \(table.name)")
    try view.forEachKey(in: table, startingWith: []) { try body($0, $1) }
  }

  private func run() throws {
    try checkMeta()
    try loadRecords()
    try loadAliases()
    let claims = allClaims()
    let derived = DerivedVisibility(records.mapValues(\.facts), layout: layout, claims: claims)
    checkVisibility(derived)
    checkDangling(derived)
    try checkIndexes()
    try checkSideTables()
    checkUniqueValues(claims, derived)
    checkAliases()
    found += try ClassCheck(view, layout, rows: records.mapValues(\.facts), aliases: aliases).violations()
    try checkHistory()
    try checkStamps()
    checkRequiredValues()
    try checkOnceLedger()
    try checkExternalValues()
  }

  private func violated(_ number: Int, _ sentence: String) { found.append("invariant \(number): \(sentence)") }

  private func name(_ key: RecordKey) -> String { "\(layout.catalogue.entities[key.entity].name) \(key.id)" }
}

// 1–4: what is stored can be read.
extension IntegrityCheck {
  private func checkMeta() throws {
    let meta = MetaTable(view, layout.databases.meta, path: "this path")
    do {
      _ = try meta.header()
      _ = try meta.state()
      if try meta.catalogue() != layout.catalogue { violated(1, "the catalogue differs from that in use") }
    } catch let error as StoreError {
      violated(1, error.message)
    }
  }

  private func loadRecords() throws {
    for entity in layout.catalogue.entities {
      try forEach(in: layout.databases.records[entity.number]) { key, value in
        guard let id = RecordID(bytes: key) else {
          return violated(2, "\(entity.name) has a key of \(key.count) bytes")
        }
        load(RecordKey(entity: entity.number, id: id), value, isVisible: true)
      }
    }
    try forEach(in: layout.databases.hidden) { key, value in
      guard let key = HiddenTable.recordKey(key), layout.catalogue.entities.indices.contains(key.entity) else {
        return violated(2, "a hidden record has a key of no entity")
      }
      load(key, value, isVisible: false)
    }
  }

  private func load(_ key: RecordKey, _ bytes: RawBytes, isVisible: Bool) {
    do {
      let facts = try RecordFacts(decoding: bytes, id: key.id, entity: layout.catalogue.entities[key.entity])
      let view = RecordView(bytes)
      let dangling = facts.registers.map(\.ordinal).filter { view.isDangling(at: $0) }
      let record = StoredRecord(facts: facts, isVisible: isVisible, dangling: dangling)
      if records.updateValue(record, forKey: key) != nil { violated(4, "\(name(key)) is both visible and hidden") }
    } catch {
      violated(3, "\(name(key)): \(error)")
    }
  }

  private func loadAliases() throws {
    try forEach(in: layout.databases.aliases) { key, value in
      guard let gone = RecordID(bytes: key), let kept = RecordID(bytes: value) else {
        return violated(11, "an alias does not join two ids")
      }
      aliases[gone] = kept
    }
  }
}

// 5–6: what readers see follows from the facts.
extension IntegrityCheck {
  private func checkVisibility(_ derived: DerivedVisibility) {
    for (key, record) in records where record.isVisible != derived.visible.contains(key) {
      violated(5, "\(name(key)) is \(record.isVisible ? "visible" : "hidden") against its facts")
    }
  }

  private func checkDangling(_ derived: DerivedVisibility) {
    for (key, record) in records {
      let expected = record.isVisible ? derived.dangling(of: key) : []
      if record.dangling != expected {
        violated(6, "\(name(key)) has dangling references \(record.dangling), not \(expected)")
      }
    }
  }
}

// 7–10: derived tables.
extension IntegrityCheck {
  private func checkIndexes() throws {
    for rules in layout.rules {
      for key in rules.indexes {
        var expected: Set<IndexEntry> = []
        for (record, stored) in records where stored.isVisible && record.entity == rules.entity.number {
          expected.insert(try entry(of: stored, key))
        }
        var actual: Set<IndexEntry> = []
        try forEach(in: layout.databases.index(key.index.number)) { bytes, value in
          actual.insert(IndexEntry(key: bytes.copied(), value: value.copied()))
        }
        if actual != expected {
          let (missing, extra) = (expected.subtracting(actual).count, actual.subtracting(expected).count)
          violated(
            7, "index \(key.index.number) of \(rules.entity.name) lacks \(missing) entries and has \(extra) too many")
        }
      }
    }
  }

  private struct IndexEntry: Hashable {
    let key: [UInt8]
    let value: [UInt8]
  }

  private func entry(of record: StoredRecord, _ key: IndexKey) throws -> IndexEntry {
    let fieldCount = layout.catalogue.entities[record.facts.entity].fields.count
    let bytes = try RecordEncoding(record.facts, fieldCount: fieldCount, dangling: record.dangling).bytes()
    var encoder = KeyEncoder()
    let isUnique = bytes.withRawBytes { key.encode(RecordView($0), id: record.facts.id, into: &encoder) }
    var id: [UInt8] = []
    if isUnique { record.facts.id.append(to: &id) }
    return IndexEntry(key: encoder.bytes, value: id)
  }

  private func checkSideTables() throws {
    var references: Set<[UInt8]> = []
    var claims: Set<[UInt8]> = []
    for record in records.values {
      let rules = layout.rules[record.facts.entity]
      references.formUnion(
        DerivedKeys.backReferences(record.facts, isVisible: record.isVisible, dangling: record.dangling, rules))
      claims.formUnion(
        DerivedKeys.claims(
          uniqueValues(of: record.facts), record.facts, isVisible: record.isVisible, dangling: record.dangling, rules))
    }
    try compare(layout.databases.backReferences, with: references, invariant: 8)
    try compare(layout.databases.claims, with: claims, invariant: 9)
  }

  private func compare(_ database: Database, with expected: Set<[UInt8]>, invariant: Int) throws {
    var actual: Set<[UInt8]> = []
    try forEach(in: database) { key, _ in actual.insert(key.copied()) }
    guard actual != expected else { return }
    let (missing, extra) = (expected.subtracting(actual).count, actual.subtracting(expected).count)
    violated(invariant, "table \(database.name) lacks \(missing) entries and has \(extra) too many")
  }

  private func uniqueValues(of facts: RecordFacts) -> [ClaimKey] {
    let rules = layout.rules[facts.entity]
    guard facts.isInserted else { return [] }
    return rules.uniquePositions.compactMap { position in
      let index = rules.indexes[position].index
      var bytes: [UInt8] = []
      let hasNull = IndexKey.append(index, to: &bytes) { facts.value(of: rules.entity.fields[$0]) }
      return hasNull ? nil : ClaimKey(index: index.number, bytes: bytes)
    }
  }

  private func allClaims() -> [ClaimKey: [Claimant]] {
    var claims: [ClaimKey: [Claimant]] = [:]
    for (key, record) in records {
      let entity = layout.catalogue.entities[key.entity]
      for claim in uniqueValues(of: record.facts) {
        let stamp = ClaimOrder.stamp(of: claim, record.facts, entity)
        claims[claim, default: []].append(Claimant(key: key, latest: stamp))
      }
    }
    return claims
  }

  private func checkUniqueValues(_ claims: [ClaimKey: [Claimant]], _ derived: DerivedVisibility) {
    for (claim, holders) in claims where holders.count > 1 {
      let visible = holders.filter { records[$0.key]?.isVisible ?? false && derived.shows(claim, $0.key) }
      if visible.count > 1 { violated(10, "\(visible.map { name($0.key) }) hold one unique value") }
    }
  }
}

// 11–15: aliases, history, time, values.
extension IntegrityCheck {
  private func checkAliases() {
    let ids = Set(records.keys.map(\.id))
    for (gone, kept) in aliases {
      if kept >= gone { violated(11, "the alias \(gone) leads to a greater id") }
      if aliases[kept] != nil { violated(11, "the alias \(gone) leads to another alias") }
      if ids.contains(gone) { violated(11, "the alias \(gone) is still a record") }
    }
    for (key, record) in records {
      for rule in layout.rules[key.entity].references {
        if let target = record.facts.reference(at: rule.ordinal), aliases[target] != nil {
          violated(11, "\(name(key)) refers to the alias \(target)")
        }
      }
    }
  }

  private func checkHistory() throws {
    let state = try MetaTable(view, layout.databases.meta, path: "this path").state()
    reading("table \(layout.databases.history.name)")
    let table = HistoryTable(view, layout)
    var expected = try table.firstNumber()
    try table.forEach(after: 0) { number, entry in
      if number != expected { violated(12, "history jumps to \(number)") }
      expected = number + 1
      for member in entry.transactions {
        // Number 0 stands for transactions that came with a snapshot.
        if let found = try table.number(of: member.dot), found == number || found == 0 { continue }
        violated(12, "transaction \(member.dot.sequence) of \(member.dot.replica) is not found by its name")
      }
      return true
    }
    if let expected, expected > state.lastNumber + 1 { violated(12, "history goes on after its newest number") }
    try checkSeen(state.versionVector)
    try checkDots(state.versionVector)
  }

  /// All names of transactions: those that the table has, and those that entries tell.
  private func dots() throws -> [Dot: DotTable.Row] {
    let history = HistoryTable(view, layout)
    var dots: [Dot: DotTable.Row] = [:]
    reading("table \(layout.databases.history.name)")
    try history.forEach(after: 0) { number, entry in
      guard entry.seen != nil else { return true }
      for member in entry.transactions {
        dots[member.dot] = DotTable.Row(dot: member.dot, number: number, stamp: member.stamp)
      }
      return true
    }
    reading("table \(layout.databases.dots.name)")
    try DotTable(view, layout.databases).forEach { row in
      if row.number > 0, try history.entry(row.number)?.seen != nil {
        violated(13, "table dots has transaction \(row.dot.sequence) of \(row.dot.replica), which history tells")
      }
      dots[row.dot] = row
    }
    return dots
  }

  private func checkDots(_ vector: VersionVector) throws {
    var last: DotTable.Row?
    var seen: [ReplicaID: UInt64] = [:]
    for row in try dots().values.sorted(by: { $0.dot < $1.dot }) {
      let follows = last.map { row.dot.sequence == $0.dot.sequence + 1 } ?? true
      if let last, last.dot.replica == row.dot.replica, !follows && row.number != 0 || row.stamp <= last.stamp {
        violated(13, "the stream of replica \(row.dot.replica) has a gap or falls at \(row.dot.sequence)")
      }
      last = row
      seen[row.dot.replica] = row.dot.sequence
    }
    for (replica, entry) in vector.entries where seen[replica] != entry.sequence {
      violated(13, "the stream of replica \(replica) does not end where the version vector says")
    }
  }

  /// Checks that the vectors of entries only grow, name their transactions, and end with the store's state.
  private func checkSeen(_ vector: VersionVector) throws {
    var before: VersionVector?
    try HistoryTable(view, layout).forEach(after: 0) { number, entry in
      guard let seen = entry.seen else {
        if before != nil { violated(19, "entry \(number) of an earlier build stands behind one of this") }
        return true
      }
      if let before, !seen.covers(before) { violated(19, "entry \(number) had seen less than the one before") }
      for member in entry.transactions where !seen.covers(member.dot) {
        violated(19, "entry \(number) had not seen its own transaction \(member.dot.sequence)")
      }
      before = seen
      return true
    }
    if let before, !vector.covers(before) { violated(19, "the last entry had seen more than the store") }
  }

  private func checkStamps() throws {
    let clock = try MetaTable(view, layout.databases.meta, path: "this path").state().clock
    for (key, record) in records {
      if let newest = record.facts.newestStamp, newest > clock.seen {
        violated(14, "\(name(key)) is newer than the clock")
      }
    }
  }

  private func checkRequiredValues() {
    for (key, record) in records where record.isVisible {
      for field in layout.catalogue.entities[key.entity].fields where field.isDeclared && !field.isOptional {
        if record.facts.value(of: field) == .null { violated(15, "\(name(key)) lacks its \(field.name)") }
      }
    }
  }
}

// 18: the once ledger.
extension IntegrityCheck {
  private func checkOnceLedger() throws {
    let clock = try MetaTable(view, layout.databases.meta, path: "this path").state().clock
    var runs: [UInt64: Set<Stamp>] = [:]
    if let once = layout.databases.once { reading("table \(once.name)") }
    try OnceTable(view, layout).forEach { digest, value in
      do {
        let entry = try OnceTable.decode(value)
        if entry.key.digest != digest.copied() { violated(18, "a once key lies under the name of another") }
        let isRising = zip(entry.runs, entry.runs.dropFirst()).allSatisfy { $0 < $1 }
        if entry.runs.isEmpty || !isRising { violated(18, "the runs of a once key do not rise") }
        if let newest = entry.runs.last, newest > clock.seen { violated(18, "a once key is newer than the clock") }
        runs[entry.key.hash, default: []].formUnion(entry.runs)
      } catch let error as StoreError {
        violated(18, error.message)
      }
    }
    for (key, record) in records {
      for insert in record.facts.onceInserts where runs[insert.keyHash]?.contains(insert.stamp) != true {
        violated(18, "\(name(key)) was inserted by a once key that the ledger does not know")
      }
    }
    try HistoryTable(view, layout).forEach(after: 0) { number, entry in
      for member in entry.transactions {
        // A branch of a forked stream has a name of its own; its records keep the stream's stamps.
        let isThere = member.once.flatMap { runs[$0.hash] }?.contains { run in
          (run.time, run.counter) == (member.stamp.time, member.stamp.counter)
        }
        guard member.once != nil, isThere != true else { continue }
        violated(18, "the ledger lacks the once key of transaction \(number)")
      }
      return true
    }
  }
}

// 20: values beside the store.
extension IntegrityCheck {
  private func checkExternalValues() throws {
    guard layout.catalogue.hasExternalValues else { return }
    reading("the files of large values")
    var sound = try awaitedValues()
    for (key, record) in records.sorted(by: { $0.key < $1.key }) {
      for register in record.facts.registers {
        guard let reference = ExternalReference(stored: register.value) else { continue }
        let isSound = sound[reference] ?? folder?.isSound(reference) ?? false
        sound[reference] = isSound
        guard !isSound else { continue }
        let field = layout.catalogue.entities[key.entity].fields[register.ordinal].name
        violated(20, "the file of \(field) of \(name(key)) is missing or damaged: \(reference.name)")
      }
    }
    let there = Set(try folder?.placed().map(\.name) ?? [])
    let known = Set(sound.keys.map(\.name))
    let named = try ExternalMarks(view, layout).digests().map { ExternalReference.name(of: $0) }
    for name in named.sorted() where !known.contains(name) && !there.contains(name) {
      violated(20, "history names a value whose file is missing: \(name)")
    }
  }

  /// Values that files of the exchange name and that have not come: nothing is wrong with them.
  private func awaitedValues() throws -> [ExternalReference: Bool] {
    var awaited: [ExternalReference: Bool] = [:]
    try view.forEachKey(in: layout.databases.attachments, startingWith: ListedValue.prefix) { key, value in
      guard let listed = ListedValue(key: key.copied(), value: value.copied()), listed.isAwaited,
        try folder?.has(listed.reference) == false
      else { return }
      awaited[listed.reference] = true
    }
    return awaited
  }
}
