import Foundation
import RecordStore

/// The settings of the whole App Store: one record.
struct LedgerSettings: LedgerRecord, Hashable {
  static let entityName = "Settings"
  static let onlyID = RecordID(high: 1, low: 1)

  let id: RecordID
  var bundleID = ""
  /// The seed of keys, device ids, delays and nonces.
  var seed: UInt64 = 0
  /// The first transaction has 0, as in Xcode's local environment.
  var nextTransactionID: UInt64 = 0
  /// Never starts again, so that a listener's place in the events stays valid across resets.
  var nextEventNumber: UInt64 = 1
  /// Numbers launches, requests and faults.
  var nextControlNumber: UInt64 = 1
  /// How often the App Store was reset.
  var resetCount = 0
  /// Which chain signs.
  var signingGeneration = 0
  /// Rises with each change of the chains, so that signers and verifiers are made anew.
  var certificateRevision = 0
  var clockOffsetMilliseconds = 0
  /// The store's time while its clock stands still.
  var stoppedAt: Date?
  /// How long a month of a subscription lasts; nil: as in the calendar.
  var millisecondsPerMonth: Int?
  /// After how many renewals a subscription ends; nil: never.
  var maximumRenewals: Int?
  var gracePeriodDays = 0
  /// How often each update arrives.
  var updateCopies = 1
  var updateDelayMinimumMilliseconds = 0
  var updateDelayMaximumMilliseconds = 0
  /// Whether the session that bought also hears of it through its updates.
  var echoesPurchases = false
  /// Rises when the products are replaced; 0: there are none yet.
  var productRevision = 0

  init(id: RecordID = Self.onlyID) { self.id = id }

  static let indexes: [IndexDefinition] = []
  static let fields: [LedgerField<LedgerSettings>] = [
    LedgerField("bundleID", \.bundleID),
    LedgerField("seed", \.seed),
    LedgerField("nextTransactionID", \.nextTransactionID),
    LedgerField("nextEventNumber", \.nextEventNumber),
    LedgerField("nextControlNumber", \.nextControlNumber),
    LedgerField("resetCount", \.resetCount),
    LedgerField("signingGeneration", \.signingGeneration),
    LedgerField("certificateRevision", \.certificateRevision),
    LedgerField("clockOffsetMilliseconds", \.clockOffsetMilliseconds),
    LedgerField("stoppedAt", \.stoppedAt),
    LedgerField("millisecondsPerMonth", \.millisecondsPerMonth),
    LedgerField("maximumRenewals", \.maximumRenewals),
    LedgerField("gracePeriodDays", \.gracePeriodDays),
    LedgerField("updateCopies", \.updateCopies),
    LedgerField("updateDelayMinimumMilliseconds", \.updateDelayMinimumMilliseconds),
    LedgerField("updateDelayMaximumMilliseconds", \.updateDelayMaximumMilliseconds),
    LedgerField("echoesPurchases", \.echoesPurchases),
    LedgerField("productRevision", \.productRevision),
  ]
}
