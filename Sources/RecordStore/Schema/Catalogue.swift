/// A store's knowledge of its own contents: every entity and field it has ever held, numbered.
///
/// Numbers are given once and never reused or reordered, so records, indexes and history written
/// earlier stay readable. Two stores number differently; between devices entities and fields are
/// matched by name. Entities and fields that arrive by sync from a newer schema are entered too,
/// with `isDeclared` false, so their values are kept and appear once the schema declares them.
public struct Catalogue: Hashable, Codable, Sendable {
  /// Rises with every change of the catalogue.
  public var generation: UInt64
  /// The version of the schema that the store was last brought up to.
  public var schemaVersion: SchemaVersion
  /// The element at index n has number n.
  public var entities: [CatalogueEntity]
  /// The number of the next index; numbers of dropped indexes are not given again.
  public var nextIndexNumber: Int
  /// Set by an app's own migration stage: an older schema does not know what the values mean since then.
  public var leastVersion: SchemaVersion?
  /// Whether records of this store may refer to values that lie beside it. Earlier builds do not know such values:
  /// the format of the catalogue's table says so to them, and no catalogue that travels does.
  package var hasExternalValues = false

  private enum CodingKeys: String, CodingKey {
    case generation, schemaVersion, entities, nextIndexNumber, leastVersion
  }

  /// Creates a catalogue from its parts.
  public init(
    generation: UInt64 = 0, schemaVersion: SchemaVersion = SchemaVersion(1, 0, 0), entities: [CatalogueEntity] = [],
    nextIndexNumber: Int = 0, leastVersion: SchemaVersion? = nil
  ) {
    self.leastVersion = leastVersion
    self.generation = generation
    self.schemaVersion = schemaVersion
    self.entities = entities
    self.nextIndexNumber = nextIndexNumber
  }

  /// The entity of a name; nil without one. Costs a walk over the entities.
  public func entity(named name: String) -> CatalogueEntity? { entities.first { $0.name == name } }
}

/// An entity as a store knows it.
public struct CatalogueEntity: Hashable, Codable, Sendable {
  /// The entity's place in ``Catalogue/entities``.
  public var number: EntityNumber
  /// The name, by which devices match entities.
  public var name: String
  /// Names it had before, newest last.
  public var previousNames: [String]
  /// The name of the entity that this one inherits from; nil without one.
  public var superentity: String?
  /// False once the schema no longer has it, or where it is known from another device only.
  public var isDeclared: Bool
  /// A join entity that the store made itself for a many-to-many relationship.
  public var isJoin: Bool
  /// The element at index n has ordinal n. Attributes and stored to-one references alike.
  public var fields: [CatalogueField]
  /// The relationships, as they are declared.
  public var relationships: [CatalogueRelationship]
  /// The indexes, with those of uniqueness constraints.
  public var indexes: [CatalogueIndex]
  /// Ordinals that move together as one register.
  public var fieldGroups: [[Int]]
  /// Whether any delete wins over any later edit.
  public var deleteIsFinal: Bool

  /// Creates an entity from its parts.
  public init(
    number: EntityNumber, name: String, previousNames: [String] = [], superentity: String? = nil,
    isDeclared: Bool = true, isJoin: Bool = false, fields: [CatalogueField] = [],
    relationships: [CatalogueRelationship] = [], indexes: [CatalogueIndex] = [],
    fieldGroups: [[Int]] = [], deleteIsFinal: Bool = false
  ) {
    self.number = number
    self.name = name
    self.previousNames = previousNames
    self.superentity = superentity
    self.isDeclared = isDeclared
    self.isJoin = isJoin
    self.fields = fields
    self.relationships = relationships
    self.indexes = indexes
    self.fieldGroups = fieldGroups
    self.deleteIsFinal = deleteIsFinal
  }

  /// The field of a name; nil without one. Costs a walk over the fields.
  public func field(named name: String) -> CatalogueField? { fields.first { $0.name == name } }
  /// The relationship of a name; nil without one. Costs a walk over the relationships.
  public func relationship(named name: String) -> CatalogueRelationship? { relationships.first { $0.name == name } }
}

