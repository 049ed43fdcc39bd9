public import Foundation
import RecordStore
import Synchronization

extension KeyValueStore {
  /// The value of a key, else the one that ``register(defaults:)`` gave it.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public func value(forKey key: String) throws -> KeyValue? {
    let stored = try store.read { try $0.keyValue(key, suite: suiteName, in: place) }
    return stored?.value(at: now) ?? defaults.withLock { $0[key] }
  }

  /// The value of a key, else `value`: also where the store cannot be read, which is written to standard error, and
  /// where what is stored does not fit the type. For interfaces, which have to show something.
  public subscript<Value: KeyValueConvertible>(key: String, default value: Value) -> Value {
    do {
      return try self.value(forKey: key).flatMap { Value(keyValue: $0) } ?? value
    } catch {
      Log.error("a key of \(suiteName) cannot be read, and reads as its default: \(error)")
      return value
    }
  }

  /// Sets a value, durably; nil removes the key.
  ///
  /// From `expiresAt` on the key reads as if it were absent; with nil, and once it is set again without, it stays. Each
  /// device judges by its own clock: one that is an hour ahead ends the value an hour early on that device, and there
  /// alone. Nothing is deleted until ``removeExpired()`` or the next `set`, so the value is there again once the clock
  /// is right.
  ///
  /// - Throws: `StoreError`, such as `diskFull` or `busy`; then the key has the value that it had.
  public func set<Value: KeyValueConvertible>(_ value: Value?, forKey key: String, expiresAt: Date? = nil) throws {
    try transaction { $0.set(value, forKey: key, expiresAt: expiresAt) }
  }

  /// When the value of a key ends; nil for one that stays, for an absent key and for one that has ended.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public func expiry(forKey key: String) throws -> Date? {
    let stored = try store.read { try $0.keyValue(key, suite: suiteName, in: place) }
    return stored?.value(at: now) == nil ? nil : stored?.expiresAt
  }

  /// Sets a `Codable` value, kept as JSON, durably.
  ///
  /// - Throws: `EncodingError` where the value refuses, and what ``set(_:forKey:expiresAt:)`` throws.
  public func set<Value: Encodable>(encoding value: Value, forKey key: String) throws {
    try set(try KeyValue(encoding: value), forKey: key)
  }

  /// Removes a key, durably. It then reads as what ``register(defaults:)`` gave it, or as absent.
  ///
  /// - Throws: what ``set(_:forKey:expiresAt:)`` throws.
  public func removeObject(forKey key: String) throws { try transaction { $0.removeObject(forKey: key) } }

  /// Removes all keys that begin with `prefix` in one durable commit; with none, all keys of the suite.
  ///
  /// - Throws: what ``set(_:forKey:expiresAt:)`` throws; then no key is removed.
  public func removeAll(prefix: String = "") throws { try transaction { $0.removeAll(prefix: prefix) } }

  /// Deletes what has expired, durably, and returns the keys.
  ///
  /// A delete travels to other devices as any edit does: call this where the clock is right.
  ///
  /// - Throws: what ``set(_:forKey:expiresAt:)`` throws; then nothing is deleted.
  @discardableResult
  public func removeExpired() throws -> Set<String> {
    let (suiteName, place, now) = (suiteName, place, now)
    return try store.commit { snapshot in
      let expired = try snapshot.keyValues(prefix: "", suite: suiteName, in: place)
        .filter { $0.content?.hasExpired(at: now) ?? false }
      var edit = KeyValueEdit()
      for entry in expired { edit.removeObject(forKey: entry.key) }
      return (try edit.request(suite: suiteName, in: place, of: snapshot), Set(expired.map(\.key)))
    }.1
  }

  /// False if there is none.
  ///
  /// - Throws: what ``value(forKey:)`` throws.
  public func bool(forKey key: String) throws -> Bool { try value(forKey: key)?.boolValue ?? false }
  /// Zero if there is none.
  ///
  /// - Throws: what ``value(forKey:)`` throws.
  public func integer(forKey key: String) throws -> Int { try value(forKey: key)?.integerValue ?? 0 }
  /// Zero if there is none.
  ///
  /// - Throws: what ``value(forKey:)`` throws.
  public func double(forKey key: String) throws -> Double { try value(forKey: key)?.doubleValue ?? 0 }
  /// The text of a key; nil if there is none, or a kind that no text is read from.
  /// - Throws: what ``value(forKey:)`` throws.
  public func string(forKey key: String) throws -> String? { try value(forKey: key)?.stringValue }

  /// The date of a key; nil if there is none, or a value of another kind.
  /// - Throws: what ``value(forKey:)`` throws.
  public func date(forKey key: String) throws -> Date? {
    if case .date(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// The bytes of a key; nil if there is none, or a value of another kind.
  /// - Throws: what ``value(forKey:)`` throws.
  public func data(forKey key: String) throws -> Data? {
    if case .data(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// The URL of a key; nil if there is none, or a value of another kind.
  /// - Throws: what ``value(forKey:)`` throws.
  public func url(forKey key: String) throws -> URL? {
    if case .url(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// The values of a key in their order; nil if there is none, or a value of another kind.
  /// - Throws: what ``value(forKey:)`` throws.
  public func array(forKey key: String) throws -> [KeyValue]? {
    if case .array(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// The values of a key by name; nil if there is none, or a value of another kind.
  /// - Throws: what ``value(forKey:)`` throws.
  public func dictionary(forKey key: String) throws -> [String: KeyValue]? {
    if case .dictionary(let value) = try value(forKey: key) { return value }
    return nil
  }

  /// A value that ``set(encoding:forKey:)`` set.
  ///
  /// - Throws: `DecodingError` where the value does not fit the type, and what ``value(forKey:)`` throws.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard case .encoded(let text) = try value(forKey: key) else { return nil }
    return try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// Gives defaults to keys that were never set. They are kept in memory: each process registers its own.
  public func register(defaults values: [String: KeyValue]) {
    defaults.withLock { $0.merge(values) { _, new in new } }
  }

  /// All keys that begin with `prefix`, with their values, registered defaults included, from one snapshot.
  ///
  /// - Throws: `StoreError` where the store cannot be read.
  public func dictionaryRepresentation(prefix: String = "") throws -> [String: KeyValue] {
    let now = now
    let entries = try store.read { try $0.keyValues(prefix: prefix, suite: suiteName, in: place) }
    let stored = Dictionary(
      entries.compactMap { entry in entry.content?.value(at: now).map { (entry.key, $0) } }
    ) { first, _ in first }
    let registered = defaults.withLock { $0 }.filter { $0.key.hasPrefix(prefix) }
    return stored.merging(registered) { stored, _ in stored }
  }
}
