import RecordStore
import StoreInspection

/// A schema for people: a class and its properties, a line each.
struct SchemaText {
  let outline: SchemaOutline
  let terminal: Terminal

  var lines: [String] {
    ["schema \(outline.version)"] + outline.classes.flatMap { [""] + lines(of: $0) }
  }

  private func lines(of type: SchemaOutline.Class) -> [String] {
    let heading = terminal.styled(type.name, .bold) + (type.superclass.map { ": \($0)" } ?? "")
    return [heading] + type.attributes.map { "  \(text($0))" } + type.relationships.map { "  \(text($0))" }
      + type.uniques.map { "  unique (\($0.joined(separator: ", ")))" }
      + type.indexes.map { "  index (\($0.joined(separator: ", ")))" }
      + type.groups.map { "  group (\($0.joined(separator: ", ")))" }
  }

  private func text(_ attribute: SchemaOutline.Attribute) -> String {
    var notes = ["\(attribute.type)"]
    if attribute.isOptional { notes.append("optional") }
    if attribute.isUnique { notes.append("unique") }
    if let value = attribute.defaultValue { notes.append("default \(DisplayText.value(value))") }
    if attribute.preservesValueOnDeletion { notes.append("kept in history") }
    return "\(attribute.name): \(notes.joined(separator: ", "))"
  }

  private func text(_ relationship: SchemaOutline.Relationship) -> String {
    var notes = [(relationship.isToMany ? "many " : "one ") + relationship.destination]
    if relationship.isOptional, !relationship.isToMany { notes.append("optional") }
    if relationship.isOrdered { notes.append("ordered") }
    if relationship.isUnique { notes.append("unique") }
    if let inverse = relationship.inverse { notes.append("inverse \(inverse)") }
    if relationship.minimumCount > 0 { notes.append("at least \(relationship.minimumCount)") }
    if relationship.maximumCount > 0 { notes.append("at most \(relationship.maximumCount)") }
    notes.append("\(relationship.deleteRule.rawValue) on delete")
    return "\(relationship.name): \(notes.joined(separator: ", "))"
  }
}

extension SchemaOutline {
  var json: JSON {
    ["schemaVersion": .string(version.description), "classes": .array(classes.map(\.json))]
  }
}

extension SchemaOutline.Class {
  fileprivate var json: JSON {
    func lists(_ lists: [[String]]) -> JSON { .array(lists.map { .array($0.map { .string($0) }) }) }
    return .members([
      "name": .string(name), "superclass": superclass.map { .string($0) },
      "attributes": .array(attributes.map(\.json)), "relationships": .array(relationships.map(\.json)),
      "uniques": lists(uniques), "indexes": lists(indexes), "groups": lists(groups),
    ])
  }
}

extension SchemaOutline.Attribute {
  fileprivate var json: JSON {
    .members([
      "name": .string(name), "type": .string("\(type)"), "optional": .bool(isOptional), "unique": .bool(isUnique),
      "default": defaultValue.map(\.programJSON), "preservedOnDeletion": .bool(preservesValueOnDeletion),
    ])
  }
}

extension SchemaOutline.Relationship {
  fileprivate var json: JSON {
    .members([
      "name": .string(name), "destination": .string(destination), "toMany": .bool(isToMany),
      "optional": .bool(isOptional), "ordered": .bool(isOrdered), "unique": .bool(isUnique),
      "deleteRule": .string(deleteRule.rawValue), "inverse": inverse.map { .string($0) },
      "minimum": .integer(minimumCount), "maximum": .integer(maximumCount),
    ])
  }
}
