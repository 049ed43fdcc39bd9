import RecordStore

/// The numbers of an author's catalogue in this store's terms: entities and fields are matched by name.
///
/// A name that was changed on one side is found by the names that the other side remembers. Entities and fields that
/// this store does not know become ``additions``, to be entered first. A field that has another type here is one of
/// those: its values are kept apart (see ``KeptField``), and ``mismatches`` names it for people.
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
    var taken: Set<Int> = []
    for field in entity.fields {
      let wanted = KeptField(field)
      let name = wanted?.field ?? field.name
      var match = CatalogueMapping.match(field, named: name, in: known)
      // Where one field was renamed and another has got its name since, both would be one field here.
      if let found = match, !taken.insert(found.ordinal).inserted {
        match = known.field(named: KeptField(field: name, type: field.type).name).flatMap { kept in
          kept.type == field.type && taken.insert(kept.ordinal).inserted ? kept : nil
        }
      }
      ordinals.append(match?.ordinal)
      let other = known.field(named: name)
      if match == nil {
        var added = field
        added.name = other == nil ? name : KeptField(field: name, type: field.type).name
        if other != nil { added.previousNames = [] }
        missing.append(added)
      }
      // A field that was kept on the way here says nothing new.
      if wanted == nil, let other, other.type != field.type, match.map({ $0.name != other.name }) ?? true {
        mismatches.append(CatalogueMapping.sentence(known, other, field.type))
      }
    }
    if !missing.isEmpty {
      var definition = CatalogueMapping.definition(of: entity, fields: missing)
      definition.name = known.name
      additions.append(definition)
    }
    return Entity(number: known.number, ordinals: ordinals)
  }

  /// A field that the schema declares with another type than that of values which are kept for it.
  struct KeptValues: Hashable, Sendable {
    var entity: String
    var field: KeptField
    var sentence: String
  }

  static func keptFields(in catalogue: Catalogue) -> [KeptValues] {
    catalogue.entities.flatMap { entity in
      entity.fields.compactMap { field in
        guard let kept = KeptField(field), let shown = entity.field(named: kept.field), shown.isDeclared else {
          return nil
        }
        return KeptValues(entity: entity.name, field: kept, sentence: sentence(entity, shown, kept.type))
      }
    }
  }

  private static func sentence(_ entity: CatalogueEntity, _ field: CatalogueField, _ other: FieldType) -> String {
    "the field \(entity.name).\(field.name) is of type \(field.type) here and \(other) where the change was made: its "
      + "values are kept, but not shown before the field has one type on all devices"
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

  /// The field that takes the values, by its name now or before; of the same type always.
  private static func match(
    _ field: CatalogueField, named name: String, in local: CatalogueEntity
  ) -> CatalogueField? {
    if let known = local.field(named: name, holding: field.type) { return known }
    // A field of this name and another type is no reason to look further.
    guard local.field(named: name) == nil else { return nil }
    return local.fields.first { $0.previousNames.contains(name) && $0.type == field.type }
      ?? local.fields.first { field.previousNames.contains($0.name) && $0.type == field.type }
  }

  /// Fields and stored references alone: the rules come with the schema that declares them. With the names that they
  /// had before, by which devices with earlier versions know them.
  private static func definition(of entity: CatalogueEntity, fields: [CatalogueField]) -> EntityDefinition {
    let references = fields.filter { $0.type == .reference }
    var definition = EntityDefinition(
      name: entity.name, superentity: entity.superentity,
      attributes: fields.filter { $0.type != .reference }.map { field in
        var attribute = AttributeDefinition(
          name: field.name, type: field.type, isOptional: true, isStoredExternally: field.isStoredExternally)
        attribute.formerNames = field.previousNames
        return attribute
      },
      relationships: references.map { field in
        var relationship = RelationshipDefinition(name: field.name, destination: field.destination ?? "")
        relationship.formerNames = field.previousNames
        return relationship
      },
      deleteIsFinal: entity.deleteIsFinal)
    definition.formerNames = entity.previousNames
    return definition
  }
}

extension CatalogueMapping {
  /// Whether a field of the author's is in an index of this store, which `local` is the catalogue of.
  func isInIndex(_ ordinal: Int, of entity: EntityNumber, _ local: Catalogue) -> Bool {
    guard entities.indices.contains(entity), let known = entities[entity], known.ordinals.indices.contains(ordinal),
      let own = known.ordinals[ordinal]
    else { return false }
    return local.isInIndex(own, of: known.number)
  }
}
