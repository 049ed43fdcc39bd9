import Foundation
import RecordStore

/// The changes of one commit to the ledger, and the numbers that it takes.
///
/// Records are read from the commit's snapshot, which does not show what is changed here: read first, decide, then
/// change each record once.
struct LedgerEdit {
  /// Written at the end if it was changed.
  var settings: LedgerSettings
  /// The store's time, one for the whole commit.
  let now: Date
  private let original: LedgerSettings
  private let catalogue: Catalogue
  private var changes: [RecordChange] = []

  init(settings: LedgerSettings, now: Date, catalogue: Catalogue) {
    self.settings = settings
    original = settings
    self.now = now
    self.catalogue = catalogue
  }

  mutating func insert<Record: LedgerRecord>(_ record: Record) throws {
    let entity = try catalogue.ledgerEntity(named: Record.entityName)
    changes.append(.insert(entity: entity.number, id: record.id, fields: record.writes(entity)))
  }

  mutating func update<Record: LedgerRecord>(_ record: Record) throws {
    let entity = try catalogue.ledgerEntity(named: Record.entityName)
    changes.append(.update(entity: entity.number, id: record.id, fields: record.writes(entity)))
  }

  mutating func delete<Record: LedgerRecord>(_ record: Record) throws {
    let entity = try catalogue.ledgerEntity(named: Record.entityName)
    changes.append(.delete(entity: entity.number, id: record.id))
  }

  func request() throws -> SaveRequest {
    var edit = self
    if settings != original { try edit.update(settings) }
    return SaveRequest(changes: edit.changes)
  }
}

// Numbers and news.
extension LedgerEdit {
  mutating func takeTransactionNumber() -> UInt64 {
    defer { settings.nextTransactionID += 1 }
    return settings.nextTransactionID
  }

  mutating func takeControlNumber() -> UInt64 {
    defer { settings.nextControlNumber += 1 }
    return settings.nextControlNumber
  }

  /// Tells the account's sessions of a transaction, as often and as late as the tester wants it.
  mutating func announce(_ transaction: LedgerTransaction, origin: UInt64? = nil) throws {
    var event = LedgerEvent(number: settings.nextEventNumber, .transaction, account: transaction.account)
    event.transactionNumber = transaction.number
    event.resetCount = settings.resetCount
    event.origin = settings.echoesPurchases ? nil : origin
    event.arrivalDates = settings.arrivals(ofEvent: event.number, after: now)
    try announce(event)
  }

  mutating func announceStorefront(of account: String) throws {
    var event = LedgerEvent(number: settings.nextEventNumber, .storefront, account: account)
    event.arrivalDates = [now]
    try announce(event)
  }

  mutating func announceSubscription(_ subscription: LedgerSubscription) throws {
    var event = LedgerEvent(number: settings.nextEventNumber, .subscription, account: subscription.account)
    event.subscriptionGroupID = subscription.groupID
    event.resetCount = settings.resetCount
    event.arrivalDates = [now]
    try announce(event)
  }

  private mutating func announce(_ event: LedgerEvent) throws {
    settings.nextEventNumber += 1
    try insert(event)
  }
}

extension LedgerSettings {
  /// When the copies of an update arrive: drawn from the seed, so that a run can be repeated.
  func arrivals(ofEvent number: UInt64, after now: Date) -> [Date] {
    var randomness = SeededRandomness(seed: seed, label: "event \(number)")
    let delays = updateDelayMinimumMilliseconds...updateDelayMaximumMilliseconds
    return (0..<updateCopies).map { _ in
      Date(milliseconds: now.milliseconds + Int64(Int.random(in: delays, using: &randomness)))
    }.sorted()
  }

  /// The store's time at a moment of the wall clock, whole milliseconds.
  func now(wall: Date) -> Date {
    stoppedAt ?? Date(milliseconds: wall.milliseconds + Int64(clockOffsetMilliseconds))
  }
}
