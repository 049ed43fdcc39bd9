import Foundation
import RecordStore
import TestSupport

/// Saves and the records of a store as text, so that a rule's cases can be read as a table.
///
/// A save is a line of changes, separated by semicolons:
/// ```
/// insert Trip 1 name=Rome rating=5; update Stop 2 trip=#1 city=nil; delete Tag 3
/// link Trip 1 tags 3; unlink Trip 1 tags 3
/// ```
/// Numbers are those of ``fixtureID(_:)``. A store is a line for each visible record, with the fields that differ from
/// what a record has that was given nothing, and with its relationships from both sides:
/// ```
/// Trip 1 name=Rome rating=5 stops=#2,#4
/// ```
struct RuleScript {
  let names: FixtureNames

  init(_ store: RecordStore) throws { names = try FixtureNames(store) }

  func changes(_ save: String) -> [RecordChange] {
    save.split(separator: ";").map { change(Array($0.split(separator: " "))) }
  }

  private func change(_ words: [Substring]) -> RecordChange {
    precondition(words.count > 2, "a change names a kind, an entity and a record: \(words.joined(separator: " "))")
    let (entity, id) = (String(words[1]), id(words[2]))
    switch words[0] {
    case "insert": return names.insert(entity, id, fields(words.dropFirst(3), of: entity))
    case "update": return names.update(entity, id, fields(words.dropFirst(3), of: entity))
    case "delete": return names.delete(entity, id)
    case "link": return names.link(entity, id, String(words[3]), self.id(words[4]))
    case "unlink": return names.link(entity, id, String(words[3]), self.id(words[4]), false)
    default: preconditionFailure("there is no change of the kind \(words[0])")
    }
  }

  private func id(_ word: Substring) -> RecordID {
    guard let number = UInt64(word.drop { $0 == "#" }) else { preconditionFailure("\(word) is no record's number") }
    return fixtureID(number)
  }

  private func fields(_ words: ArraySlice<Substring>, of entity: String) -> [String: FieldValue] {
    Dictionary(
      uniqueKeysWithValues: words.map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let type = names.catalogue.entity(named: entity)?.field(named: name)?.type
        return (name, value(parts[1], type))
      })
  }

  private func value(_ word: Substring, _ type: FieldType?) -> FieldValue {
    if word == "nil" { return .null }
    switch type {
    case .string: return .string(String(word))
    case .int: return .int(Int64(word) ?? 0)
    case .double: return .double(Double(word) ?? 0)
    case .bool: return .bool(word == "true")
    case .decimal: return .decimal(Decimal(string: String(word)) ?? 0)
    case .reference: return .reference(id(word))
    default: preconditionFailure("scripts have no values like \(word)")
    }
  }
}

extension RuleScript {
  /// What readers of a store see, sorted by entity and id.
  func records(of store: RecordStore) throws -> [String] {
    try store.read { snapshot throws in
      try names.catalogue.entities.filter { $0.isDeclared && !$0.isJoin }.flatMap { entity in
        let query = RecordQuery(entity: entity.number, includesSubentities: false)
        return try snapshot.fetch(query).map { try line(of: $0, entity, snapshot) }
      }
    }
  }

  private func line(
    of record: RecordImage, _ entity: CatalogueEntity, _ snapshot: borrowing StoreSnapshot
  ) throws -> String {
    var words = [entity.name, "\(record.id.low)"]
    for field in entity.fields where field.isDeclared && field.type != .reference {
      let value = record.value(of: field)
      if value != field.valueWhenAbsent { words.append("\(field.name)=\(text(of: value))") }
    }
    for relationship in entity.relationships {
      let others = try snapshot.related(record.id, of: entity.number, relationship: relationship.name)
      let list = others.map { "#\($0.low)" }.joined(separator: ",")
      if !others.isEmpty { words.append("\(relationship.name)=\(list)") }
    }
    return words.joined(separator: " ")
  }

  private func text(of value: FieldValue) -> String {
    switch value {
    case .null: "nil"
    case .string(let text), .url(let text): text
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bool(let value): "\(value)"
    case .decimal(let number): "\(number)"
    default: "\(value)"
    }
  }
}
