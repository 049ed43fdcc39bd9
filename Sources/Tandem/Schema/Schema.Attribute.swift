extension Schema {
  /// A stored value of an entity.
  public class Attribute: SchemaProperty {
    public var name: String
    public var originalName: String
    public var options: [Option]
    public var valueType: any Any.Type
    public var isOptional: Bool
    public var defaultValue: Any?
    /// Kept for sources written for SwiftData; without effect here.
    public var hashModifier: String?

    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Never.self, hashModifier: hashModifier)
    }

    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = valueType
      isOptional = valueType is any OptionalType.Type
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
    }

    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { options.contains(.ephemeral) }
    public var isUnique: Bool { options.contains(.unique) }
    public var isTransformable: Bool { options.contains { $0.transformerName != nil } }
    public var isCodable: Bool { options.contains(.codable) }

    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Attribute {
  public struct Option: Hashable, Sendable {
    private enum Value: Hashable {
      case unique, externalStorage, ephemeral, spotlight, allowsCloudEncryption, preserveValueOnDeletion, codable
      case transformable(String)
    }
    private let value: Value

    /// At most one object has the value; inserting a second one changes the first instead.
    public static let unique = Option(value: .unique)
    /// A hint that a `Data` value is large.
    public static let externalStorage = Option(value: .externalStorage)
    /// Not stored.
    public static let ephemeral = Option(value: .ephemeral)
    /// Without effect here.
    public static let spotlight = Option(value: .spotlight)
    /// Without effect here.
    public static let allowsCloudEncryption = Option(value: .allowsCloudEncryption)
    /// History keeps the value when the object is deleted.
    public static let preserveValueOnDeletion = Option(value: .preserveValueOnDeletion)
    /// Stored as the encoded value even where the type has a form of its own.
    public static let codable = Option(value: .codable)
    /// Not supported: a schema with it does not open. Conform the type to `Codable` instead.
    public static func transformable(by transformerName: String) -> Option {
      Option(value: .transformable(transformerName))
    }

    package var transformerName: String? {
      if case .transformable(let name) = value { return name }
      return nil
    }
  }
}
