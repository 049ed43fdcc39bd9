import RecordStore

/// The records of the rows of one save.
///
/// Bytes, as long as nothing but inserts is to be done. With links that other records hold, or with a record that only
/// the general way of a save can judge, they become changes, which keep their order.
struct RowRecords {
  private(set) var count = 0
  private var drafts = RecordDrafts()
  /// Nil: all are drafts.
  private var inserts: [RecordChange]?
  private var links: [RecordChange] = []
  private var lists: [OwnedList: [RecordID]] = [:]
  private var listOrder: [OwnedList] = []

  mutating func reserve(_ count: Int) { drafts.reserve(count) }

  mutating func append(_ row: RowValues) {
    count += 1
    if inserts != nil || !row.draft(to: &drafts) {
      becomeChanges()
      inserts?.append(row.change)
    }
    for link in row.links {
      switch link.kind {
      case .change(let change): links.append(change)
      case .place(let list):
        if lists[list] == nil { listOrder.append(list) }
        lists[list, default: []].append(row.id)
      }
    }
  }

  private mutating func becomeChanges() {
    guard inserts == nil else { return }
    inserts = drafts.changes
    drafts = RecordDrafts()
  }

  /// The work of the save, of which this is the last use.
  consuming func work(refusing duplicates: Set<LocalWork.UniqueKey>) throws -> LocalWork {
    for list in listOrder { links += try list.positions(of: lists[list] ?? []) }
    if !links.isEmpty { becomeChanges() }
    var work = LocalWork(changes: (inserts ?? []) + links)
    work.drafts = drafts
    work.refusedDuplicates = duplicates
    return work
  }
}
