import Foundation
import RecordStore

/// The files that say what is sold, as the tester gave them; each process reads them for itself.
struct LedgerProducts: LedgerRecord, Hashable {
  static let entityName = "Products"
  static let onlyID = RecordID(high: 1, low: 2)

  let id: RecordID
  var storeKitFile = Data()
  /// Nil: the prices of the `.storekit` file hold everywhere.
  var priceTable: Data?

  init(id: RecordID = Self.onlyID) { self.id = id }

  static let indexes: [IndexDefinition] = []
  static let fields: [LedgerField<LedgerProducts>] = [
    LedgerField("storeKitFile", \.storeKitFile),
    LedgerField("priceTable", \.priceTable),
  ]
}
