import Foundation
import LivePage
import RecordStore
import StoreInspection
import Tandem

/// The page's questions about keys and values: the suites, one key whole, and the edits of `tandem put` and `remove`.
struct KeyAnswers {
  /// As many keys of a suite are shown; 'tandem list' has all.
  private static let mostKeys = 1_000

  let stores: ServedStores

  var routes: [PageRoute] {
    [
      PageRoute("suites") { try suites(PageQuestion(json: $0)) },
      PageRoute("key") { try key(PageQuestion(json: $0)) },
      PageRoute("put", .writing) { try put(PageQuestion(json: $0)) },
      PageRoute("remove", .writing) { try remove(PageQuestion(json: $0)) },
    ]
  }

  private func suites(_ question: PageQuestion) throws -> JSON {
    let store = try stores.store(question.text("store")).reader()
    let hasRoom = try store.read { $0.catalogue.entity(named: KeyValueName.entityName) != nil }
    let suites = try KeyValueStore.suites(in: store).sorted { $0.key < $1.key }
    return [
      "hasRoom": .bool(hasRoom), "types": .array(KeyValueType.allCases.map { .string($0.rawValue) }),
      "suites": .array(try suites.map { try suite($0.key, count: $0.value, in: store) }),
    ]
  }

  private func suite(_ name: String, count: Int, in store: RecordStore) throws -> JSON {
    let suite = try KeyValueStore(suiteName: name, store: store)
    let values = try suite.dictionaryRepresentation().sorted { $0.key < $1.key }.prefix(KeyAnswers.mostKeys)
    let keys = try values.map { key, value in
      JSON.members([
        "key": .string(key), "type": .string(value.kindName), "value": .string(CellJSON.cut(value.displayText)),
        "expires": try suite.expiry(forKey: key).map { .string(DateText.display($0)) },
      ])
    }
    return ["name": .string(name), "count": .integer(count), "keys": .array(keys)]
  }

  /// A value to be edited: whole, and as the text that a `put` takes for the same value. Without `type` there is no
  /// such text, and the value can only be removed.
  private func key(_ question: PageQuestion) throws -> JSON {
    let name = try question.text("key")
    let suite = try suite(of: question, store: stores.store(question.text("store")).reader())
    guard let value = try suite.value(forKey: name) else { throw KeyAnswers.absent(name) }
    let text = value.displayText
    let type = KeyValueType(of: value).flatMap { $0.value(of: text) == value ? $0 : nil }
    return .members([
      "key": .string(name), "value": .string(text), "type": type.map { .string($0.rawValue) },
      "expires": try suite.expiry(forKey: name).map { .string(DateText.display($0)) },
    ])
  }

  private func put(_ question: PageQuestion) throws -> JSON {
    let name = try question.text("key")
    let value = try value(of: question)
    let expiry = try question.textIfGiven("expires").map { try KeyAnswers.expiry($0) }
    let suite = try suite(of: question, store: writableStore(of: question))
    let expiresAt = expiry?.date(from: Date())
    guard let expected = question.json["expected"] else {
      try suite.set(value, forKey: name, expiresAt: expiresAt)
      return ["put": .string(name)]
    }
    let known = try expected == .null ? nil : self.value(of: PageQuestion(json: expected))
    guard try suite.compareAndSet(name, expecting: known, to: value, expiresAt: expiresAt) else {
      throw KeyAnswers.changedMeanwhile(name, isNew: known == nil)
    }
    return ["put": .string(name)]
  }

  /// With `expected` only the value that a person saw.
  private func remove(_ question: PageQuestion) throws -> JSON {
    let name = try question.text("key")
    let suite = try suite(of: question, store: writableStore(of: question))
    guard try suite.value(forKey: name) != nil else { throw KeyAnswers.absent(name) }
    if let expected = question.json["expected"], expected != .null {
      let known = try value(of: PageQuestion(json: expected))
      guard try suite.compareAndSet(name, expecting: known, to: nil) else {
        throw KeyAnswers.changedMeanwhile(name, isNew: false)
      }
    } else {
      try suite.removeObject(forKey: name)
    }
    return ["removed": .string(name)]
  }
}

extension KeyAnswers {
  private func suite(of question: PageQuestion, store: RecordStore) throws -> KeyValueStore {
    try KeyValueStore(suiteName: question.text("suite"), store: store)
  }

  private func writableStore(of question: PageQuestion) throws -> RecordStore {
    try RecordStore.open(stores.store(question.text("store")).configuration(isReadOnly: false))
  }

  /// The value that `type` and `value` tell; a text may be empty.
  private func value(of question: PageQuestion) throws(PageRefusal) -> KeyValue {
    let name = try question.text("type")
    guard let type = KeyValueType(rawValue: name) else {
      let known = KeyValueType.allCases.map(\.rawValue).joined(separator: ", ")
      throw PageRefusal("'\(DisplayText.visible(name))' is no type of values; there are \(known)")
    }
    guard let text = question.json["value"]?.stringValue else { throw PageRefusal("the question lacks 'value'") }
    guard let value = type.value(of: text) else {
      let shown = DisplayText.cut(DisplayText.visible(text), to: 60)
      throw PageRefusal("'\(shown)' is no \(type.rawValue); give \(type.example); nothing was changed")
    }
    return value
  }

  private static func expiry(_ text: String) throws(PageRefusal) -> Expiry {
    if let expiry = Expiry(argument: text) { return expiry }
    let shown = DisplayText.cut(DisplayText.visible(text), to: 60)
    throw PageRefusal(
      "'\(shown)' is no end of a value; give a span such as 90s, 30m, 12h or 7d, or a moment such as 2030-01-31 17:05; "
        + "nothing was changed")
  }

  private static func absent(_ key: String) -> PageRefusal {
    PageRefusal("the suite has no key '\(DisplayText.visible(key))'; nothing was changed")
  }

  private static func changedMeanwhile(_ key: String, isNew: Bool) -> PageRefusal {
    let shown = DisplayText.visible(key)
    return PageRefusal(
      isNew
        ? "the suite has a key '\(shown)' already; edit it, or choose another name; nothing was changed"
        : "'\(shown)' has another value by now; look at it, and edit it again; nothing was changed")
  }
}

extension KeyValueType {
  /// The type by which a value of the same kind is given; nil where none can be.
  init?(of value: KeyValue) {
    switch value {
    case .bool: self = .bool
    case .integer: self = .integer
    case .double: self = .double
    case .string: self = .string
    case .date: self = .date
    case .data: self = .data
    case .url: self = .url
    case .array, .dictionary: self = .json
    case .encoded: return nil
    }
  }
}
