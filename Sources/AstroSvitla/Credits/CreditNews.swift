import Foundation
import RecordStore

/// The credits and consumptions that came after a place in a store's history.
struct CreditNews {
  private(set) var credits: [CreditLedger.Credit] = []
  private(set) var consumed: [CreditKey] = []
  /// All that history has after the place, whatever it is about: what it costs to get from there to here.
  private(set) var changeCount = 0

  /// Nil where more happened than that records came: one of them went or names another credit, or history does not
  /// reach back that far. Costs what happened since.
  init?(after bookmark: CreditBookmark, in snapshot: borrowing StoreSnapshot) throws {
    guard bookmark.place.leads(to: try CreditBookmark.Place(snapshot)), let tables = CreditTables(snapshot.catalogue)
    else { return nil }
    var areAdditions = true
    do {
      try snapshot.forEachChange(after: bookmark.place.number) { change in
        changeCount += 1
        if areAdditions { areAdditions = try take(change, tables, snapshot) }
      }
    } catch let error as StoreError where error.code == .historyTokenExpired {
      return nil
    }
    if !areAdditions { return nil }
  }

  /// False where a record went, names another credit, or is not as expected.
  private mutating func take(
    _ change: HistoryChange, _ tables: CreditTables, _ snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    guard let table = tables.table(change.entity) else { return true }
    switch change.kind {
    case .delete: return false
    case .update: return !change.fields.contains(where: table.keyFields.contains)
    case .insert:
      guard let row = try snapshot.row(change.id, of: change.entity), let key = table.key(row.view) else {
        return false
      }
      if change.entity == tables.consumptions.entity {
        consumed.append(key)
      } else if let date = row.view.date(at: tables.purchaseDate) {
        credits.append(CreditLedger.Credit(key: key, purchaseDate: date))
      } else {
        return false
      }
      return true
    }
  }
}

/// Where credits and consumptions lie in a store.
struct CreditTables {
  /// An entity whose records name a credit.
  struct Table {
    var entity: EntityNumber
    var transaction: Int
    var ordinal: Int
    /// The fields that must not change.
    var keyFields: Set<Int>

    fileprivate init?(_ entity: CatalogueEntity?, date: String?) {
      guard let entity, let transaction = entity.field(named: "transactionKey")?.ordinal,
        let ordinal = entity.field(named: "ordinal")?.ordinal
      else { return nil }
      self.entity = entity.number
      (self.transaction, self.ordinal) = (transaction, ordinal)
      keyFields = [transaction, ordinal]
      if let date = date.flatMap({ entity.field(named: $0)?.ordinal }) { keyFields.insert(date) }
    }

    func key(_ record: RecordView) -> CreditKey? {
      guard let transaction = record.string(at: transaction), let ordinal = record.int(at: ordinal) else { return nil }
      return CreditKey(transaction: transaction, ordinal: Int(ordinal))
    }
  }

  let credits: Table
  let consumptions: Table
  let purchaseDate: Int

  init?(_ catalogue: Catalogue) {
    let entity = catalogue.entity(named: "PurchaseCredit")
    guard let date = entity?.field(named: "purchaseDate")?.ordinal,
      let credits = Table(entity, date: "purchaseDate"),
      let consumptions = Table(catalogue.entity(named: "CreditConsumption"), date: nil)
    else { return nil }
    (self.credits, self.consumptions, purchaseDate) = (credits, consumptions, date)
  }

  func table(_ entity: EntityNumber) -> Table? {
    switch entity {
    case credits.entity: credits
    case consumptions.entity: consumptions
    default: nil
    }
  }
}
