extension Schema {
  /// A link from one entity to another, or to itself.
  ///
  /// ```swift
  /// let errands: Schema.Relationship? = entity.relationshipsByName["errands"]
  /// let goesAlong = errands?.deleteRule == .cascade && errands?.destination == "Errand"
  /// let hasOrder = errands?.options.contains(Schema.Relationship.Option.ordered) ?? false
  /// ```
  public final class Relationship: SchemaProperty {
    /// The property's name.
    public var name: String
    /// The name in earlier versions of the schema; empty if it never changed.
    public var originalName: String
    /// The relationship's properties beyond its type.
    public var options: [Option]
    /// The type of the property: a model, or an array of models, `Optional` included.
    public var valueType: any Any.Type
    /// The entity on the other side.
    public var destination: String
    /// The property of the other side that says the same.
    public var inverseName: String?
    /// The key path of the other side's property; nil where none was given, and in a schema that was read.
    public var inverseKeyPath: AnyKeyPath?
    /// The property's own key path; nil in a schema that was read or written by hand.
    public var keypath: AnyKeyPath?
    /// The effect on the other side when an object of this one is deleted.
    public var deleteRule: DeleteRule
    /// The least number of related objects, which the save checks; 0 or nil: no limit.
    public var minimumModelCount: Int?
    /// The greatest number of related objects, which the save checks; 0 or nil: no limit.
    public var maximumModelCount: Int?
    /// Kept for sources written for SwiftData; without effect here.
    public var hashModifier: String?

    /// The options of a property, as `@Relationship` names them; name and type come from the property.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Never.self
      destination = ""
      inverseKeyPath = inverse
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
    }

    private enum Key: String, CodingKey {
      case name, originalName, options, type, destination, inverseName, deleteRule, minimumModelCount
      case maximumModelCount, hashModifier
    }

    /// As written, without key paths.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = try values.decode(TypeName.self, forKey: .type).type
      destination = try values.decode(String.self, forKey: .destination)
      inverseName = try values.decodeIfPresent(String.self, forKey: .inverseName)
      deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
      minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Writes the relationship, without key paths.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(TypeName(valueType), forKey: .type)
      try values.encode(destination, forKey: .destination)
      try values.encodeIfPresent(inverseName, forKey: .inverseName)
      try values.encode(deleteRule, forKey: .deleteRule)
      try values.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try values.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }
    /// False: a relationship lies in the store.
    public var isTransient: Bool { false }
    /// Whether the property may be nil.
    public var isOptional: Bool { valueType is any OptionalType.Type }
    /// Whether at most one object refers to the same object, by `.unique`.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether there is at most one related object.
    public var isToOneRelationship: Bool { !(valueType is any RelationshipCollection.Type) }

    /// Whether both have equal names, options, types, rules, bounds and other sides. Key paths do not count.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.destination == right.destination && left.inverseName == right.inverseName
        && left.deleteRule == right.deleteRule && left.valueType == right.valueType
        && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
        && left.hashModifier == right.hashModifier
    }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Relationship {
  /// The effect on the other side when an object is deleted.
  public enum DeleteRule: String, Codable, Sendable {
    /// The other side keeps a reference that reads as nil.
    case noAction
    /// The other side refers to nothing.
    case nullify
    /// The other side is deleted too.
    case cascade
    /// The save throws as long as the other side has objects.
    case deny
  }

  /// A property of a relationship beyond its type.
  public struct Option: Hashable, Codable, Sendable {
    private enum Value: String, Hashable, Codable { case unique, ordered }
    private let value: Value
    /// At most one object refers to the same object.
    public static let unique = Option(value: .unique)
    /// A to-many relationship keeps its objects in the order of the array: also through saves, and merged where two
    /// devices insert and move apart. Each object holds its position, so the relationship needs a to-one on the other
    /// side, or no other side at all. Moving one object writes that object alone.
    public static let ordered = Option(value: .ordered)
  }
}
