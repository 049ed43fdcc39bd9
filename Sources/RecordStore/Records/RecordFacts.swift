/// Everything known about one record, as facts that only grow: joining is commutative, associative
/// and idempotent, so neither order nor repetition of arrivals matters.
///
/// What an app sees of the record (is it visible, with which values) is computed from the facts; see
/// MergeRules. An entry of ``registers`` is absent until the field is written for the first time; a
/// default reads as if written at ``Stamp/zero``.
public struct RecordFacts: Hashable, Sendable {
  public struct Register: Hashable, Sendable {
    public var ordinal: Int
    public var value: FieldValue
    public var stamp: Stamp
    public init(ordinal: Int, value: FieldValue, stamp: Stamp) {
      self.ordinal = ordinal
      self.value = value
      self.stamp = stamp
    }
  }

  public var entity: EntityNumber
  public var id: RecordID
  /// Whether a full insert was seen. Without it the record waits, kept and invisible.
  public var isInserted: Bool
  /// The greatest stamp of inserts and user updates.
  public var touch: Stamp?
  /// The greatest stamp of explicit deletes.
  public var deleted: Stamp?
  /// Sorted by ordinal, each ordinal at most once.
  public var registers: [Register]

  public init(
    entity: EntityNumber, id: RecordID, isInserted: Bool = false, touch: Stamp? = nil,
    deleted: Stamp? = nil, registers: [Register] = []
  ) {
    self.entity = entity
    self.id = id
    self.isInserted = isInserted
    self.touch = touch
    self.deleted = deleted
    self.registers = registers
  }
}
