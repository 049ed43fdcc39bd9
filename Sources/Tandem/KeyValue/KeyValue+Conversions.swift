public import Foundation

/// A type whose values a ``KeyValueStore`` takes as they are.
public protocol KeyValueConvertible {
  var keyValue: KeyValue { get }
}

extension KeyValue: KeyValueConvertible {
  public var keyValue: KeyValue { self }
}
extension Bool: KeyValueConvertible {
  public var keyValue: KeyValue { .bool(self) }
}
extension Int: KeyValueConvertible {
  public var keyValue: KeyValue { .integer(self) }
}
extension Float: KeyValueConvertible {
  public var keyValue: KeyValue { .double(Double(self)) }
}
extension Double: KeyValueConvertible {
  public var keyValue: KeyValue { .double(self) }
}
extension String: KeyValueConvertible {
  public var keyValue: KeyValue { .string(self) }
}
extension Date: KeyValueConvertible {
  public var keyValue: KeyValue { .date(self) }
}
extension Data: KeyValueConvertible {
  public var keyValue: KeyValue { .data(self) }
}
extension URL: KeyValueConvertible {
  public var keyValue: KeyValue { .url(self) }
}
extension Array: KeyValueConvertible where Element: KeyValueConvertible {
  public var keyValue: KeyValue { .array(map(\.keyValue)) }
}
extension Dictionary: KeyValueConvertible where Key == String, Value: KeyValueConvertible {
  public var keyValue: KeyValue { .dictionary(mapValues(\.keyValue)) }
}

// Reading one kind as another, as `UserDefaults` does: numbers, truth values and texts of them.
extension KeyValue {
  /// True for numbers that are not zero, and for `"true"`, `"yes"` and `"1"` in any case.
  public var boolValue: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(let value): value != 0
    case .double(let value): value != 0
    case .string(let value): ["true", "yes", "1"].contains(value.lowercased())
    default: nil
    }
  }

  /// Doubles lose their fraction; those beyond an integer's range are none.
  public var integerValue: Int? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): value
    case .double(let value): Int(exactly: value.rounded(.towardZero))
    case .string(let value): Int(value)
    default: nil
    }
  }

  public var doubleValue: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .double(let value): value
    case .string(let value): Double(value)
    default: nil
    }
  }

  public var stringValue: String? {
    switch self {
    case .bool(let value): value ? "1" : "0"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    default: nil
    }
  }
}
