public import Foundation
public import LMDB

/// Reads fields of one encoded record where it lies, without decoding the rest.
///
/// Valid as long as the bytes: until the transaction ends, or, for a ``RecordImage``, as long as the image.
/// Reading a fixed-width field costs a bounds check, one load from the field table and one from the
/// payload. Damaged bytes never trap: a field whose place is not inside the record reads as nil.
/// Its parts are inlined always, so that an accessor has no call, in another module either.
/// A pointer file: it can be made over no bytes at all.
/// Accessors do not know the schema; see ``RecordImage/value(of:)`` for defaults.
public struct RecordView {
  /// The record's bytes, with their header.
  public let bytes: RawBytes
  /// Fields that the record holds; later ordinals were added to the entity afterwards and read as absent.
  public let fieldCount: Int

  /// A view of encoded bytes, which are not checked. Those of a broken header read as a record without fields.
  @inlinable
  public init(_ bytes: RawBytes) {
    self.bytes = bytes
    guard bytes.count >= RecordFormat.headerByteCount else {
      fieldCount = 0
      return
    }
    let count = Int(bytes.load(at: RecordFormat.fieldCountOffset, as: UInt16.self))
    // Holds for every sound record; then each entry of the field table can be loaded without a check.
    fieldCount = RecordFormat.headerByteCount + 4 * count <= bytes.count ? count : 0
  }

  /// No bytes: every field reads as absent.
  package static var empty: RecordView { RecordView(RawBytes(UnsafeRawBufferPointer(start: nil, count: 0))) }
  package var isEmpty: Bool { bytes.count == 0 }

  /// The number of the entity, 0 if there are not even bytes of a header.
  @inlinable
  public var entity: EntityNumber {
    guard bytes.count >= RecordFormat.headerByteCount else { return 0 }
    return EntityNumber(bytes.load(at: RecordFormat.entityOffset, as: UInt32.self))
  }

  /// A field's table entry and, before it, that of its predecessor: the upper half's flags are the field's own.
  @inlinable @inline(__always)
  package func ends(at ordinal: Int) -> UInt64 {
    guard ordinal >= 0, ordinal < fieldCount else { return UInt64(RecordFormat.unwrittenFlag) << 32 }
    return bytes.load(at: RecordFormat.endsOffset + 4 * ordinal, as: UInt64.self)
  }

  /// The flags of a field: its table entry without the end. Zero for most.
  @inlinable @inline(__always)
  package func flags(at ordinal: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: ends(at: ordinal) >> 32) & ~RecordFormat.endMask
  }

  /// The bytes of a field that readers see; nil if it is null, dangling or absent.
  @inlinable @inline(__always)
  public func fieldBytes(at ordinal: Int) -> RawBytes? {
    let ends = ends(at: ordinal)
    guard ends >> 61 == 0 else { return nil }
    return place(of: ends)
  }

  /// The bytes of the field's register: as ``fieldBytes(at:)``, and a dangling reference too.
  @inlinable
  package func registerBytes(at ordinal: Int) -> RawBytes? {
    let ends = ends(at: ordinal)
    guard UInt32(truncatingIfNeeded: ends >> 32) & (RecordFormat.nullFlag | RecordFormat.unwrittenFlag) == 0 else {
      return nil
    }
    return place(of: ends)
  }

  @inlinable @inline(__always)
  package func place(of ends: UInt64) -> RawBytes? {
    let start = Int(UInt32(truncatingIfNeeded: ends) & RecordFormat.endMask)
    let end = Int(UInt32(truncatingIfNeeded: ends >> 32) & RecordFormat.endMask)
    guard start <= end, end <= bytes.count else { return nil }
    return bytes.slice(start..<end)
  }

  /// The bytes of a field of fixed width; nil also if the width is another.
  @inlinable @inline(__always)
  package func fixed<Integer: FixedWidthInteger>(at ordinal: Int, as type: Integer.Type) -> Integer? {
    guard let field = fieldBytes(at: ordinal), field.count == MemoryLayout<Integer>.size else { return nil }
    return field.load(at: 0, as: type)
  }
}

// The values that readers see.
extension RecordView {
  /// Null for readers: nil, absent without default, or a reference to a record that is not visible.
  @inlinable @inline(__always)
  public func isNull(at ordinal: Int) -> Bool { flags(at: ordinal) != 0 }

  @inlinable @inline(__always)
  /// A field of type `bool`; nil where it is null.
  public func bool(at ordinal: Int) -> Bool? { fixed(at: ordinal, as: UInt8.self).map { $0 != 0 } }

  @inlinable @inline(__always)
  /// A field of type `int`; nil where it is null.
  public func int(at ordinal: Int) -> Int64? { fixed(at: ordinal, as: Int64.self) }

  @inlinable @inline(__always)
  /// A field of type `uint`; nil where it is null.
  public func uint(at ordinal: Int) -> UInt64? { fixed(at: ordinal, as: UInt64.self) }

  @inlinable @inline(__always)
  /// A field of type `double`; nil where it is null.
  public func double(at ordinal: Int) -> Double? {
    fixed(at: ordinal, as: UInt64.self).map { Double(bitPattern: $0) }
  }

  @inlinable @inline(__always)
  /// A field of type `date`; nil where it is null.
  public func date(at ordinal: Int) -> Date? {
    double(at: ordinal).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// A field of type `decimal`; nil where it is null.
  public func decimal(at ordinal: Int) -> Decimal? {
    fieldBytes(at: ordinal).flatMap { DecimalParts(encoded: $0) }?.decimal
  }

  /// One allocation for texts of more than 15 bytes.
  @inlinable
  public func string(at ordinal: Int) -> String? {
    fieldBytes(at: ordinal).map { String(decoding: $0.buffer, as: UTF8.self) }
  }

  /// A field of type `uuid`; nil where it is null.
  @inlinable
  public func uuid(at ordinal: Int) -> UUID? {
    guard let field = fieldBytes(at: ordinal), field.count == 16 else { return nil }
    return UUID(uuid: field.buffer.loadUnaligned(as: uuid_t.self))
  }

  /// A field of type `data`, copied; nil where it is null. A value that lies beside the store is mapped: nothing of it
  /// is read before somebody looks at it. Nil, too, where its file is missing.
  public func data(at ordinal: Int) -> Data? {
    fieldBytes(at: ordinal).flatMap { ExternalFolders.content(of: $0) }
  }

  /// A field of type `reference`; nil where it is null, or refers to a record that is not visible.
  @inlinable
  public func reference(at ordinal: Int) -> RecordID? {
    fieldBytes(at: ordinal).flatMap { RecordID(bytes: $0) }
  }

  /// The value as any type; `.null` where ``isNull(at:)``.
  public func value(at ordinal: Int, type: FieldType) -> FieldValue {
    storedValue(at: ordinal, type: type).resolved ?? .null
  }

  /// As ``value(at:type:)``; of a value that lies beside the store its reference.
  package func storedValue(at ordinal: Int, type: FieldType) -> FieldValue {
    guard let field = fieldBytes(at: ordinal) else { return .null }
    return FieldValue(encoded: field, type: type) ?? .null
  }
}
