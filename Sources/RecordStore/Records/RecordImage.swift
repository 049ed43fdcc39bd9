public import LMDB

/// A record's bytes, copied out of the map once; immutable, so safe to share.
///
/// Attributes are decoded when they are read. A field that was never written reads as the field's
/// default. The bytes lie in a buffer of a ``RecordCopier``'s, beside those of other records; that they are reached by
/// their address makes this a pointer file.
// A record's part of the buffer is written before its image is there, then never again, so any thread may read it.
public struct RecordImage: @unchecked Sendable {
  public let id: RecordID
  @usableFromInline package let bytes: RawBytes
  /// Keeps the bytes.
  package let owner: AnyObject

  /// Copies a record and checks the copy: throws `damaged` on a wrong checksum.
  package init(id: RecordID, entity: EntityNumber, copying bytes: RawBytes) throws {
    var copier = RecordCopier()
    self = try copier.image(of: bytes, id: id, entity: entity)
  }

  /// Around bytes that were copied already.
  package init(id: RecordID, bytes: RawBytes, owner: AnyObject) {
    self.id = id
    self.bytes = bytes
    self.owner = owner
  }

  @inlinable public var entity: EntityNumber { withView { $0.entity } }

  @inlinable public var byteCount: Int { bytes.count }

  /// Lends a view of the bytes; it must not leave the closure.
  @inlinable
  public func withView<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(self) { try body(RecordView(bytes)) }
  }

  /// A view of the bytes, valid as long as somebody holds ``owner``: for a holder that reads often.
  package var unsafeView: RecordView { RecordView(bytes) }

  /// The value of a field, its default if it was never written.
  public func value(of field: CatalogueField) -> FieldValue {
    withView { $0.value(of: field) }
  }
}

extension RecordView {
  /// The value of a field as readers see it: its default if it was never written, or if it is null from a
  /// time when that was allowed.
  public func value(of field: CatalogueField) -> FieldValue {
    let value = value(at: field.ordinal, type: field.type)
    guard value == .null, isDefaulted(at: field.ordinal, isOptional: field.isOptional) else { return value }
    return field.valueWhenAbsent
  }

  /// Whether a field without bytes for readers takes its default: never written, or null where null is not
  /// allowed any more. A reference to an invisible record reads as nil and has no default.
  @usableFromInline
  package func isDefaulted(at ordinal: Int, isOptional: Bool) -> Bool {
    let flags = flags(at: ordinal)
    if flags & RecordFormat.unwrittenFlag != 0 { return true }
    return flags & RecordFormat.nullFlag != 0 && !isOptional
  }
}

extension CatalogueField {
  /// What a record that never got a value of this field has: the default, else null, else the type's zero.
  public var valueWhenAbsent: FieldValue {
    if let defaultValue { return defaultValue }
    return isOptional ? .null : type.zero
  }
}
