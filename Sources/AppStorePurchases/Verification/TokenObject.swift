import Foundation

/// Reads the JSON object of a token's part, strictly: UTF-8 only, each member of its type, nothing traps.
///
/// The members are read in a closure, because a decoder's container is not promised to live longer than the decoding.
enum TokenObject {
  /// Reads `data` with `read`. Throws ``VerificationFailure`` of `step` when `data` is not one JSON object; what `read`
  /// throws goes through.
  static func read<Value>(
    _ data: Data, step: VerificationFailure.Step, _ read: @escaping (TokenMembers) throws -> Value
  ) throws -> Value {
    let malformed = VerificationFailure(step, "the \(step == .header ? "header" : "payload") is not a JSON object")
    // The decoder would guess at UTF-16 and UTF-32 by their zero bytes, which no JSON text in UTF-8 has.
    guard !data.contains(0), String(validating: data, as: UTF8.self) != nil, StrictJSON.isObject(data) else {
      throw malformed
    }
    let reader: Reader<Value>
    do {
      reader = try JSONDecoder().decode(Reader<Value>.self, from: data, configuration: Reader.Configuration(read: read))
    } catch {
      throw malformed
    }
    return try reader.outcome.get()
  }

  /// Keeps what `read` throws apart from what the decoder throws.
  private struct Reader<Value>: DecodableWithConfiguration {
    struct Configuration {
      let read: (TokenMembers) throws -> Value
    }

    let outcome: Result<Value, any Error>

    init(from decoder: any Decoder, configuration: Configuration) throws {
      let members = TokenMembers(try decoder.container(keyedBy: TokenMembers.Name.self))
      outcome = Result { try configuration.read(members) }
    }
  }
}

/// The members of a token's object, read by name and type. An absent member and `null` are one.
struct TokenMembers {
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let container: KeyedDecodingContainer<Name>

  init(_ container: KeyedDecodingContainer<Name>) {
    self.container = container
  }

  /// Whether the member is there, be it `null`.
  func contains(_ name: String) -> Bool {
    container.contains(Name(stringValue: name))
  }

  /// Nil when absent; throws ``VerificationFailure`` of step `properties` when it is not a `Value`.
  func optional<Value: Decodable>(_ name: String, _: Value.Type = Value.self) throws -> Value? {
    do {
      return try container.decodeIfPresent(Value.self, forKey: Name(stringValue: name))
    } catch {
      throw Self.mistyped(name)
    }
  }

  /// Throws ``VerificationFailure`` of step `properties` when it is absent or not a `Value`.
  func required<Value: Decodable>(_ name: String, _: Value.Type = Value.self) throws -> Value {
    try Self.unwrap(optional(name), name)
  }

  /// The members of an object inside; nil when absent.
  func object(_ name: String) throws -> TokenMembers? {
    let key = Name(stringValue: name)
    do {
      guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
      return TokenMembers(try container.nestedContainer(keyedBy: Name.self, forKey: key))
    } catch {
      throw Self.mistyped(name)
    }
  }

  static func unwrap<Value>(_ value: Value?, _ name: String) throws -> Value {
    guard let value else { throw VerificationFailure(.properties, "the property \(name) is missing") }
    return value
  }

  static func mistyped(_ name: String) -> VerificationFailure {
    VerificationFailure(.properties, "the property \(name) has a wrong type or an impossible value")
  }
}
