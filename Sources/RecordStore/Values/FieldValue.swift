public import Foundation

/// The kinds of value that a field can hold. A closed list; raw values are part of the file format.
public enum FieldType: UInt8, Hashable, Sendable, Codable, CaseIterable {
  case bool = 1
  /// Signed integers of every width.
  case int = 2
  case uint = 3
  /// Floating point of every width.
  case double = 4
  /// Exact: mantissa and exponent.
  case decimal = 5
  case string = 6
  /// Seconds since the reference date 2001-01-01 00:00:00 UTC, as a double.
  case date = 7
  case uuid = 8
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
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case date(Date)
  case uuid(UUID)
  case data(Data)
  case url(String)
  case composite(Data)
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
  public var ordinal: Int
  public var value: FieldValue
  public init(_ ordinal: Int, _ value: FieldValue) {
    self.ordinal = ordinal
    self.value = value
  }
}
