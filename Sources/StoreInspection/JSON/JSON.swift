/// A JSON value that keeps what Foundation's readers drop: the digits of a number and the order of members.
///
/// Dumps need both: an `Int64` or a decimal must come back exactly, and a dump of the same store must
/// have the same bytes every time.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The digits as they stand in the text.
  case number(String)
  case string(String)
  case array([JSON])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSON
    package init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  package static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// An object without the members whose value is nil.
  package static func members(_ pairs: KeyValuePairs<String, JSON?>) -> JSON {
    .object(pairs.compactMap { name, value in value.map { Member(name, $0) } })
  }

  /// The value of a member; nil when this is no object or has no such member.
  package subscript(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var arrayValue: [JSON]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  package var objectValue: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  package var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  package func integerValue<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    guard case .number(let digits) = self else { return nil }
    return Integer(digits)
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0, $1) })
  }
}
