import LMDB

extension LeavingRecords {
  /// The parts that are the same for all records of one entity. A class: it is looked up once a record, and never
  /// copied. One commit uses it, and lends no part of it while it calls: access is not checked at run time.
  final class Lane {
    /// A reference that others may have to records of the entity.
    struct Incoming {
      let holder: EntityNumber
      let index: ReferenceReader
      /// Whether the holder goes along.
      let takesAlong: Bool
    }

    let rules: EntityRules
    let records: Database
    /// None while rows are written.
    @exclusivity(unchecked) private(set) var incoming: [Incoming]
    /// Nil while rows are written.
    @exclusivity(unchecked) private var reader: RowReader?
    /// The rows that go, in ``LeavingRecords/records``.
    @exclusivity(unchecked) var rows: [RecordDrafts.Entry] = []
    /// The number of rows whose keys are collected.
    @exclusivity(unchecked) private var collectedCount = 0
    @exclusivity(unchecked) private var keys: [LeavingKeys] = []
    /// Those that other threads work out: of unique indexes, and all others.
    @exclusivity(unchecked) private var collectingUnique: [SideWork<LeavingKeys>] = []
    @exclusivity(unchecked) private var collecting: [SideWork<LeavingKeys>] = []

    init(_ entity: EntityNumber, _ layout: StoreLayout, _ view: TransactionView) throws {
      rules = layout.rules[entity]
      records = layout.databases.records[entity]
      incoming = try rules.incoming.map { reference in
        let holder = layout.rules[reference.holder]
        let index = layout.databases.index(holder.indexes[reference.rule.indexPosition].index.number)
        return Incoming(
          holder: reference.holder, index: try ReferenceReader(index, view),
          takesAlong: reference.rule.hides && holder.goesPlainly)
      }
      reader = try RowReader(records, view)
    }
  }
}

extension LeavingRecords.Lane {
  func row(_ id: RecordID) throws -> RawBytes? { try reader?.row(id) }

  /// Cursors must not be open while their tables are written.
  func endReading() {
    reader = nil
    incoming = []
  }

  func sort() { rows.sort { $0.id < $1.id } }

  /// Forgets all rows and their keys.
  func restart() {
    rows = []
    collectedCount = 0
    (keys, collectingUnique, collecting) = ([], [], [])
  }

  /// Collects the keys of the rows that are new here, and whose bytes `drafts` keep. `beside`: other threads do so.
  func collectKeys(of drafts: RecordDrafts, beside: Bool, _ databases: NamedDatabases) {
    guard collectedCount < rows.count else { return }
    let (rows, ordinals) = (Array(rows[collectedCount...]), rules.referenceOrdinals)
    collectedCount += rows.count
    func collect(isUnique: Bool, _ work: @escaping @Sendable () -> LeavingKeys) {
      if !beside { return keys.append(work()) }
      if isUnique { collectingUnique.append(SideWork(work)) } else { collecting.append(SideWork(work)) }
    }
    for index in rules.indexes {
      collect(isUnique: index.index.isUnique) {
        withExtendedLifetime(drafts) { LeavingKeys(of: rows, in: index, databases) }
      }
    }
    guard !ordinals.isEmpty else { return }
    collect(isUnique: false) {
      withExtendedLifetime(drafts) { LeavingKeys(referencesOf: rows, at: ordinals, databases) }
    }
  }

  /// Keys, among them those of all unique indexes, which are waited for.
  func takeUniqueKeys() -> [LeavingKeys] {
    keys += collectingUnique.map { $0.value() }
    collectingUnique = []
    return keys
  }

  /// All keys, which are waited for.
  func takeKeys() -> [LeavingKeys] {
    _ = takeUniqueKeys()
    keys += collecting.map { $0.value() }
    collecting = []
    return keys
  }
}
