import Foundation
import RecordStore

/// One key of one suite, as a record like any other.
///
/// The record's id is derived from suite and key, so the entries that two devices make for one key while
/// they are apart are the same record, and the later write wins. The value is one field with one stamp:
/// kind and content never come from different writes. (A unique constraint would lead to the same end by
/// way of an alias for each key.)
struct KeyValueEntry {
  static let entityName = "KeyValueEntry"

  /// Suite and key are kept on deletion, so that watchers learn which key went.
  static let definition = EntityDefinition(
    name: entityName,
    attributes: [
      AttributeDefinition(name: "suite", type: .string, preservesValueOnDeletion: true),
      AttributeDefinition(name: "key", type: .string, preservesValueOnDeletion: true),
      AttributeDefinition(name: "value", type: .string),
    ],
    indexes: [IndexDefinition("suite", "key")])

  /// The entity's number and its fields in one store.
  struct Place: Sendable {
    let entity: EntityNumber
    let suite: CatalogueField
    let key: CatalogueField
    let value: CatalogueField

    /// Nil where the store's schema has no such entity.
    init?(in catalogue: Catalogue) {
      guard let entity = catalogue.entity(named: entityName), entity.isDeclared,
        let suite = entity.field(named: "suite"), let key = entity.field(named: "key"),
        let value = entity.field(named: "value"), [suite, key, value].allSatisfy({ $0.type == .string })
      else { return nil }
      self.entity = entity.number
      self.suite = suite
      self.key = key
      self.value = value
    }
  }

  static func id(suite: String, key: String) -> RecordID {
    RecordID(derivedFrom: [entityName, suite, key])
  }

  let suite: String
  let key: String
  /// Nil for one written by something else, or in a later form: then the key reads as absent.
  let content: KeyValueContent?

  init?(_ image: RecordImage, _ place: Place) {
    guard case .string(let suite) = image.value(of: place.suite), case .string(let key) = image.value(of: place.key)
    else { return nil }
    self.suite = suite
    self.key = key
    guard case .string(let text) = image.value(of: place.value) else {
      content = nil
      return
    }
    do {
      content = try KeyValueContent(text: text)
    } catch {
      content = nil
    }
  }
}

extension StoreSnapshot {
  func keyValue(_ key: String, suite: String, in place: KeyValueEntry.Place) throws -> KeyValueContent? {
    let id = KeyValueEntry.id(suite: suite, key: key)
    return try record(id, of: place.entity).flatMap { KeyValueEntry($0, place) }?.content
  }

  /// Those whose keys begin so, of the suite.
  func keyValues(prefix: String, suite: String, in place: KeyValueEntry.Place) throws -> [KeyValueEntry] {
    let isOfSuite = RecordFilter.compare(FieldPath(place.suite.ordinal), .equal, .string(suite))
    return try fetch(RecordQuery(entity: place.entity, filter: isOfSuite)).compactMap { KeyValueEntry($0, place) }
      .filter { $0.key.hasPrefix(prefix) }
  }
}

extension StoreSchema {
  /// The schema with room for ``KeyValueStore``; unchanged where a class of the app has the name.
  func addingKeyValues() -> StoreSchema {
    var schema = self
    if !entities.contains(where: { $0.name == KeyValueEntry.entityName }) {
      schema.entities.append(KeyValueEntry.definition)
    }
    return schema
  }
}
