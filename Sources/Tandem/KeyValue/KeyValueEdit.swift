import RecordStore

/// Changes of a ``KeyValueStore`` that are saved together, by ``KeyValueStore/transaction(_:)``.
public struct KeyValueEdit: Sendable {
  /// The last change of each key; nil removes it.
  private(set) var changes: [String: KeyValue?] = [:]

  /// Sets a value; nil removes the key.
  public mutating func set<Value: KeyValueConvertible>(_ value: Value?, forKey key: String) {
    changes[key] = .some(value?.keyValue)
  }

  public mutating func removeObject(forKey key: String) { changes[key] = .some(nil) }
}

extension KeyValueEdit {
  /// What the store is to do, given what it holds. A value that is there already is no change.
  func request(
    suite: String, in place: KeyValueEntry.Place, of snapshot: borrowing StoreSnapshot
  ) throws -> SaveRequest {
    var request = SaveRequest()
    for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
      let id = KeyValueEntry.id(suite: suite, key: key)
      guard let value else {
        request.changes.append(.delete(entity: place.entity, id: id))
        continue
      }
      let write = FieldWrite(place.value.ordinal, .string(try value.text))
      if try snapshot.record(id, of: place.entity) != nil {
        request.changes.append(.update(entity: place.entity, id: id, fields: [write]))
      } else {
        let names = [
          FieldWrite(place.suite.ordinal, .string(suite)), FieldWrite(place.key.ordinal, .string(key)),
        ]
        request.changes.append(.insert(entity: place.entity, id: id, fields: names + [write]))
      }
    }
    return request
  }
}
