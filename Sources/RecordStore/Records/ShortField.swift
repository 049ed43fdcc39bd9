public import LMDB

/// A field of at most 16 bytes as numbers, which are equal just where the bytes are: for tables by a field's bytes.
///
/// Inlined, like all of a read: in another module too an accessor shall have no call.
@usableFromInline
package struct ShortField {
  @usableFromInline package let count: Int
  /// The first eight bytes, or as many as there are, and the last; they may overlap.
  @usableFromInline package let first: UInt64
  @usableFromInline package let last: UInt64

  @inlinable @inline(__always)
  package init?(_ bytes: RawBytes) {
    count = bytes.count
    switch count {
    case 8...16:
      first = bytes.load(at: 0, as: UInt64.self)
      last = bytes.load(at: count - 8, as: UInt64.self)
    case 4...7:
      first = UInt64(bytes.load(at: 0, as: UInt32.self))
      last = UInt64(bytes.load(at: count - 4, as: UInt32.self))
    case 1...3:
      first = UInt64(bytes.load(at: 0, as: UInt8.self)) << 8 | UInt64(bytes.load(at: count / 2, as: UInt8.self))
      last = UInt64(bytes.load(at: count - 1, as: UInt8.self))
    case 0: (first, last) = (0, 0)
    default: return nil
    }
  }

  @inlinable @inline(__always)
  package static func == (left: ShortField, right: ShortField) -> Bool {
    left.first == right.first && left.last == right.last && left.count == right.count
  }
}

extension RecordView {
  /// The bytes of a field that readers see; nil if it is null, dangling, absent, or longer.
  @inlinable @inline(__always)
  package func shortField(at ordinal: Int) -> ShortField? { fieldBytes(at: ordinal).flatMap { ShortField($0) } }
}
