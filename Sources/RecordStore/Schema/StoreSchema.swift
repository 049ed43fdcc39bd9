/// A schema as data: what an app declares, without any of its classes.
public struct StoreSchema: Hashable, Codable, Sendable {
  public var version: SchemaVersion
  public var entities: [EntityDefinition]
  public init(version: SchemaVersion = SchemaVersion(1, 0, 0), entities: [EntityDefinition]) {
    self.version = version
    self.entities = entities
  }
}

public struct SchemaVersion: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  public var major: Int
  public var minor: Int
  public var patch: Int
  public init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }
  public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
  public var description: String { "\(major).\(minor).\(patch)" }
}

public struct EntityDefinition: Hashable, Codable, Sendable {
  public var name: String
  /// The name in earlier schema versions, if it was renamed.
  public var originalName: String?
  /// The entity this one inherits from.
  public var superentity: String?
  public var attributes: [AttributeDefinition]
  public var relationships: [RelationshipDefinition]
  /// Each a list of attribute or to-one relationship names whose values together are unique.
  public var uniquenessConstraints: [[String]]
  public var indexes: [IndexDefinition]
  /// Attributes that move together as one register.
  public var fieldGroups: [[String]]
  /// Any delete wins over any later edit.
  public var deleteIsFinal: Bool

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

public struct AttributeDefinition: Hashable, Codable, Sendable {
  public var name: String
  public var originalName: String?
  public var type: FieldType
  public var isOptional: Bool
  /// The value of records that never got one; encoded with the schema. Nil: null, or the type's zero where null
  /// is not allowed.
  public var defaultValue: FieldValue?
  public var preservesValueOnDeletion: Bool
  public var isStoredExternally: Bool
  /// Whether a new record that is given no value is written none, and so reads as one from before the field was there:
  /// the default. For fields that concern few of the records.
  public var isSparse: Bool {
    get { sparse ?? false }
    set { sparse = newValue ? true : nil }
  }
  // Optional, because descriptions from before it do not have it.
  private var sparse: Bool?

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

public enum DeleteRule: String, Hashable, Codable, Sendable {
  case noAction, nullify, cascade, deny
}

/// One side of a relationship. `deleteRule` says what becomes of the destination when a record of this entity is
/// deleted.
public struct RelationshipDefinition: Hashable, Codable, Sendable {
  public var name: String
  public var originalName: String?
  public var destination: String
  public var isToMany: Bool
  public var isOptional: Bool
  public var deleteRule: DeleteRule
  /// The name of the other side on `destination`, where there is one.
  public var inverse: String?
  public var minimumCount: Int
  /// 0: no limit.
  public var maximumCount: Int
  /// Of a stored to-one, as ``AttributeDefinition/isSparse``.
  public var isSparse: Bool {
    get { sparse ?? false }
    set { sparse = newValue ? true : nil }
  }
  // Optional, because descriptions from before it do not have it.
  private var sparse: Bool?

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
  public struct Component: Hashable, Codable, Sendable {
    public var field: String
    public var isDescending: Bool
    /// Of a text: whether entries stand as people expect, numbers by their value, case and accents second. Such an
    /// index serves that order, equality and beginnings of texts, but neither greater and less nor Swift's own order.
    public var isForPeople: Bool {
      get { forPeople ?? false }
      set { forPeople = newValue ? true : nil }
    }
    // Optional, because descriptions from before it do not have it.
    private var forPeople: Bool?
    public init(_ field: String, isDescending: Bool = false, isForPeople: Bool = false) {
      self.field = field
      self.isDescending = isDescending
      self.isForPeople = isForPeople
    }
  }
  public var components: [Component]
  public init(_ fields: String...) { components = fields.map { Component($0) } }
  public init(components: [Component]) { self.components = components }
}
