public import Tandem

/// The effect of one commit on the subscriptions, in numbers.
public struct CommitSummary: Hashable, Sendable, CustomStringConvertible {
  /// The number of new subscriptions.
  public let added: Int
  /// The number of subscriptions with other values, prices or payments.
  public let changed: Int
  /// The number of subscriptions that are gone.
  public let deleted: Int
  /// The program that saved, or nil when another device's edits were merged.
  public let program: String?

  /// Counts the changes of a transaction.
  public init(_ transaction: ContainerTransaction) {
    let name = "\(Subscription.self)"
    func count(_ ids: [PersistentIdentifier]) -> (subscriptions: Int, rows: Int) {
      let subscriptions = ids.count { $0.entityName == name }
      return (subscriptions, ids.count - subscriptions)
    }
    let (new, other, gone) = (
      count(transaction.inserted), count(transaction.updated), count(transaction.deleted)
    )
    (added, deleted) = (new.subscriptions, gone.subscriptions)
    // A row of a price or of a payment is a change of its subscription, which may be written in the same commit. Rows
    // that go with a subscription are none.
    let rows = new.rows + other.rows + (gone.subscriptions == 0 ? gone.rows : 0)
    changed = max(other.subscriptions, rows)
    program = transaction.origin == .merge ? nil : transaction.processName
  }

  /// Such as `10 added, 2 changed by mysubguard`.
  public var description: String {
    let locale = AppLocale.current
    let parts: [(Int, MessageKey)] = [(added, .countAdded), (changed, .countChanged), (deleted, .countDeleted)]
    let texts = parts.filter { $0.0 > 0 }.map { locale.text($0.1, "\($0.0)") }
    let what = texts.isEmpty ? locale.text(.nothing) : texts.joined(separator: ", ")
    return program.map { locale.text(.commitBy, what, $0) } ?? locale.text(.commitMerged, what)
  }
}

extension SubscriptionBook {
  /// Every commit from this moment on, by any process, in order. Ends with an error when the store cannot be read any
  /// more, such as after a newer version of the app has migrated it.
  public var commits: some AsyncSequence<CommitSummary, any Error> & Sendable {
    container.changes.map { CommitSummary($0) }
  }
}
