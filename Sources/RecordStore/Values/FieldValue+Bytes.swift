import Foundation
package import LMDB

/// A value's bytes in a record's payload. The type is not among them: the catalogue knows it.
///
/// bool: 1 byte, 0 or 1 · int, uint, double, date: 8 bytes · uuid and reference: 16 bytes, most significant
/// first · decimal: see ``DecimalParts`` · string, url: UTF-8 as given · data, composite: as given.
extension FieldValue {
  /// Nil if bytes of this number cannot be of that type.
  package init?(encoded bytes: RawBytes, type: FieldType) {
    switch type {
    case .bool, .int, .uint, .double, .date, .uuid, .reference:
      self.init(encodedFixed: bytes, type: type)
    case .decimal:
      guard let parts = DecimalParts(encoded: bytes) else { return nil }
      self = .decimal(parts.decimal)
    case .string: self = .string(String(decoding: bytes.buffer, as: UTF8.self))
    case .url: self = .url(String(decoding: bytes.buffer, as: UTF8.self))
    case .data: self = .data(Data(bytes.buffer))
    case .composite: self = .composite(Data(bytes.buffer))
    }
  }

  private init?(encodedFixed bytes: RawBytes, type: FieldType) {
    guard bytes.count == type.fixedByteCount else { return nil }
    switch type {
    case .bool: self = .bool(bytes.load(at: 0, as: UInt8.self) != 0)
    case .int: self = .int(bytes.load(at: 0, as: Int64.self))
    case .uint: self = .uint(bytes.load(at: 0, as: UInt64.self))
    case .double: self = .double(Double(bitPattern: bytes.load(at: 0, as: UInt64.self)))
    case .date:
      let seconds = Double(bitPattern: bytes.load(at: 0, as: UInt64.self))
      self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid: self = .uuid(UUID(uuid: bytes.buffer.loadUnaligned(as: uuid_t.self)))
    default: self = .reference(RecordID(bytes: bytes, at: 0))
    }
  }

  /// How many bytes the payload takes; 0 for null.
  package var encodedByteCount: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .uint, .double, .date: 8
    case .uuid, .reference: 16
    case .decimal(let value): DecimalParts(value).encodedByteCount
    case .string(let value), .url(let value): value.utf8.count
    case .data(let value), .composite(let value): value.count
    }
  }

  /// The payload as an array: for comparisons and digests, not for the save path.
  package var encodedBytes: [UInt8] {
    [UInt8](byteCount: encodedByteCount) { $0.write(self) }
  }
}

extension FieldType {
  /// The width of the types whose values are all equally long.
  package var fixedByteCount: Int? {
    switch self {
    case .bool: 1
    case .int, .uint, .double, .date: 8
    case .uuid, .reference: 16
    case .decimal, .string, .data, .url, .composite: nil
    }
  }
}

extension String {
  /// As Swift compares texts: composed and decomposed forms are equal.
  package func isEqual(toEncoded bytes: RawBytes) -> Bool {
    if withRawBytes({ $0 == bytes }) { return true }
    guard !bytes.isNormalizedPlainly || !withRawBytes({ $0.isNormalizedPlainly }) else { return false }
    return self == String(decoding: bytes.buffer, as: UTF8.self)
  }
}

extension FieldValue {
  /// Equal in every bit that is stored: `0` is not `-0`, a composed letter not a decomposed one, and a NaN is itself.
  package func isIdentical(to other: FieldValue) -> Bool {
    switch (self, other) {
    case (.double(let left), .double(let right)): return left.bitPattern == right.bitPattern
    case (.date(let left), .date(let right)):
      return left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
      return left.utf8.elementsEqual(right.utf8)
    default: return self == other
    }
  }
}
