import Foundation
import GRDB

/// GRDB's everyday form: a Codable record. Dates are REAL, which is its fast choice.
struct SubscriptionRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "subscription"

  var id: UUID
  var name: String
  var amount: Double
  var frequency: Frequency
  var nextBillingDate: Date
  var category: Category
  var createdAt: Date
  var notes: String

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  init(_ row: SubscriptionRow) {
    id = row.id
    name = row.name
    amount = row.amount
    frequency = row.frequency
    nextBillingDate = row.nextBillingDate
    category = row.category
    createdAt = row.createdAt
    notes = row.notes
  }
}

extension Frequency: DatabaseValueConvertible {}
extension Category: DatabaseValueConvertible {}

/// What a careful user of GRDB writes where speed counts: columns by number, no coder between.
struct SubscriptionColumns: FetchableRecord {
  var id: UUID
  var name: String
  var amount: Double
  var frequency: Frequency
  var nextBillingDate: Date
  var category: Category
  var createdAt: Date
  var notes: String

  init(row: Row) throws {
    id = row[0]
    name = row[1]
    amount = row[2]
    frequency = row[3]
    nextBillingDate = Date(timeIntervalSinceReferenceDate: row[4])
    category = row[5]
    createdAt = Date(timeIntervalSinceReferenceDate: row[6])
    notes = row[7]
  }
}

extension SubscriptionRow {
  /// For a prepared statement, in the order of the columns.
  var arguments: StatementArguments {
    [
      id, name, amount, frequency.rawValue, nextBillingDate.timeIntervalSinceReferenceDate, category.rawValue,
      createdAt.timeIntervalSinceReferenceDate, notes,
    ]
  }
}

struct PurchaseTableRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "purchaseRecord"
  var id: UUID
  var transactionID: String
  var productID: String
  var price: Decimal
  var date: Date
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }
}

struct CreditTableRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "purchaseCredit"
  var id: Int64?
  var ordinal: Int
  var purchaseID: UUID
}
