import Foundation
import RecordStore

/// JSON in which equal values are equal bytes, in every process: members stand in the order of their names, and what a
/// set or a dictionary without names holds in the order of its bytes.
///
/// `JSONEncoder` sorts members alone. It writes a set, and a dictionary whose keys are no names, as it lies in memory,
/// which differs from launch to launch: a default would be another one in each process, and an equal value a change.
/// It also writes a decimal that is not a number, which JSON has no form for, so that all around it could not be read
/// again.
enum OrderedJSON {
  /// Floating-point numbers that JSON does not have go by these names.
  static var namedNumbers: JSONEncoder.NonConformingFloatEncodingStrategy {
    .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// - Throws: what the value's own `encode(to:)` throws, and `EncodingError` for a decimal that is not a number, and
  ///   where `numbers` says so for a floating-point number that JSON does not have.
  static func encode<V: Encodable>(
    _ value: V, numbers: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
  ) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = numbers
    return try encoder.encode(Ordered(value))
  }

  /// Whether values of a type are given to the encoder as they are: it has a form for them, and they hold nothing else.
  fileprivate static func isPlain(_ type: Any.Type) -> Bool {
    if type is any PrimitiveAttribute.Type || type == Int128.self || type == UInt128.self { return true }
    return type is any PlainElements.Type && type != [Decimal].self
  }
}

private protocol PlainElements {}
extension Array: PlainElements where Element: PrimitiveAttribute {}

/// A value that is encoded in order, whatever is inside of it.
private struct Ordered<V: Encodable>: Encodable {
  let value: V

  init(_ value: V) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    if let number = value as? Decimal { try requireNumber(number, encoder) }
    if OrderedJSON.isPlain(V.self) {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    } else if let collection = value as? any Unordered {
      try collection.encodeInOrder(to: OrderedEncoder(base: encoder))
    } else {
      try value.encode(to: OrderedEncoder(base: encoder))
    }
  }

  private func requireNumber(_ number: Decimal, _ encoder: any Encoder) throws {
    guard number.isNaN else { return }
    throw EncodingError.invalidValue(
      number, .init(codingPath: encoder.codingPath, debugDescription: "JSON has no decimal that is not a number"))
  }
}

/// A collection whose order is none of its value.
private protocol Unordered {
  func encodeInOrder(to encoder: any Encoder) throws
}

extension Set: Unordered where Element: Encodable {
  fileprivate func encodeInOrder(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in try sortedByBytes(\.self) { try container.encode(element) }
  }
}

extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
  /// Keys that are names of members are sorted by the encoder.
  fileprivate func encodeInOrder(to encoder: any Encoder) throws {
    guard Key.self != String.self, Key.self != Int.self, !(Key.self is any CodingKeyRepresentable.Type) else {
      return try encode(to: encoder)
    }
    var container = encoder.unkeyedContainer()
    for (key, value) in try sortedByBytes(\.key) {
      try container.encode(key)
      try container.encode(value)
    }
  }
}

extension Collection {
  fileprivate func sortedByBytes<Key: Encodable>(_ key: (Element) -> Key) throws -> [Element] {
    guard count > 1 else { return Array(self) }
    // Whether such numbers may be there is for the encoder to say that takes the elements.
    return try map { (try OrderedJSON.encode(key($0), numbers: OrderedJSON.namedNumbers), $0) }
      .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }
}

/// Another encoder, in which each value inside is ``Ordered``.
private struct OrderedEncoder: Encoder {
  let base: any Encoder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(OrderedMembers(base: base.container(keyedBy: type)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { OrderedElements(base: base.unkeyedContainer()) }
  func singleValueContainer() -> any SingleValueEncodingContainer { OrderedValue(base: base.singleValueContainer()) }
}

// The generic functions stand for those of all plain types, too. Those of the most frequent ones are here because a
// look at the type takes longer than they do.

private struct OrderedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
  mutating func encode<V: Encodable>(_ value: V, forKey key: Key) throws {
    try base.encode(Ordered(value), forKey: key)
  }
  mutating func encode(_ value: Bool, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: String, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OrderedMembers<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    OrderedElements(base: base.nestedUnkeyedContainer(forKey: key))
  }
  mutating func superEncoder() -> any Encoder { OrderedEncoder(base: base.superEncoder()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { OrderedEncoder(base: base.superEncoder(forKey: key)) }
}

private struct OrderedElements: UnkeyedEncodingContainer {
  var base: any UnkeyedEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int { base.count }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode<V: Encodable>(_ value: V) throws { try base.encode(Ordered(value)) }
  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(OrderedMembers(base: base.nestedContainer(keyedBy: type)))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    OrderedElements(base: base.nestedUnkeyedContainer())
  }
  mutating func superEncoder() -> any Encoder { OrderedEncoder(base: base.superEncoder()) }
}

private struct OrderedValue: SingleValueEncodingContainer {
  var base: any SingleValueEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode<V: Encodable>(_ value: V) throws { try base.encode(Ordered(value)) }
}