/// A field as a store knows it.
public struct CatalogueField: Hashable, Codable, Sendable {
  /// The field's place in ``CatalogueEntity/fields``.
  public var ordinal: Int
  /// The name, by which devices match fields.
  public var name: String
  /// Names it had before, newest last.
  public var previousNames: [String]
  /// The type of the values.
  public var type: FieldType
  /// Whether the value may be null.
  public var isOptional: Bool
  /// False once the schema no longer has it, or where it is known from another device only.
  public var isDeclared: Bool
  /// The value of records that were never given one; nil: null, or the type's zero.
  public var defaultValue: FieldValue?
  /// Whether history keeps the value when a record is deleted.
  public var preservesValueOnDeletion: Bool
  /// A hint that the values are large; without effect.
  public var isStoredExternally: Bool
  /// For references: the entity that the reference names.
  public var destination: String?
  /// See ``AttributeDefinition/isSparse``.
  public var isSparse: Bool {
    get { sparse ?? false }
    set { sparse = newValue ? true : nil }
  }
  // Optional, because descriptions from before it do not have it.
  private var sparse: Bool?

  /// Creates a field from its parts.
  public init(
    ordinal: Int, name: String, previousNames: [String] = [], type: FieldType, isOptional: Bool,
    isDeclared: Bool = true, defaultValue: FieldValue? = nil, preservesValueOnDeletion: Bool = false,
    isStoredExternally: Bool = false, destination: String? = nil, isSparse: Bool = false
  ) {
    self.ordinal = ordinal
    self.name = name
    self.previousNames = previousNames
    self.type = type
    self.isOptional = isOptional
    self.isDeclared = isDeclared
    self.defaultValue = defaultValue
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.isStoredExternally = isStoredExternally
    self.destination = destination
    self.isSparse = isSparse
  }
}

/// A relationship as declared, and where its links are stored.
public struct CatalogueRelationship: Hashable, Codable, Sendable {
  /// Where the links of a relationship lie.
  public enum Storage: Hashable, Codable, Sendable {
    /// A reference field of this entity (to-one side).
    case reference(ordinal: Int)
    /// The index over a reference field of `entity` (to-many side, or the other side of a one-to-one).
    case inverse(entity: EntityNumber, ordinal: Int)
    /// Records of a join entity; `near` names this side, `far` the other (many-to-many).
    case join(entity: EntityNumber, near: Int, far: Int)
  }
  /// The relationship's name.
  public var name: String
  /// The name of the entity on the other side.
  public var destination: String
  /// Whether it leads to any number of records.
  public var isToMany: Bool
  /// Whether a to-one may be without a target.
  public var isOptional: Bool
  /// The effect on the destination when a record of this entity is deleted.
  public var deleteRule: DeleteRule
  /// The name of the other side on ``destination``; nil without one.
  public var inverse: String?
  /// The least number of linked records.
  public var minimumCount: Int
  /// The greatest number of linked records; 0: no limit.
  public var maximumCount: Int
  /// Where the links lie.
  public var storage: Storage

  /// Creates a relationship from its parts.
  public init(
    name: String, destination: String, isToMany: Bool, isOptional: Bool, deleteRule: DeleteRule,
    inverse: String?, minimumCount: Int = 0, maximumCount: Int = 0, storage: Storage
  ) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.inverse = inverse
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.storage = storage
  }
}

/// An index: its own B-tree, named after its number, which is never reused within the store.
public struct CatalogueIndex: Hashable, Codable, Sendable {
  /// A field of an index.
  public struct Component: Hashable, Codable, Sendable {
    /// The field's ordinal.
    public var ordinal: Int
    /// Whether the greatest value comes first.
    public var isDescending: Bool
    /// See ``IndexDefinition/Component/isForPeople``.
    public var isForPeople: Bool {
      get { forPeople ?? false }
      set { forPeople = newValue ? true : nil }
    }
    // Optional, as catalogues of earlier builds do not say it.
    private var forPeople: Bool?
    /// Creates a component from its parts.
    public init(ordinal: Int, isDescending: Bool = false, isForPeople: Bool = false) {
      self.ordinal = ordinal
      self.isDescending = isDescending
      self.isForPeople = isForPeople
    }
  }
  /// The index's number, which names its tree.
  public var number: Int
  /// Whether values are unique together.
  public var isUnique: Bool
  /// The fields, the first one first.
  public var components: [Component]
  /// Whether its entries stand in the one tree of its entity, so that a save writes one root for all indexes. Those
  /// that earlier builds made have a tree each.
  package var sharesTree: Bool {
    get { shared ?? false }
    set { shared = newValue ? true : nil }
  }
  /// Optional, as catalogues of earlier builds do not say it.
  private var shared: Bool?

  /// Creates an index from its parts.
  public init(number: Int, isUnique: Bool, components: [Component]) {
    self.number = number
    self.isUnique = isUnique
    self.components = components
  }
}
