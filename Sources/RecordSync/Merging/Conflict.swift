public import RecordStore

/// One transaction's values of one record that lost against a transaction whose author had not seen them.
///
/// ```swift
/// let conflicts: [Conflict] = try log.entries()
/// for conflict in conflicts where conflict.kind == .editLost {
///   for field: Conflict.Field in conflict.fields { print(field.lost, "gave way to", field.winning) }
/// }
/// ```
///
/// Lost values are kept, with both sides, until they are restored, superseded or ``ConflictLog/retentionDays`` old.
public struct Conflict: Hashable, Sendable {
  /// Raw values are part of the log's format.
  public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// A later write of the same field won.
    case editLost = 1
    /// The record, or one that it cannot be without, was deleted, or gave way to another that was given its unique
    /// value since; ``Conflict/winningStamp`` is of the delete, or of the write that gave the value.
    case editLostToDelete = 2
    /// A later edit keeps the record alive although it was deleted, or a rule of deny does.
    case deletionOverridden = 3
    /// Two records with one unique value became one; the later write of each field won.
    case aliasJoined = 4
    /// Another record's later reference took the target of a one-to-one; ``Field/winning`` names that record.
    case referenceLost = 5
    /// A reference would have put the record below itself, with others that had been made apart; ``Field/winning``
    /// names the record whose reference is the newest of those.
    case moveVoided = 6
  }

  /// One value that lost.
  public struct Field: Hashable, Sendable {
    /// The field's place in the entity, as this store's catalogue counts.
    public var ordinal: Int
    /// The value that lost.
    public var lost: FieldValue
    /// The value that the record has instead, when the merge decided.
    public var winning: FieldValue
    /// Whether the winner wrote the same value, so that nothing is lost as long as it stands. `canonical`: the id by
    /// which a record is named that others stand for.
    func isEqual(_ canonical: (RecordID) throws -> RecordID) rethrows -> Bool {
      try lost.isSame(as: winning, canonical)
    }

    /// A loss of one field.
    public init(ordinal: Int, lost: FieldValue, winning: FieldValue) {
      self.ordinal = ordinal
      self.lost = lost
      self.winning = winning
    }
  }

  /// The reason of the loss.
  public var kind: Kind
  /// Numbers are those of this store's catalogue, where names are.
  public var entity: EntityNumber
  /// The record, by the id that it had when the merge decided.
  public var record: RecordID
  /// The transactions that lost and won; each stamp names its replica and time.
  public var lostStamp: Stamp
  /// The transaction that won.
  public var winningStamp: Stamp
  /// In order of the ordinal; empty for a delete that lost.
  public var fields: [Field]
  /// When this store noticed, by its wall clock.
  public var loggedAtMilliseconds: UInt64

  /// Creates an entry from its parts.
  public init(
    kind: Kind, entity: EntityNumber, record: RecordID, lostStamp: Stamp, winningStamp: Stamp,
    fields: [Field] = [], loggedAtMilliseconds: UInt64
  ) {
    self.kind = kind
    self.entity = entity
    self.record = record
    self.lostStamp = lostStamp
    self.winningStamp = winningStamp
    self.fields = fields
    self.loggedAtMilliseconds = loggedAtMilliseconds
  }

  /// A delete by an author that had not heard of the collection which took the record. Nobody takes it, whatever its
  /// time: it has lost to whatever says the record again, before or after, and is read once the record is there.
  init(voidDelete: Stamp, of record: RecordKey, loggedAtMilliseconds: UInt64) {
    self.init(
      kind: .deletionOverridden, entity: record.entity, record: record.id, lostStamp: voidDelete, winningStamp: .zero,
      loggedAtMilliseconds: loggedAtMilliseconds)
  }

  /// Whether nothing but the log knows of the delete.
  var isOfVoidDelete: Bool { kind == .deletionOverridden && winningStamp == .zero }

  /// Whether something was lost: a delete, or a value that the winner has not written, too.
  var isLoss: Bool { kind != .editLost || fields.contains { field in !field.isEqual { $0 } } }

  /// Sixteen hexadecimal digits by which people name the entry. Devices that logged the loss against one winner name it
  /// alike; a device that knows of a later winner has another name for it.
  public var id: String { ContentHash(of: key).prefix(0).hexadecimal }
}
