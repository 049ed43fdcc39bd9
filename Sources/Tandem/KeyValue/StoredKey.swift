import Foundation

/// A key with the type of its value and what it reads as while it has none.
///
/// ```swift
/// let currency = StoredKey("currency", default: "EUR")
/// try settings.set("CHF", for: currency)
/// print(settings[currency])
/// ```
public struct StoredKey<Value: Sendable>: Sendable {
  /// The key.
  public let name: String
  /// The value that the key reads as while it has none.
  public let defaultValue: Value
  let encode: @Sendable (Value) throws -> KeyValue?
  /// Nil where the value does not fit.
  let decode: @Sendable (KeyValue) -> Value?
}

extension StoredKey {
  /// A key of a type that a store takes as it is.
  public init(_ name: String, default value: Value) where Value: KeyValueConvertible {
    self.init(name: name, defaultValue: value, encode: { $0.keyValue }, decode: { Value(keyValue: $0) })
  }

  /// A key that reads as nil while it has no value; setting nil removes it.
  public init<Wrapped: KeyValueConvertible & Sendable>(_ name: String) where Value == Wrapped? {
    self.init(name: name, defaultValue: nil, encode: { $0?.keyValue }, decode: { Wrapped(keyValue: $0) })
  }

  /// A key of any `Codable` value, kept as JSON.
  public init(encoding name: String, default value: Value) where Value: Codable {
    self.init(
      name: name, defaultValue: value, encode: { try KeyValue(encoding: $0) },
      decode: { $0.decoded(as: Value.self) })
  }
}

extension KeyValueStore {
  /// The value of a key; its default where there is none, where the store cannot be read, which is written to standard
  /// error, and where what is stored does not fit the type. For interfaces, which have to show something.
  public subscript<Value>(key: StoredKey<Value>) -> Value {
    do {
      return try value(for: key)
    } catch {
      Log.error("a key of \(suiteName) cannot be read, and reads as its default: \(error)")
      return key.defaultValue
    }
  }

  /// The value of a key; its default where there is none, and where what is stored does not fit the type.
  ///
  /// - Throws: what ``value(forKey:)`` throws.
  public func value<Value>(for key: StoredKey<Value>) throws -> Value {
    try value(forKey: key.name).flatMap { key.decode($0) } ?? key.defaultValue
  }

  /// Sets the value of a key, durably.
  ///
  /// - Throws: `EncodingError` where a `Codable` value refuses, and what ``set(_:forKey:expiresAt:)`` throws.
  public func set<Value>(_ value: Value, for key: StoredKey<Value>) throws {
    try transaction { try $0.set(value, for: key) }
  }

  /// Removes a key, durably; it then reads as its default.
  ///
  /// - Throws: what ``removeObject(forKey:)`` throws.
  public func remove<Value>(_ key: StoredKey<Value>) throws { try removeObject(forKey: key.name) }
}

extension KeyValue {
  init(encoding value: some Encodable) throws {
    self = .encoded(String(decoding: try OrderedJSON.encode(value), as: UTF8.self))
  }

  /// Nil where this is nothing encoded, or does not fit.
  fileprivate func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
    guard case .encoded(let text) = self else { return nil }
    do {
      return try JSONDecoder().decode(type, from: Data(text.utf8))
    } catch {
      return nil
    }
  }
}
