import LMDB

extension ArrivalIntake {
  /// What is the same for all records of one entity. A class: it is looked up once an entity, and never copied. One
  /// merge uses it, and lends no part of it while it calls: access is not checked at run time.
  final class Lane: IndexLane {
    let rules: EntityRules
    let records: Database
    /// By position among the entity's indexes.
    @exclusivity(unchecked) var indexes: [IndexChanges]
    /// The place of each changed record among the drafts, rising by id.
    @exclusivity(unchecked) var rows: [Int] = []
    /// Rising.
    @exclusivity(unchecked) var newIDs: [RecordID] = []
    /// The new ones among the rows.
    @exclusivity(unchecked) var newRows: [Int] = []
    /// How many records were taken.
    @exclusivity(unchecked) var takenCount = 0
    /// Behind every id that anything is known of.
    let bound: RecordID
    /// Whether new records can go without a look at rules at all.
    let allowsInserts: Bool
    /// Whether what the log says of a record can hang on others.
    let dependsOnOthers: Bool

    init(_ rules: EntityRules, _ layout: StoreLayout, _ side: SideEntries, _ view: TransactionView) throws {
      self.rules = rules
      records = layout.databases.records[rules.entity.number]
      indexes = rules.indexes.map { IndexChanges(database: layout.databases.index($0.index.number)) }
      bound = try view.greatestID(of: rules.entity.number, layout.databases)
      // With aliases, one key has several spellings.
      allowsInserts =
        !side.hasAliases || !rules.references.contains { rules.uniqueOrdinals.contains($0.ordinal) }
      dependsOnOthers = rules.references.contains { $0.hides || $0.isExclusive }
    }
  }
}

extension ArrivalIntake.Lane {
  func inserts(_ id: RecordID) -> Bool {
    let place = newIDs.partitionIndex { $0 >= id }
    return place < newIDs.count && newIDs[place] == id
  }
}
