public import Foundation
import RecordStore

/// Changes of a ``KeyValueStore`` that are saved together, by ``KeyValueStore/transaction(_:)``.
///
/// ```swift
/// func resetWindow(_ edit: inout KeyValueEdit) {
///   edit.removeAll(prefix: "window.")
///   edit.set(2, forKey: "window.columns")
/// }
/// try settings.transaction(resetWindow)  // one save
/// ```
public struct KeyValueEdit: Sendable {
  /// The last change of each key; nil removes it.
  private(set) var changes: [String: KeyValueContent?] = [:]
  /// All keys that begin so and have no change of their own are removed.
  private var removedPrefixes: Set<String> = []

  var isEmpty: Bool { changes.isEmpty && removedPrefixes.isEmpty }

  /// Sets a value; nil removes the key.
  ///
  /// From `expiresAt` on the key reads as absent, as ``KeyValueStore/set(_:forKey:expiresAt:)`` tells.
  public mutating func set<Value: KeyValueConvertible>(_ value: Value?, forKey key: String, expiresAt: Date? = nil) {
    changes[key] = .some(value.map { KeyValueContent($0.keyValue, expiresAt: expiresAt) })
  }

  /// Sets the value of a typed key; nil removes it.
  ///
  /// - Throws: `EncodingError` where a `Codable` value refuses.
  public mutating func set<Value>(_ value: Value, for key: StoredKey<Value>) throws {
    set(try key.encode(value), forKey: key.name)
  }

  /// Removes a key.
  public mutating func removeObject(forKey key: String) { changes[key] = .some(nil) }

  /// Removes all keys of the suite that begin with `prefix`; with none, all. A key that is set after it stays.
  public mutating func removeAll(prefix: String = "") {
    changes = changes.filter { !$0.key.hasPrefix(prefix) }
    removedPrefixes.insert(prefix)
  }

  mutating func set(_ content: KeyValueContent?, forKey key: String) { changes[key] = .some(content) }
}

extension KeyValueEdit {
  /// The work for the store, given its contents. A value that is there already is no change.
  func request(
    suite: String, in place: KeyValueEntry.Place, of snapshot: borrowing StoreSnapshot
  ) throws -> SaveRequest {
    var changes: [RecordChange] = []
    for (key, content) in try allChanges(suite: suite, in: place, of: snapshot) {
      let id = KeyValueEntry.id(suite: suite, key: key)
      guard let content else {
        changes.append(.delete(entity: place.entity, id: id))
        continue
      }
      let write = FieldWrite(place.value.ordinal, .string(try content.text))
      if try snapshot.record(id, of: place.entity) != nil {
        changes.append(.update(entity: place.entity, id: id, fields: [write]))
      } else {
        let names = [
          FieldWrite(place.suite.ordinal, .string(suite)), FieldWrite(place.key.ordinal, .string(key)),
        ]
        changes.append(.insert(entity: place.entity, id: id, fields: names + [write]))
      }
    }
    return SaveRequest(changes: changes)
  }

  /// By key, with the removal of each key that has one of the prefixes.
  private func allChanges(
    suite: String, in place: KeyValueEntry.Place, of snapshot: borrowing StoreSnapshot
  ) throws -> [(String, KeyValueContent?)] {
    var all = changes
    for prefix in removedPrefixes {
      for entry in try snapshot.keyValues(prefix: prefix, suite: suite, in: place) where all[entry.key] == nil {
        all[entry.key] = .some(nil)
      }
    }
    return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
