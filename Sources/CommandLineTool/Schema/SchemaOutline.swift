import RecordStore

/// A store's schema as an app would declare it, read from the catalogue: properties by class, without the fields that
/// the store and the library keep for themselves.
struct SchemaOutline: Hashable {
  struct Attribute: Hashable {
    var name: String
    var type: FieldType
    var isOptional: Bool
    var defaultValue: FieldValue?
    var isUnique: Bool
    var preservesValueOnDeletion: Bool
    var isStoredExternally: Bool
  }

  struct Relationship: Hashable {
    var name: String
    var destination: String
    var isToMany: Bool
    var isOptional: Bool
    var isOrdered: Bool
    var isUnique: Bool
    var deleteRule: DeleteRule
    var inverse: String?
    var minimumCount: Int
    var maximumCount: Int
  }

  /// Inherits from ``superclass`` where it has one.
  struct Class: Hashable {
    var name: String
    var superclass: String?
    var attributes: [Attribute]
    var relationships: [Relationship]
    /// Names of properties that are unique together; single ones are said by the property.
    var uniques: [[String]]
    var indexes: [[String]]
    var groups: [[String]]
  }

  var version: SchemaVersion
  /// By name, each class before those that inherit from it.
  var classes: [Class]

  init(_ catalogue: Catalogue) {
    version = catalogue.schemaVersion
    let entities = catalogue.entities.filter { $0.isDeclared && !$0.isJoin }.sorted { $0.name < $1.name }
    classes = entities.flatMap { EntityOutline($0, in: catalogue).classes }
  }
}

/// The classes of one entity: that of its name, and those whose properties stand in it as `Class.property`.
private struct EntityOutline {
  typealias Relationship = SchemaOutline.Relationship

  private let entity: CatalogueEntity
  private let catalogue: Catalogue

  init(_ entity: CatalogueEntity, in catalogue: Catalogue) {
    (self.entity, self.catalogue) = (entity, catalogue)
  }

  var classes: [SchemaOutline.Class] {
    let names = Set((attributes.map(\.name) + entity.relationships.map(\.name)).compactMap { className(of: $0) })
    return [outline(of: nil)] + names.sorted().map { outline(of: $0) }
  }

  private var attributes: [CatalogueField] {
    entity.fields.filter { field in
      field.isDeclared && field.type != .reference && field.isForPeople
    }
  }

  private func className(of name: String) -> String? {
    name.firstIndex(of: ".").map { String(name[..<$0]) }
  }

  private func propertyName(_ name: String) -> String {
    name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private func outline(of subclass: String?) -> SchemaOutline.Class {
    func isOwn(_ name: String) -> Bool { className(of: name) == subclass }
    let keys = entity.indexes.filter { $0.isUnique }.map { names(of: $0) }
    let own = { (names: [String]) in names.allSatisfy(isOwn) }
    return SchemaOutline.Class(
      name: subclass ?? entity.name, superclass: subclass == nil ? entity.superentity : entity.name,
      attributes: attributes.filter { isOwn($0.name) }.map { attribute($0, keys) },
      relationships: entity.relationships.filter { isOwn($0.name) }.map { relationship($0, keys) },
      uniques: keys.filter { $0.count > 1 && own($0) }.map { $0.map(propertyName) },
      indexes: entity.indexes.filter { !$0.isUnique && !isOfReference($0) }.map { names(of: $0) }
        .filter { own($0) && $0 != [".class"] }.map { $0.map(propertyName) },
      groups: entity.fieldGroups.map { $0.map { entity.fields[$0].name } }.filter(own).map { $0.map(propertyName) })
  }

  private func names(of index: CatalogueIndex) -> [String] { index.components.map { entity.fields[$0.ordinal].name } }

  /// Every reference has an index of its own, without being asked.
  private func isOfReference(_ index: CatalogueIndex) -> Bool {
    index.components.count == 1 && entity.fields[index.components[0].ordinal].type == .reference
  }

  private func attribute(_ field: CatalogueField, _ keys: [[String]]) -> SchemaOutline.Attribute {
    // The store has a subclass's property as one that may be missing; its default tells that it may not.
    let isSparse = className(of: field.name) != nil && field.defaultValue != nil
    return SchemaOutline.Attribute(
      name: propertyName(field.name), type: field.type, isOptional: field.isOptional && !isSparse,
      defaultValue: field.defaultValue, isUnique: keys.contains([field.name]),
      preservesValueOnDeletion: field.preservesValueOnDeletion, isStoredExternally: field.isStoredExternally)
  }

  private func relationship(_ relationship: CatalogueRelationship, _ keys: [[String]]) -> Relationship {
    Relationship(
      name: propertyName(relationship.name),
      destination: relationship.inverse.flatMap { className(of: $0) } ?? relationship.destination,
      isToMany: relationship.isToMany, isOptional: relationship.isOptional,
      isOrdered: catalogue.positionField(of: relationship, in: entity) != nil,
      isUnique: keys.contains([relationship.name]), deleteRule: relationship.deleteRule,
      inverse: relationship.inverse.map(propertyName), minimumCount: relationship.minimumCount,
      maximumCount: relationship.maximumCount)
  }
}

extension CatalogueField {
  /// Whether an app has it as a property. The store and the library keep fields for themselves, such as
  /// `List.items.order`, the positions of an ordered relationship.
  var isForPeople: Bool {
    !name.hasPrefix("~") && !name.hasPrefix(".") && !(name.hasSuffix(".order") && name.count { $0 == "." } == 2)
  }
}
