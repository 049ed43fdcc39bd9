extension Schema {
  /// A link from one entity to another, or to itself.
  public final class Relationship: SchemaProperty {
    public var name: String
    public var originalName: String
    public var options: [Option]
    public var valueType: any Any.Type
    /// The entity on the other side.
    public var destination: String
    /// The property of the other side that says the same.
    public var inverseName: String?
    public var inverseKeyPath: AnyKeyPath?
    public var keypath: AnyKeyPath?
    /// What becomes of the other side when an object of this one is deleted.
    public var deleteRule: DeleteRule
    public var minimumModelCount: Int?
    public var maximumModelCount: Int?
    public var hashModifier: String?

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

    public var isAttribute: Bool { false }
    public var isRelationship: Bool { true }
    public var isTransient: Bool { false }
    public var isOptional: Bool { valueType is any OptionalType.Type }
    public var isUnique: Bool { options.contains(.unique) }
    public var isToOneRelationship: Bool { !(valueType is any RelationshipCollection.Type) }

    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.destination == right.destination && left.inverseName == right.inverseName
        && left.deleteRule == right.deleteRule && left.valueType == right.valueType
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Relationship {
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

  public struct Option: Hashable, Sendable {
    private enum Value: Hashable { case unique }
    private let value: Value
    /// At most one object refers to the same object.
    public static let unique = Option(value: .unique)
  }
}
