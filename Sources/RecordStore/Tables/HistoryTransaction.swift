public import Foundation

/// One transaction as this store saw it: a local save, or a merge of another replica's transactions.
public struct HistoryTransaction: Hashable, Sendable {
  /// Rises by one with every transaction of this store; the order in which readers saw them.
  public var number: UInt64
  /// The transaction's global name. A merge has that of the last transaction merged.
  public var dot: Dot
  /// The transaction's time by the hybrid clock.
  public var stamp: Stamp
  /// The name that the saving code gave itself; nil without one.
  public var author: String?
  /// The program that saved, and its process id.
  public var processName: String
  /// The process id of the program that saved.
  public var processIdentifier: Int32
  /// When this store committed it, by the wall clock.
  public var committedAt: Date
  /// Whether it came from another replica.
  public var isMerge: Bool
  /// The vector that this replica had seen when it saved, own transactions left out.
  public var context: VersionVector
  /// The key of a once transaction.
  public var once: OnceKey?
  /// The changes for readers.
  public var changes: [HistoryChange]

  /// Creates a transaction from its parts.
  public init(
    number: UInt64, dot: Dot, stamp: Stamp, author: String?, processName: String, processIdentifier: Int32,
    committedAt: Date, isMerge: Bool, context: VersionVector, once: OnceKey? = nil, changes: [HistoryChange]
  ) {
    self.number = number
    self.dot = dot
    self.stamp = stamp
    self.author = author
    self.processName = processName
    self.processIdentifier = processIdentifier
    self.committedAt = committedAt
    self.isMerge = isMerge
    self.context = context
    self.once = once
    self.changes = changes
  }
}

/// How one record changed for readers of the store.
public struct HistoryChange: Hashable, Sendable {
  /// How a record changed.
  public enum Kind: UInt8, Hashable, Sendable, Codable {
    /// Became visible.
    case insert = 1
    /// Fields changed while it was visible.
    case update = 2
    /// Is visible no more.
    case delete = 3
  }
  /// How the record changed.
  public var kind: Kind
  /// The record's entity.
  public var entity: EntityNumber
  /// The record's id, which is that of its row.
  public var id: RecordID
  /// Ordinals of an update's changed fields, rising; empty otherwise.
  public var fields: [Int]
  /// A delete has values of the fields that the schema preserves. An update has, in a store whose configuration
  /// keeps changed values: per changed field what it was, then what it became.
  public var preserved: [FieldWrite]

  /// Creates a change from its parts.
  public init(
    kind: Kind, entity: EntityNumber, id: RecordID, fields: [Int] = [], preserved: [FieldWrite] = []
  ) {
    self.kind = kind
    self.entity = entity
    self.id = id
    self.fields = fields
    self.preserved = preserved
  }
}

extension HistoryChange {
  var key: RecordKey { RecordKey(entity: entity, id: id) }
}

extension HistoryChange {
  /// The values of an update's changed fields before it; nil where history does not keep them.
  public var oldValues: [FieldWrite]? { values(at: 0) }
  /// The values of an update's changed fields after it; nil where history does not keep them.
  public var newValues: [FieldWrite]? { values(at: 1) }

  private func values(at place: Int) -> [FieldWrite]? {
    guard kind == .update, preserved.count == 2 * fields.count, !fields.isEmpty else { return nil }
    return fields.indices.map { preserved[2 * $0 + place] }
  }
}
