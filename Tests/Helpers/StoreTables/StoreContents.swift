public import RecordStore

/// What a store holds: all tables, and history with the changes of a transaction in key order.
public struct StoreContents: Sendable, Equatable {
  public let tables: [String: [[UInt8]]]
  public let history: [HistoryTransaction]

  public init(tables: [String: [[UInt8]]], history: [HistoryTransaction]) {
    (self.tables, self.history) = (tables, history)
  }

  /// `isCounted`: which attachments count.
  public init(of store: RecordStore, attachments isCounted: ([UInt8]) -> Bool = { _ in true }) throws {
    self.init(tables: try store.tables(attachments: isCounted), history: try store.historyInKeyOrder())
  }

  /// The first part, by name, that is another in `other`; nil if both are equal.
  public func difference(from other: StoreContents) -> String? {
    let names = Set(tables.keys).union(other.tables.keys).sorted()
    if let name = names.first(where: { tables[$0] != other.tables[$0] }) { return "table \(name)" }
    return history == other.history ? nil : "history"
  }
}
