// CONTRACT STUB: to be implemented by the owner of the commit path.

/// The byte form of one transaction's facts: kept in history, copied into change sets.
public enum TransactionCodec {
  /// Entity numbers and ordinals are those of the author's catalogue.
  package static func encode(_ transaction: TransactionFacts) -> [UInt8] { fatalError("stub") }
  /// Throws `StoreError.damaged` on anything that is not exactly one encoded transaction; `fieldType` says how
  /// to read a field of the author's catalogue. Never allocates more than the bytes justify.
  public static func decode(
    _ bytes: [UInt8], fieldType: (EntityNumber, Int) throws -> FieldType
  ) throws -> TransactionFacts {
    fatalError("stub")
  }
}
