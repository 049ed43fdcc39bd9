/// Answers every question of a type's `init(from:)` with an empty value: zero, an empty text, no elements, nil.
///
/// So a value of almost every `Codable` type can be made from nothing, and the members that a type asks for are
/// seen. An enumeration with associated values becomes its first case. One kind can not be made: a type that insists on
/// more than that.
struct BlankDecoder: Decoder {
  /// The questions of a type at its top level.
  final class Questions {
    struct Member {
      let name: String
      let type: any Any.Type
      let isOptional: Bool
    }
    fileprivate(set) var members: [Member] = []
  }

  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  fileprivate let questions: Questions?
  /// Types inside of themselves end here.
  fileprivate let depth: Int

  private init(codingPath: [any CodingKey], questions: Questions?, depth: Int) {
    self.codingPath = codingPath
    self.questions = questions
    self.depth = depth
  }

  /// A value of a type, made from nothing; nil for a type that can not do without.
  static func value<V: Decodable>(of type: V.Type) -> V? {
    do {
      return try value(of: type, at: [], questions: nil, depth: 0)
    } catch {
      // The type refused: there is no such value.
      return nil
    }
  }

  /// The members that a type's synthesized `init(from:)` asks for, in their order; none of a type that is no structure.
  static func members<V: Decodable>(of type: V.Type) -> [Questions.Member] {
    let questions = Questions()
    do {
      _ = try value(of: type, at: [], questions: questions, depth: 0)
    } catch {
      // A question is noted until the refusal is known.
    }
    return questions.members
  }

  fileprivate static func value<V: Decodable>(
    of type: V.Type, at codingPath: [any CodingKey], questions: Questions?, depth: Int
  ) throws -> V {
    if let optional = type as? any OptionalType.Type, let none = optional.none as? V { return none }
    if let primitive = type as? any PrimitiveAttribute.Type, let zero = primitive._zero as? V { return zero }
    if let cases = type as? any CaseIterable.Type, let first = MissingValue.first(of: cases) as? V { return first }
    guard depth < 32 else {
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "\(type) has no end"))
    }
    return try V(from: BlankDecoder(codingPath: codingPath, questions: questions, depth: depth + 1))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(BlankMembers<Key>(decoder: self))
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { BlankElements(decoder: self) }
  func singleValueContainer() -> any SingleValueDecodingContainer { BlankValue(decoder: self) }
}

private struct BlankMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: BlankDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  /// An enumeration with associated values asks for its one key, a case of a `CodingKeys` of its own: the first.
  var allKeys: [Key] { FirstKey.of(Key.self).map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) -> Bool { true }

  func decode<V: Decodable>(_ type: V.Type, forKey key: Key) throws -> V {
    note(type, key, isOptional: false)
    return try BlankDecoder.value(of: type, at: codingPath + [key], questions: nil, depth: decoder.depth)
  }
  func decodeIfPresent<V: Decodable>(_ type: V.Type, forKey key: Key) -> V? {
    note(type, key, isOptional: true)
    return nil
  }
  // The plain types' own forms, which a synthesized `init(from:)` of an optional member calls.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { absent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { absent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { absent(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { absent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { absent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { absent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { absent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { absent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { absent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { absent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { absent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { absent(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { absent(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { absent(type, key) }

  private func absent<V>(_ type: V.Type, _ key: Key) -> V? {
    note(type, key, isOptional: true)
    return nil
  }
  private func note(_ type: any Any.Type, _ key: Key, isOptional: Bool) {
    decoder.questions?.members.append(.init(name: key.stringValue, type: type, isOptional: isOptional))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested>
  {
    decoder.container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

private struct BlankElements: UnkeyedDecodingContainer {
  let decoder: BlankDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  func decodeNil() -> Bool { true }
  func decode<V: Decodable>(_ type: V.Type) throws -> V {
    try BlankDecoder.value(of: type, at: codingPath, questions: nil, depth: decoder.depth)
  }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    decoder.container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
  func superDecoder() -> any Decoder { decoder }
}

private struct BlankValue: SingleValueDecodingContainer {
  let decoder: BlankDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { true }
  func decode<V: Decodable>(_ type: V.Type) throws -> V {
    try BlankDecoder.value(of: type, at: codingPath, questions: decoder.questions, depth: decoder.depth)
  }
}
