extension Schema {
  /// The shape of one class's objects.
  ///
  /// `@unchecked Sendable` because a schema is built first and shared afterwards; as in SwiftData, changing an
  /// entity of a schema in use is a programmer's error without effect on open containers.
  public final class Entity: @unchecked Sendable {
    public var name: String
    public var superentityName: String?
    public var superentity: Entity?
    public var subentities: Set<Entity> = []
    public var attributes: Set<Attribute>
    public var relationships: Set<Relationship>
    /// Lists of property names, each unique together.
    public var uniquenessConstraints: [[String]] = []
    /// Lists of property names, each an index.
    public var indices: [[String]] = []
    /// All properties in the order of their declaration, without ``inheritedProperties``.
    public private(set) var properties: [any SchemaProperty]

    /// The class, where it is known.
    var modelType: (any PersistentModel.Type)?

    public convenience init(_ name: String) { self.init(name, properties: []) }

    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, properties: properties)
    }

    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name, properties: properties)
      self.subentities = Set(subentities)
      for entity in subentities {
        entity.superentity = self
        entity.superentityName = name
      }
    }

    init(_ name: String, properties: [any SchemaProperty]) {
      self.name = name
      self.properties = properties
      attributes = Set(properties.compactMap { $0 as? Attribute })
      relationships = Set(properties.compactMap { $0 as? Relationship })
    }

    /// Entities whose superentity is known by name, with the entities of those names among them put in.
    static func related(_ entities: [Entity]) -> [Entity] {
      let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
      for entity in entities {
        guard let parent = entity.superentityName.flatMap({ byName[$0] }) else { continue }
        entity.superentity = parent
        parent.subentities.insert(entity)
      }
      return entities
    }

    public var attributesByName: [String: Attribute] {
      Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first }
    }
    public var relationshipsByName: [String: Relationship] {
      Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
    }
    public var storedProperties: [any SchemaProperty] { properties.filter { !$0.isTransient } }
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first }
    }
    public var inheritedProperties: [any SchemaProperty] {
      superentity.map { $0.inheritedProperties + $0.properties } ?? []
    }
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }) { _, last in last }
    }
  }
}

extension Schema.Entity: Hashable {
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || (left.name == right.name && left.superentityName == right.superentityName
        && left.attributes == right.attributes && left.relationships == right.relationships
        && left.uniquenessConstraints == right.uniquenessConstraints && left.indices == right.indices)
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
