import RecordStore

/// What the numbers of an author's catalogue are in this store: entities and fields are matched by name.
///
/// A name that was changed on one side is found by the names that the other side remembers. What this store
/// does not know becomes ``additions``, to be entered first; a field that has another type here is left out
/// and named in ``mismatches``.
struct CatalogueMapping: Hashable, Sendable {
  struct Entity: Hashable, Sendable {
    var number: EntityNumber
    /// The local ordinal for each of the author's; nil: not taken.
    var ordinals: [Int?]
  }

  private(set) var entities: [Entity?] = []
  private(set) var additions: [EntityDefinition] = []
  private(set) var mismatches: [String] = []

  init(author: Catalogue, local: Catalogue) {
    for entity in author.entities {
      guard let known = CatalogueMapping.match(entity, in: local) else {
        additions.append(CatalogueMapping.definition(of: entity, fields: entity.fields))
        entities.append(nil)
        continue
      }
      entities.append(match(entity, with: known))
    }
  }

  private mutating func match(_ entity: CatalogueEntity, with known: CatalogueEntity) -> Entity {
    var missing: [CatalogueField] = []
    var ordinals: [Int?] = []
    for field in entity.fields {
      let match = CatalogueMapping.match(field, in: known)
      if match == nil { missing.append(field) }
      if let match, match.type != field.type {
        mismatches.append(
          "the field \(known.name).\(match.name) is of type \(match.type) here and \(field.type) where the change "
            + "was made: its values were not taken; give it one type on all devices")
        ordinals.append(nil)
      } else {
        ordinals.append(match?.ordinal)
      }
    }
    if !missing.isEmpty {
      var definition = CatalogueMapping.definition(of: entity, fields: missing)
      definition.name = known.name
      additions.append(definition)
    }
    return Entity(number: known.number, ordinals: ordinals)
  }

  /// The facts in this store's numbering; nil when the entity is not known here.
  func translate(_ facts: RecordFacts) -> RecordFacts? {
    guard facts.entity < entities.count, let entity = entities[facts.entity] else { return nil }
    var translated = facts
    translated.entity = entity.number
    translated.registers = facts.registers.compactMap { register in
      guard register.ordinal < entity.ordinals.count, let ordinal = entity.ordinals[register.ordinal] else {
        return nil
      }
      return RecordFacts.Register(
        ordinal: ordinal, value: register.value, stamp: register.stamp, isOnce: register.isOnce)
    }
    translated.registers.sort { $0.ordinal < $1.ordinal }
    return translated
  }

  static func match(_ entity: CatalogueEntity, in local: Catalogue) -> CatalogueEntity? {
    local.entity(named: entity.name)
      ?? local.entities.first { $0.previousNames.contains(entity.name) }
      ?? local.entities.first { entity.previousNames.contains($0.name) }
  }

  static func match(_ field: CatalogueField, in local: CatalogueEntity) -> CatalogueField? {
    local.field(named: field.name)
      ?? local.fields.first { $0.previousNames.contains(field.name) }
      ?? local.fields.first { field.previousNames.contains($0.name) }
  }

  /// Fields and stored references alone: the rules come with the schema that declares them.
  private static func definition(of entity: CatalogueEntity, fields: [CatalogueField]) -> EntityDefinition {
    let references = fields.filter { $0.type == .reference }
    return EntityDefinition(
      name: entity.name, superentity: entity.superentity,
      attributes: fields.filter { $0.type != .reference }.map { field in
        AttributeDefinition(
          name: field.name, type: field.type, isOptional: true, isStoredExternally: field.isStoredExternally)
      },
      relationships: references.map { RelationshipDefinition(name: $0.name, destination: $0.destination ?? "") },
      deleteIsFinal: entity.deleteIsFinal)
  }
}
