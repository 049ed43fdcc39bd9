/// What one store knows about its own contents: every entity and field it has ever held, numbered.
///
/// Numbers are given once and never reused or reordered, so records, indexes and history written
/// earlier stay readable. Two stores number differently; between devices entities and fields are
/// matched by name. Entities and fields that arrive by sync from a newer schema are entered too,
/// with `isDeclared` false, so their values are kept and appear once the schema declares them.
public struct Catalogue: Hashable, Codable, Sendable {
  /// Rises with every change of the catalogue.
  public var generation: UInt64
  public var schemaVersion: SchemaVersion
  /// The element at index n has number n.
  public var entities: [CatalogueEntity]
  /// The number of the next index; numbers of dropped indexes are not given again.
  public var nextIndexNumber: Int
  /// Set by an app's own migration stage: an older schema does not know what the values mean since then.
  public var leastVersion: SchemaVersion?

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

  public func entity(named name: String) -> CatalogueEntity? { entities.first { $0.name == name } }
}

public struct CatalogueEntity: Hashable, Codable, Sendable {
  public var number: EntityNumber
  public var name: String
  /// Names it had before, newest last.
  public var previousNames: [String]
  public var superentity: String?
  /// False once the schema no longer has it, or where it is known from another device only.
  public var isDeclared: Bool
  /// A join entity that the store made itself for a many-to-many relationship.
  public var isJoin: Bool
  /// The element at index n has ordinal n. Attributes and stored to-one references alike.
  public var fields: [CatalogueField]
  public var relationships: [CatalogueRelationship]
  public var indexes: [CatalogueIndex]
  /// Ordinals that move together as one register.
  public var fieldGroups: [[Int]]
  public var deleteIsFinal: Bool

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

  public func field(named name: String) -> CatalogueField? { fields.first { $0.name == name } }
  public func relationship(named name: String) -> CatalogueRelationship? { relationships.first { $0.name == name } }
}

public struct CatalogueField: Hashable, Codable, Sendable {
  public var ordinal: Int
  public var name: String
  public var previousNames: [String]
  public var type: FieldType
  public var isOptional: Bool
  public var isDeclared: Bool
  public var defaultValue: FieldValue?
  public var preservesValueOnDeletion: Bool
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
  public enum Storage: Hashable, Codable, Sendable {
    /// A reference field of this entity (to-one side).
    case reference(ordinal: Int)
    /// The index over a reference field of `entity` (to-many side, or the other side of a one-to-one).
    case inverse(entity: EntityNumber, ordinal: Int)
    /// Records of a join entity; `near` names this side, `far` the other (many-to-many).
    case join(entity: EntityNumber, near: Int, far: Int)
  }
  public var name: String
  public var destination: String
  public var isToMany: Bool
  public var isOptional: Bool
  public var deleteRule: DeleteRule
  public var inverse: String?
  public var minimumCount: Int
  public var maximumCount: Int
  public var storage: Storage

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
  public struct Component: Hashable, Codable, Sendable {
    public var ordinal: Int
    public var isDescending: Bool
    /// See ``IndexDefinition/Component/isForPeople``.
    public var isForPeople: Bool {
      get { forPeople ?? false }
      set { forPeople = newValue ? true : nil }
    }
    // Optional, as catalogues of earlier builds do not say it.
    private var forPeople: Bool?
    public init(ordinal: Int, isDescending: Bool = false, isForPeople: Bool = false) {
      self.ordinal = ordinal
      self.isDescending = isDescending
      self.isForPeople = isForPeople
    }
  }
  public var number: Int
  public var isUnique: Bool
  public var components: [Component]
  /// Whether its entries stand in the one tree of its entity, so that a save writes one root for all indexes. Those
  /// that earlier builds made have a tree each.
  package var sharesTree: Bool {
    get { shared ?? false }
    set { shared = newValue ? true : nil }
  }
  /// Optional, as catalogues of earlier builds do not say it.
  private var shared: Bool?

  public init(number: Int, isUnique: Bool, components: [Component]) {
    self.number = number
    self.isUnique = isUnique
    self.components = components
  }
}
