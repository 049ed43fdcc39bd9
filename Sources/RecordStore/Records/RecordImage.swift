public import LMDB

/// A record's bytes, copied out of the map once; immutable, so safe to share.
///
/// Attributes are decoded when they are read. A field that was never written reads as the field's
/// default. One allocation of the size of the record: the bytes follow the buffer's header, which is why
/// this is a pointer file.
// The buffer is written before the initialiser returns, then never again, so any thread may read it.
public struct RecordImage: @unchecked Sendable {
  @usableFromInline
  struct Head {
    @usableFromInline let id: RecordID
    @usableFromInline let byteCount: Int
  }

  @usableFromInline let buffer: ManagedBuffer<Head, UInt8>

  /// Copies a record and checks the copy: throws `damaged` on a wrong checksum.
  package init(id: RecordID, entity: EntityNumber, copying bytes: RawBytes) throws {
    self.init(id: id, uncheckedCopying: bytes)
    try withView { try RecordFormat.verify($0.bytes, id: id, entity: entity) }
  }

  /// A copy of bytes that were encoded a moment ago or checked where they lie.
  package init(id: RecordID, uncheckedCopying bytes: RawBytes) {
    buffer = .create(minimumCapacity: bytes.count) { _ in Head(id: id, byteCount: bytes.count) }
    buffer.withUnsafeMutablePointerToElements { elements in
      UnsafeMutableRawPointer(elements).copyMemory(from: bytes.start, byteCount: bytes.count)
    }
  }

  // Through the pointer, because the property of a class would check for exclusive access at run time.
  /// The record's id.
  @inlinable public var id: RecordID { buffer.withUnsafeMutablePointerToHeader { $0.pointee.id } }

  /// The number of the record's entity.
  @inlinable public var entity: EntityNumber { withView { $0.entity } }

  /// The size of the record.
  @inlinable public var byteCount: Int { buffer.withUnsafeMutablePointerToHeader { $0.pointee.byteCount } }

  /// Lends a view of the bytes; it must not leave the closure.
  @inlinable
  public func withView<Result>(_ body: (RecordView) throws -> Result) rethrows -> Result {
    try buffer.withUnsafeMutablePointers { head, elements in
      try body(RecordView(RawBytes(start: UnsafeRawPointer(elements), count: head.pointee.byteCount)))
    }
  }

  /// A view of the bytes, valid as long as somebody holds ``memory``: for a holder that reads often.
  package var unsafeView: RecordView { withView { $0 } }
  /// The keeper of the bytes.
  package var memory: AnyObject { buffer }

  /// The value of a field, its default if it was never written.
  public func value(of field: CatalogueField) -> FieldValue {
    withView { $0.value(of: field) }
  }
}

// Values that lie beside the store.
extension RecordImage {
  /// The value of a field, or the reference to it: what tells equal values from others without reading them.
  package func storedValue(of field: CatalogueField) -> FieldValue { withView { $0.storedValue(of: field) } }

  /// Whether the value of a field is not on this device, so that it reads as null without being null. Costs a look at
  /// its file, and nothing for other values.
  package func isMissing(_ field: CatalogueField) -> Bool {
    ExternalReference(stored: storedValue(of: field)).map { !ExternalFolders.has($0) } ?? false
  }

  /// Whether the value of a field is this one, also if it is not on this device. Reads no file.
  package func holds(_ value: FieldValue, in field: CatalogueField) -> Bool {
    let stored = storedValue(of: field)
    guard let reference = ExternalReference(stored: stored) else { return stored.isIdentical(to: value) }
    guard case .data(let data) = value, data.count == reference.valueByteCount else { return false }
    return ExternalReference(of: data) == reference
  }
}

extension RecordView {
  /// The value of a field as readers see it: its default if it was never written, or if it is null from a
  /// time when that was allowed.
  public func value(of field: CatalogueField) -> FieldValue { storedValue(of: field).resolved ?? .null }

  /// As ``value(of:)``; of a value that lies beside the store its reference.
  package func storedValue(of field: CatalogueField) -> FieldValue {
    let value = storedValue(at: field.ordinal, type: field.type)
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
  /// The value of a record that never got one in this field: the default, else null, else the type's zero.
  public var valueWhenAbsent: FieldValue {
    if let defaultValue { return defaultValue }
    return isOptional ? .null : type.zero
  }
}
