public import Foundation

/// The kinds of value that a field can hold. A closed list; raw values are part of the file format.
public enum FieldType: UInt8, Hashable, Sendable, Codable, CaseIterable {
  /// A truth value.
  case bool = 1
  /// Signed integers of every width.
  case int = 2
  /// Unsigned integers of every width.
  case uint = 3
  /// Floating point of every width.
  case double = 4
  /// Exact: mantissa and exponent.
  case decimal = 5
  /// Text in UTF-8.
  case string = 6
  /// Seconds since the reference date 2001-01-01 00:00:00 UTC, as a double.
  case date = 7
  /// Sixteen bytes.
  case uuid = 8
  /// Bytes.
  case data = 9
  /// The absolute string.
  case url = 10
  /// An encoded `Codable` value: opaque to the store.
  case composite = 11
  /// The id of a record of the relationship's destination entity.
  case reference = 12
}

/// One field's value. Its type is that of the field; `null` fits every optional field.
public enum FieldValue: Hashable, Sendable {
  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// A signed integer.
  case int(Int64)
  /// An unsigned integer.
  case uint(UInt64)
  /// A floating-point number.
  case double(Double)
  /// An exact decimal number.
  case decimal(Decimal)
  /// A text.
  case string(String)
  /// A moment.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// Bytes.
  case data(Data)
  /// The absolute string of a URL.
  case url(String)
  /// The bytes of an encoded `Codable` value.
  case composite(Data)
  /// The id of a record.
  case reference(RecordID)

  /// The type of the value; nil for `null`.
  public var type: FieldType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .uint: .uint
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .data: .data
    case .url: .url
    case .composite: .composite
    case .reference: .reference
    }
  }
}

/// One field to be written: its ordinal in the entity's catalogue entry, and the new value.
public struct FieldWrite: Hashable, Sendable {
  /// The field's ordinal.
  public var ordinal: Int
  /// The new value.
  public var value: FieldValue
  /// Creates a write from its parts.
  public init(_ ordinal: Int, _ value: FieldValue) {
    self.ordinal = ordinal
    self.value = value
  }
}
