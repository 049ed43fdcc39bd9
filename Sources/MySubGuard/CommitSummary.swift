public import Tandem

/// The effect of one commit on the subscriptions, in numbers.
public struct CommitSummary: Hashable, Sendable, CustomStringConvertible {
  /// The number of new subscriptions.
  public let added: Int
  /// The number of subscriptions with other values.
  public let changed: Int
  /// The number of subscriptions that are gone.
  public let deleted: Int
  /// The program that saved, or nil when another device's edits were merged.
  public let program: String?

  /// Counts the changes of a transaction.
  public init(_ transaction: ContainerTransaction) {
    added = transaction.inserted.count
    changed = transaction.updated.count
    deleted = transaction.deleted.count
    program = transaction.origin == .merge ? nil : transaction.processName
  }

  /// Such as `10 added, 2 changed by mysubguard`.
  public var description: String {
    let parts = [(added, "added"), (changed, "changed"), (deleted, "deleted")].filter { $0.0 > 0 }
    let what = parts.isEmpty ? "nothing" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return what + (program.map { " by \($0)" } ?? ", merged from another device")
  }
}

extension SubscriptionBook {
  /// Every commit from this moment on, by any process, in order. Ends with an error when the store cannot be read any
  /// more, such as after a newer version of the app has migrated it.
  public var commits: some AsyncSequence<CommitSummary, any Error> & Sendable {
    container.changes.map { CommitSummary($0) }
  }
}
