extension Schema {
  /// The shape of one class's objects.
  ///
  /// `@unchecked Sendable` because a schema is built first and shared afterwards; as in SwiftData, changing an
  /// entity of a schema in use is a programmer's error without effect on open containers.
  public final class Entity: @unchecked Sendable {
    /// The name of the class, without its module.
    public var name: String
    /// The name of the class that this one inherits from; nil without one.
    public var superentityName: String?
    /// The entity of the class that this one inherits from; nil without one.
    public var superentity: Entity?
    /// The entities of the classes that inherit from this one directly.
    public var subentities: Set<Entity> = []
    /// The attributes that the class declares itself.
    public var attributes: Set<Attribute>
    /// The relationships that the class declares itself.
    public var relationships: Set<Relationship>
    /// Lists of property names, each unique together.
    public var uniquenessConstraints: [[String]] = []
    /// Lists of property names, each an index.
    public var indices: [[String]] = []
    /// All properties in the order of their declaration, without ``inheritedProperties``.
    public private(set) var properties: [any SchemaProperty]

    /// The class, where it is known.
    var modelType: (any PersistentModel.Type)?

    /// An entity without properties.
    public convenience init(_ name: String) { self.init(name, properties: []) }

    /// An entity with properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, properties: properties)
    }

    /// An entity with properties, and others that inherit from it.
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

    /// The attributes that the class declares itself, by name.
    public var attributesByName: [String: Attribute] {
      Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first }
    }
    /// The relationships that the class declares itself, by name.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first }
    }
    /// The properties that lie in the store: all but `.ephemeral` ones, in the order of declaration.
    public var storedProperties: [any SchemaProperty] { properties.filter { !$0.isTransient } }
    /// The properties that lie in the store, by name.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first }
    }
    /// The properties of all classes above this one, the topmost first.
    public var inheritedProperties: [any SchemaProperty] {
      superentity.map { $0.inheritedProperties + $0.properties } ?? []
    }
    /// The properties of all classes above this one, by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }) { _, last in last }
    }
  }
}

extension Schema.Entity: Hashable {
  /// Whether both have equal names, superentities, properties, constraints and indexes.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || (left.name == right.name && left.superentityName == right.superentityName
        && left.attributes == right.attributes && left.relationships == right.relationships
        && left.uniquenessConstraints == right.uniquenessConstraints && left.indices == right.indices)
  }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
