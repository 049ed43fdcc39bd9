/// A schema as data: what an app declares, without any of its classes.
public struct StoreSchema: Hashable, Codable, Sendable {
  /// The version, as the schema's author counts.
  public var version: SchemaVersion
  /// The entities that the app declares.
  public var entities: [EntityDefinition]
  /// Creates a schema from its parts. It is checked where a store is opened with it.
  public init(version: SchemaVersion = SchemaVersion(1, 0, 0), entities: [EntityDefinition]) {
    self.version = version
    self.entities = entities
  }
}

/// The version of a schema: three numbers.
public struct SchemaVersion: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The first number.
  public var major: Int
  /// The second number.
  public var minor: Int
  /// The third number.
  public var patch: Int
  /// Creates a version from three numbers.
  public init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }
  /// Whether a version comes before another, number by number.
  public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
  /// The three numbers, separated by full stops.
  public var description: String { "\(major).\(minor).\(patch)" }
}

/// An entity as an app declares it.
public struct EntityDefinition: Hashable, Codable, Sendable, Renamable {
  /// The name, by which devices match entities.
  public var name: String
  /// The name in earlier schema versions, if it was renamed.
  public var originalName: String?
  /// Names before the original one, oldest first. Optional, because descriptions from before do not have it.
  package var earlierNames: [String]?
  /// The entity this one inherits from.
  public var superentity: String?
  /// The attributes that the entity declares itself.
  public var attributes: [AttributeDefinition]
  /// The relationships that the entity declares itself.
  public var relationships: [RelationshipDefinition]
  /// Each a list of attribute or to-one relationship names whose values together are unique.
  public var uniquenessConstraints: [[String]]
  /// The indexes that are not unique.
  public var indexes: [IndexDefinition]
  /// Attributes that move together as one register.
  public var fieldGroups: [[String]]
  /// Any delete wins over any later edit.
  public var deleteIsFinal: Bool

  /// Creates an entity from its parts.
  public init(
    name: String, originalName: String? = nil, superentity: String? = nil,
    attributes: [AttributeDefinition] = [], relationships: [RelationshipDefinition] = [],
    uniquenessConstraints: [[String]] = [], indexes: [IndexDefinition] = [],
    fieldGroups: [[String]] = [], deleteIsFinal: Bool = false
  ) {
    self.name = name
    self.originalName = originalName
    self.superentity = superentity
    self.attributes = attributes
    self.relationships = relationships
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.fieldGroups = fieldGroups
    self.deleteIsFinal = deleteIsFinal
  }
}

/// An attribute as an app declares it.
public struct AttributeDefinition: Hashable, Codable, Sendable, Renamable {
  /// The name, by which devices match attributes.
  public var name: String
  /// The name in earlier schema versions, if it was renamed.
  public var originalName: String?
  /// Names before the original one, oldest first. Optional, because descriptions from before do not have it.
  package var earlierNames: [String]?
  /// The type of the values.
  public var type: FieldType
  /// Whether the value may be null.
  public var isOptional: Bool
  /// The value of records that never got one; encoded with the schema. Nil: null, or the type's zero where null
  /// is not allowed.
  public var defaultValue: FieldValue?
  /// Whether history keeps the value when a record is deleted.
  public var preservesValueOnDeletion: Bool
  /// A hint that the values are large; without effect.
  public var isStoredExternally: Bool
  /// Whether a new record that is given no value is written none, and so reads as one from before the field was there:
  /// the default. For fields that concern few of the records.
  public var isSparse: Bool {
    get { sparse ?? false }
    set { sparse = newValue ? true : nil }
  }
  // Optional, because descriptions from before it do not have it.
  private var sparse: Bool?

  /// Creates an attribute from its parts.
  public init(
    name: String, originalName: String? = nil, type: FieldType, isOptional: Bool = false,
    defaultValue: FieldValue? = nil, preservesValueOnDeletion: Bool = false, isStoredExternally: Bool = false,
    isSparse: Bool = false
  ) {
    self.name = name
    self.originalName = originalName
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.isStoredExternally = isStoredExternally
    self.isSparse = isSparse
  }
}

/// The effect on the destination when a record is deleted.
public enum DeleteRule: String, Hashable, Codable, Sendable {
  /// The destination keeps a reference that reads as null, loses the reference, is deleted too, or forbids the delete.
  case noAction, nullify, cascade, deny
}

/// One side of a relationship. `deleteRule` says what becomes of the destination when a record of this entity is
/// deleted.
public struct RelationshipDefinition: Hashable, Codable, Sendable, Renamable {
  /// The name of this side.
  public var name: String
  /// The name in earlier schema versions, if it was renamed.
  public var originalName: String?
  /// Names before the original one, oldest first. Optional, because descriptions from before do not have it.
  package var earlierNames: [String]?
  /// The name of the entity on the other side.
  public var destination: String
  /// Whether it leads to any number of records.
  public var isToMany: Bool
  /// Whether a to-one may be without a target.
  public var isOptional: Bool
  /// The effect on the destination when a record of this entity is deleted.
  public var deleteRule: DeleteRule
  /// The name of the other side on `destination`, where there is one.
  public var inverse: String?
  /// The least number of linked records.
  public var minimumCount: Int
  /// 0: no limit.
  public var maximumCount: Int
  /// Whether a stored to-one is sparse, as ``AttributeDefinition/isSparse``.
  public var isSparse: Bool {
    get { sparse ?? false }
    set { sparse = newValue ? true : nil }
  }
  // Optional, because descriptions from before it do not have it.
  private var sparse: Bool?

  /// Creates a side from its parts.
  public init(
    name: String, originalName: String? = nil, destination: String, isToMany: Bool = false, isOptional: Bool = true,
    deleteRule: DeleteRule = .nullify, inverse: String? = nil, minimumCount: Int = 0, maximumCount: Int = 0,
    isSparse: Bool = false
  ) {
    self.name = name
    self.originalName = originalName
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.inverse = inverse
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.isSparse = isSparse
  }
}

/// A non-unique index over one or more fields.
public struct IndexDefinition: Hashable, Codable, Sendable {
  /// A field of an index.
  public struct Component: Hashable, Codable, Sendable {
    /// The name of an attribute or of a stored to-one relationship.
    public var field: String
    /// Whether the greatest value comes first.
    public var isDescending: Bool
    /// Whether entries of a text stand as people expect, numbers by their value, case and accents second. Such an
    /// index serves that order, equality and beginnings of texts, but neither greater and less nor Swift's own order.
    public var isForPeople: Bool {
      get { forPeople ?? false }
      set { forPeople = newValue ? true : nil }
    }
    // Optional, because descriptions from before it do not have it.
    private var forPeople: Bool?
    /// Creates a component from its parts.
    public init(_ field: String, isDescending: Bool = false, isForPeople: Bool = false) {
      self.field = field
      self.isDescending = isDescending
      self.isForPeople = isForPeople
    }
  }
  /// The fields, the first one first.
  public var components: [Component]
  /// An index over fields in rising order.
  public init(_ fields: String...) { components = fields.map { Component($0) } }
  /// An index of its components.
  public init(components: [Component]) { self.components = components }
}
