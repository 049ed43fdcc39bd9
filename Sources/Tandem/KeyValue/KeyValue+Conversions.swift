public import Foundation

/// A type whose values a ``KeyValueStore`` takes and gives as they are.
///
/// ```swift
/// enum Theme: String, KeyValueConvertible { case light, dark }
///
/// struct Window: KeyValueConvertible {
///   var columns: Int
///   var keyValue: KeyValue { .integer(columns) }
///   init?(keyValue: KeyValue) {
///     guard let columns = keyValue.integerValue, columns > 0 else { return nil }
///     self.columns = columns
///   }
/// }
/// ```
///
/// An enumeration with raw values conforms by saying so: `enum Theme: String, KeyValueConvertible { … }`.
public protocol KeyValueConvertible {
  /// The value as a store keeps it.
  var keyValue: KeyValue { get }
  /// Nil where the value does not fit the type. Numbers, Booleans and texts are read as one another.
  init?(keyValue: KeyValue)
}

extension KeyValueConvertible where Self: RawRepresentable, RawValue: KeyValueConvertible {
  /// The raw value as a store keeps it.
  public var keyValue: KeyValue { rawValue.keyValue }
  /// The case of a stored raw value; nil where the value does not fit the raw type, or there is no such case.
  public init?(keyValue: KeyValue) {
    guard let value = RawValue(keyValue: keyValue) else { return nil }
    self.init(rawValue: value)
  }
}

extension KeyValue: KeyValueConvertible {
  /// The value itself.
  public var keyValue: KeyValue { self }
  /// The value itself; never nil.
  public init?(keyValue: KeyValue) { self = keyValue }
}
extension Bool: KeyValueConvertible {
  /// A value of kind `bool`.
  public var keyValue: KeyValue { .bool(self) }
  /// The `boolValue` of a stored value; nil where it has none.
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.boolValue else { return nil }
    self = value
  }
}
extension Int: KeyValueConvertible {
  /// A value of kind `integer`.
  public var keyValue: KeyValue { .integer(self) }
  /// The `integerValue` of a stored value; nil where it has none.
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.integerValue else { return nil }
    self = value
  }
}
extension Float: KeyValueConvertible {
  /// A value of kind `double`, which holds every `Float` exactly.
  public var keyValue: KeyValue { .double(Double(self)) }
  /// The `doubleValue` of a stored value, rounded to a `Float`; nil where it has none.
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.doubleValue else { return nil }
    self.init(value)
  }
}
extension Double: KeyValueConvertible {
  /// A value of kind `double`.
  public var keyValue: KeyValue { .double(self) }
  /// The `doubleValue` of a stored value; nil where it has none.
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.doubleValue else { return nil }
    self = value
  }
}
extension String: KeyValueConvertible {
  /// A value of kind `string`.
  public var keyValue: KeyValue { .string(self) }
  /// The `stringValue` of a stored value; nil where it has none.
  public init?(keyValue: KeyValue) {
    guard let value = keyValue.stringValue else { return nil }
    self = value
  }
}
extension Date: KeyValueConvertible {
  /// A value of kind `date`.
  public var keyValue: KeyValue { .date(self) }
  /// The date of a value of kind `date`; nil for any other kind.
  public init?(keyValue: KeyValue) {
    guard case .date(let value) = keyValue else { return nil }
    self = value
  }
}
extension Data: KeyValueConvertible {
  /// A value of kind `data`.
  public var keyValue: KeyValue { .data(self) }
  /// The bytes of a value of kind `data`; nil for any other kind.
  public init?(keyValue: KeyValue) {
    guard case .data(let value) = keyValue else { return nil }
    self = value
  }
}
extension URL: KeyValueConvertible {
  /// A value of kind `url`.
  public var keyValue: KeyValue { .url(self) }
  /// The URL of a value of kind `url`; nil for any other kind.
  public init?(keyValue: KeyValue) {
    guard case .url(let value) = keyValue else { return nil }
    self = value
  }
}
extension Array: KeyValueConvertible where Element: KeyValueConvertible {
  /// A value of kind `array`.
  public var keyValue: KeyValue { .array(map(\.keyValue)) }
  /// The elements of a value of kind `array`; nil for any other kind, and where one element does not fit.
  public init?(keyValue: KeyValue) {
    guard case .array(let values) = keyValue else { return nil }
    self = values.compactMap { Element(keyValue: $0) }
    if count != values.count { return nil }
  }
}
extension Dictionary: KeyValueConvertible where Key == String, Value: KeyValueConvertible {
  /// A value of kind `dictionary`.
  public var keyValue: KeyValue { .dictionary(mapValues(\.keyValue)) }
  /// The members of a value of kind `dictionary`; nil for any other kind, and where one member does not fit.
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

  /// The number, 1 or 0 for a truth value, or what a text spells; nil otherwise.
  public var doubleValue: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .double(let value): value
    case .string(let value): Double(value)
    default: nil
    }
  }

  /// The text, or a number's usual spelling; `"1"` or `"0"` for a truth value; nil otherwise.
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
