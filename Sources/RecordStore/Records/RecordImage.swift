// CONTRACT STUB: to be implemented by the owner of Records.
package import LMDB

/// A record's bytes, copied out of the map once; immutable, so safe to share.
///
/// Attributes are decoded when they are read. A field that was never written reads as the field's
/// default. One allocation of the size of the record.
public final class RecordImage: Sendable {
  public var id: RecordID { fatalError("stub") }
  public var entity: EntityNumber { fatalError("stub") }
  /// Lends a view of the bytes; it must not leave the closure.
  public func withView<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result { fatalError("stub") }
  /// The value of a field, its default if it was never written.
  public func value(of field: CatalogueField) -> FieldValue { fatalError("stub") }
  package init(id: RecordID, copying bytes: RawBytes) { fatalError("stub") }
}
