public import Foundation

/// A type whose values a ``KeyValueStore`` takes and gives as they are.
///
/// An enumeration with raw values conforms by saying so: `enum Theme: String, KeyValueConvertible { … }`.
public protocol KeyValueConvertible {
  var keyValue: KeyValue { get }
  /// Nil where the value does not fit the type. Numbers, Booleans and texts are read as one another.
  init?(keyValue: KeyValue)
}

extension KeyValueConvertible where Self: RawRepresentable, RawValue: KeyValueConvertible {
  public var keyValue: KeyValue { rawValue.keyValue }
  public init?(keyValue: KeyValue) {
    guard let value = RawValue(keyValue: keyValue) else { return nil }
    self.init(rawValue: value)
  }
}

extension KeyValue: KeyValueConvertible {
  public var keyValue: KeyValue { self }
  public init?(keyValue: KeyValue) { self = keyValue }
}
extension Bool: KeyValueConvertible {
  public var keyValue: KeyValue { .bool(self) }
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.boolValue else { return nil }
    self = value
  }
}
extension Int: KeyValueConvertible {
  public var keyValue: KeyValue { .integer(self) }
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.integerValue else { return nil }
    self = value
  }
}
extension Float: KeyValueConvertible {
  public var keyValue: KeyValue { .double(Double(self)) }
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.doubleValue else { return nil }
    self.init(value)
  }
}
extension Double: KeyValueConvertible {
  public var keyValue: KeyValue { .double(self) }
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.doubleValue else { return nil }
    self = value
  }
}
extension String: KeyValueConvertible {
  public var keyValue: KeyValue { .string(self) }
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.stringValue else { return nil }
    self = value
  }
}
extension Date: KeyValueConvertible {
  public var keyValue: KeyValue { .date(self) }
  public init?(keyValue: KeyValue) {
    guard case .date(let value) = keyValue else { return nil }
    self = value
  }
}
extension Data: KeyValueConvertible {
  public var keyValue: KeyValue { .data(self) }
  public init?(keyValue: KeyValue) {
    guard case .data(let value) = keyValue else { return nil }
    self = value
  }
}
extension URL: KeyValueConvertible {
  public var keyValue: KeyValue { .url(self) }
  public init?(keyValue: KeyValue) {
    guard case .url(let value) = keyValue else { return nil }
    self = value
  }
}
extension Array: KeyValueConvertible where Element: KeyValueConvertible {
  public var keyValue: KeyValue { .array(map(\.keyValue)) }
  public init?(keyValue: KeyValue) {
    guard case .array(let values) = keyValue else { return nil }
    self = values.compactMap { Element(keyValue: $0) }
    if count != values.count { return nil }
  }
}
extension Dictionary: KeyValueConvertible where Key == String, Value: KeyValueConvertible {
  public var keyValue: KeyValue { .dictionary(mapValues(\.keyValue)) }
  public init?(keyValue: KeyValue) {
    guard case .dictionary(let values) = keyValue else { return nil }
    self = values.compactMapValues { Value(keyValue: $0) }
    if count != values.count { return nil }
  }
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
