public import Foundation
import RecordStore
import Synchronization

extension KeyValueStore {
  /// The value of a key, else the one that ``register(defaults:)`` gave it.
  public func value(forKey key: String) throws -> KeyValue? {
    let stored = try store.read { try $0.keyValue(key, suite: suiteName, in: place) }
    return stored ?? defaults.withLock { $0[key] }
  }

  /// Sets a value, durably; nil removes the key.
  public func set<Value: KeyValueConvertible>(_ value: Value?, forKey key: String) throws {
    try transaction { $0.set(value, forKey: key) }
  }

  /// Sets a `Codable` value, kept as JSON, durably.
  public func set<Value: Encodable>(encoding value: Value, forKey key: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try set(KeyValue.encoded(String(decoding: try encoder.encode(value), as: UTF8.self)), forKey: key)
  }

  /// Removes a key, durably. It then reads as what ``register(defaults:)`` gave it, or as absent.
  public func removeObject(forKey key: String) throws { try transaction { $0.removeObject(forKey: key) } }

  /// False if there is none.
  public func bool(forKey key: String) throws -> Bool { try value(forKey: key)?.boolValue ?? false }
  /// Zero if there is none.
  public func integer(forKey key: String) throws -> Int { try value(forKey: key)?.integerValue ?? 0 }
  /// Zero if there is none.
  public func double(forKey key: String) throws -> Double { try value(forKey: key)?.doubleValue ?? 0 }
  public func string(forKey key: String) throws -> String? { try value(forKey: key)?.stringValue }

  public func date(forKey key: String) throws -> Date? {
    if case .date(let value) = try value(forKey: key) { return value }
    return nil
  }

  public func data(forKey key: String) throws -> Data? {
    if case .data(let value) = try value(forKey: key) { return value }
    return nil
  }

  public func url(forKey key: String) throws -> URL? {
    if case .url(let value) = try value(forKey: key) { return value }
    return nil
  }

  public func array(forKey key: String) throws -> [KeyValue]? {
    if case .array(let value) = try value(forKey: key) { return value }
    return nil
  }

  public func dictionary(forKey key: String) throws -> [String: KeyValue]? {
    if case .dictionary(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// A value that ``set(encoding:forKey:)`` set. Throws `DecodingError` if it does not fit the type.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard case .encoded(let text) = try value(forKey: key) else { return nil }
    return try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// What keys read as that were never set. Kept in memory: each process registers its own.
  public func register(defaults values: [String: KeyValue]) {
    defaults.withLock { $0.merge(values) { _, new in new } }
  }

  /// All keys and values of the suite, registered defaults included, from one snapshot.
  public func dictionaryRepresentation() throws -> [String: KeyValue] {
    let suite = RecordFilter.compare(FieldPath(place.suite.ordinal), .equal, .string(suiteName))
    let entries = try store.read { snapshot in
      try snapshot.fetch(RecordQuery(entity: place.entity, filter: suite)).compactMap { KeyValueEntry($0, place) }
    }
    let stored = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    return stored.merging(defaults.withLock { $0 }) { stored, _ in stored }
  }
}
