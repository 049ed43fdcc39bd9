import RecordStore
import StoreInspection

/// A record's change as a person or a program reads it.
struct ChangeText {
  let change: HistoryChange
  let catalogue: Catalogue

  /// `updated Item 0191…: title, price`.
  var text: String {
    let fields = fieldNames.joined(separator: ", ")
    return "\(ChangeText.pastTense(change.kind)) \(entityName) \(change.id)\(fields.isEmpty ? "" : ": \(fields)")"
  }

  var json: JSON {
    .members([
      "kind": .string("\(change.kind)"), "entity": .string(entityName),
      "id": .string(change.id.description),
      "fields": change.kind == .update ? .array(fieldNames.map { .string($0) }) : nil,
    ])
  }

  var entityName: String { ChangeText.name(of: change.entity, in: catalogue) }

  static func pastTense(_ kind: HistoryChange.Kind) -> String {
    switch kind {
    case .insert: "inserted"
    case .update: "updated"
    case .delete: "deleted"
    }
  }

  static func name(of entity: EntityNumber, in catalogue: Catalogue) -> String {
    catalogue.entities.indices.contains(entity) ? catalogue.entities[entity].name : "entity \(entity)"
  }

  private var fieldNames: [String] {
    guard catalogue.entities.indices.contains(change.entity) else { return change.fields.map { "field \($0)" } }
    let fields = catalogue.entities[change.entity].fields
    return change.fields.map { fields.indices.contains($0) ? fields[$0].name : "field \($0)" }
  }
}
