import LMDB

/// Checks the alias classes of a snapshot: invariants 10, 11, 16 and 17.
///
/// The classes are worked out anew from the records as written (``DerivedClasses``).
final class ClassCheck {
  private let view: TransactionView
  private let layout: StoreLayout
  private let rows: [RecordKey: RecordFacts]
  private let aliases: [RecordID: RecordID]
  private let forks: ForkedStreams
  private var found: [String] = []
  /// Records as written, by their own ids.
  private var records: [RecordKey: RecordFacts] = [:]
  private var past: [RecordKey: [PastWrite]] = [:]
  /// Ids that an earlier build joined for good.
  private var roots: [RecordID: RecordID] = [:]
  private var contexts: [Stamp: VersionVector?] = [:]

  init(
    _ view: TransactionView, _ layout: StoreLayout, rows: [RecordKey: RecordFacts], aliases: [RecordID: RecordID]
  ) throws {
    self.view = view
    self.layout = layout
    self.rows = rows
    self.aliases = aliases
    forks = try ForkedStreams(view, layout)
  }

  func violations() throws -> [String] {
    // A store of an earlier build has no facts of its classes' members before this build commits to it.
    guard let tables = layout.databases.classTables else { return [] }
    try loadOriginals(tables)
    let isAdopted = try view.statistics(tables.originals).entries > 0
    guard isAdopted || aliases.isEmpty else { return [] }
    try loadPast(tables)
    let derived = try DerivedClasses(records, past: past, roots: roots, layout: layout, knew: knew)
    checkNames(derived)
    try checkRows(derived, tables)
    try checkHeldKeys(derived, tables)
    return found
  }

  private func violated(_ number: Int, _ sentence: String) { found.append("invariant \(number): \(sentence)") }

  private func name(_ key: RecordKey) -> String { "\(layout.catalogue.entities[key.entity].name) \(key.id)" }

  private func loadOriginals(_ tables: ClassTables) throws {
    records = rows
    var shared: Set<RecordKey> = []
    try view.forEachKey(in: tables.originals, startingWith: []) { key, value in
      guard let (row, id) = OriginalTable.ids(key), layout.catalogue.entities.indices.contains(row.entity) else {
        return violated(16, "a record as written has a wrong key")
      }
      let entity = layout.catalogue.entities[row.entity]
      do {
        switch try OriginalTable.entry(value, id: id, entity) {
        case .folded(let root): roots[id] = root
        case .record(let facts):
          records[RecordKey(entity: row.entity, id: id)] = facts
          shared.insert(RecordKey(entity: row.entity, id: id))
        }
      } catch {
        violated(16, "\(name(row)) as written: \(error)")
      }
    }
    for key in shared where rows[key] == nil && aliases[key.id] == nil {
      violated(16, "\(name(key)) as written has no row")
    }
  }

  private func loadPast(_ tables: ClassTables) throws {
    try view.forEachKey(in: tables.pastWrites, startingWith: []) { key, value in
      let (record, write) = try PastWriteTable.write(key, value)
      past[record, default: []].append(write)
    }
    for (key, writes) in past {
      guard let facts = records[key] else {
        violated(17, "a past value names a record that is not there: \(key.id)")
        continue
      }
      for write in writes {
        guard let now = facts.register(at: write.ordinal), write.stamp < now.stamp else {
          violated(17, "a past value of \(name(key)) is not older than the present one")
          continue
        }
      }
    }
  }

  private func knew(_ earlier: Stamp, whoWrote later: Stamp) throws -> Bool {
    try ClaimOrder.knew(earlier, whoWrote: later, forks: forks) { stamp in
      if let known = contexts[stamp] { return known }
      let context = try ClaimOrder.context(of: stamp, layout, view)
      contexts[stamp] = .some(context)
      return context
    }
  }
}

extension ClassCheck {
  /// Checks that the records that share a row are those that must.
  private func checkNames(_ derived: DerivedClasses) {
    for (key, canonical) in derived.canonical {
      let stored = aliases[key.id] ?? key.id
      if stored != canonical { violated(10, "\(name(key)) is one with \(stored), not with \(canonical)") }
    }
    for (id, root) in roots where aliases[id] != (aliases[root] ?? root) {
      violated(11, "the id \(id) does not lead where its facts went")
    }
    for id in aliases.keys where roots[id] == nil && !records.keys.contains(where: { $0.id == id }) {
      violated(11, "the alias \(id) has no facts of its own")
    }
  }

  /// A row is the join of its records; records are kept as written exactly where the row does not say it.
  private func checkRows(_ derived: DerivedClasses, _ tables: ClassTables) throws {
    let classes = Dictionary(grouping: derived.canonical.keys) {
      RecordKey(entity: $0.entity, id: derived.canonical[$0] ?? $0.id)
    }
    var expected: Set<[UInt8]> = []
    for (row, members) in classes {
      var joined = RecordFacts(entity: row.entity, id: row.id)
      for member in members {
        guard let facts = records[member] else { continue }
        joined.join(spelled(facts, as: row.id))
      }
      guard let shown = rows[row], try isEqual(shown, joined) else {
        violated(16, "\(name(row)) is not what its \(members.count) records say")
        continue
      }
      if try members.count > 1 || records[row].map({ try !isEqual($0, joined) }) ?? true {
        expected.formUnion(members.map { OriginalTable.key(row, $0.id) })
      }
    }
    for (id, root) in roots {
      guard let row = classes.keys.first(where: { $0.id == aliases[root] ?? root }) else { continue }
      expected.insert(OriginalTable.key(row, id))
    }
    try compare(tables.originals, with: expected, invariant: 16)
  }

  /// By bytes: a value may differ from itself.
  private func isEqual(_ left: RecordFacts, _ right: RecordFacts) throws -> Bool {
    let entity = layout.catalogue.entities[left.entity]
    return try OriginalTable.value(of: left, entity) == OriginalTable.value(of: right, entity)
  }

  private func spelled(_ facts: RecordFacts, as id: RecordID) -> RecordFacts {
    var facts = facts
    facts.id = id
    for rule in layout.rules[facts.entity].references {
      guard let register = facts.register(at: rule.ordinal), case .reference(let target) = register.value else {
        continue
      }
      facts.set(
        .reference(aliases[target] ?? target), at: rule.ordinal, stamp: register.stamp,
        isOnce: register.isOnce)
    }
    return facts
  }

  private func checkHeldKeys(_ derived: DerivedClasses, _ tables: ClassTables) throws {
    let rows = derived.canonical.map { RecordKey(entity: $0.key.entity, id: $0.value) }
    let sizes = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
    var expected: Set<[UInt8]> = []
    for (key, facts) in records {
      let row = RecordKey(entity: key.entity, id: derived.canonical[key] ?? key.id)
      let isShared = sizes[row, default: 1] > 1
      expected.formUnion(
        HeldKeyTable.keys(of: facts, past[key] ?? [], isInClass: isShared, layout.rules[key.entity]))
    }
    try compare(tables.heldKeys, with: expected, invariant: 17)
  }

  private func compare(_ database: Database, with expected: Set<[UInt8]>, invariant: Int) throws {
    var actual: Set<[UInt8]> = []
    try view.forEachKey(in: database, startingWith: []) { key, _ in actual.insert(key.copied()) }
    guard actual != expected else { return }
    let (missing, extra) = (expected.subtracting(actual).count, actual.subtracting(expected).count)
    violated(invariant, "table \(database.name) lacks \(missing) entries and has \(extra) too many")
  }
}
