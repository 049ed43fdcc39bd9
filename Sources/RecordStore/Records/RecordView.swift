// CONTRACT STUB: to be implemented by the owner of Records.
package import LMDB
public import Foundation

/// Reads fields of one encoded record where it lies, without decoding the rest.
///
/// Valid as long as the bytes: until the transaction ends, or, for a ``RecordImage``, as long as the image.
public struct RecordView {
  package let bytes: RawBytes
  package init(_ bytes: RawBytes) { self.bytes = bytes }

  public var entity: EntityNumber { fatalError("stub") }
  /// Fields that the record holds; later ordinals were added to the entity afterwards and read as absent.
  public var fieldCount: Int { fatalError("stub") }
  /// Null for readers: nil, absent without default, or a reference to a record that is not visible.
  public func isNull(at ordinal: Int) -> Bool { fatalError("stub") }
  public func bool(at ordinal: Int) -> Bool? { fatalError("stub") }
  public func int(at ordinal: Int) -> Int64? { fatalError("stub") }
  public func uint(at ordinal: Int) -> UInt64? { fatalError("stub") }
  public func double(at ordinal: Int) -> Double? { fatalError("stub") }
  public func decimal(at ordinal: Int) -> Decimal? { fatalError("stub") }
  public func string(at ordinal: Int) -> String? { fatalError("stub") }
  public func date(at ordinal: Int) -> Date? { fatalError("stub") }
  public func uuid(at ordinal: Int) -> UUID? { fatalError("stub") }
  public func data(at ordinal: Int) -> Data? { fatalError("stub") }
  public func reference(at ordinal: Int) -> RecordID? { fatalError("stub") }
  /// The value as any type; `.null` where ``isNull(at:)``.
  public func value(at ordinal: Int, type: FieldType) -> FieldValue { fatalError("stub") }
}
