import Foundation
import RecordStore

extension Schema {
  /// A stored value of an entity.
  ///
  /// ```swift
  /// let code: Schema.Attribute? = entity.attributesByName["code"]
  /// let keepsCode = code?.options.contains(.preserveValueOnDeletion) ?? false
  /// ```
  public class Attribute: SchemaProperty {
    /// The property's name.
    public var name: String
    /// The name in earlier versions of the schema; empty if it never changed.
    public var originalName: String
    /// The attribute's properties beyond its type.
    public var options: [Option]
    /// The type of the property, `Optional` included.
    public var valueType: any Any.Type
    /// Whether the property may be nil.
    public var isOptional: Bool
    /// The value of a new object; nil without a default.
    public var defaultValue: Any?
    /// Kept for sources written for SwiftData; without effect here.
    public var hashModifier: String?

    /// The options of a property, as `@Attribute` names them; name and type come from the property.
    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Never.self, hashModifier: hashModifier)
    }

    /// An attribute with all its parts.
    public required init(
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

    private enum Key: String, CodingKey {
      case name, originalName, options, type, isOptional, defaultValue, hashModifier
    }

    /// As written. The default is there where the process has the attribute's type.
    ///
    /// - Throws: `DecodingError`.
    public required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = try values.decode(TypeName.self, forKey: .type).type
      isOptional = try values.decode(Bool.self, forKey: .isOptional)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      let stored = try values.decodeIfPresent(FieldValue.self, forKey: .defaultValue)
      defaultValue = stored.flatMap { AttributeCodec(valueType: valueType, forcesCodable: isCodable)?.decode($0) }
    }

    /// Writes the attribute. A default with a transformer is left out.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(TypeName(valueType), forKey: .type)
      try values.encode(isOptional, forKey: .isOptional)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
      guard let defaultValue, !isTransformable,
        let stored = AttributeCodec(valueType: valueType, forcesCodable: isCodable)?.encode(defaultValue)
      else { return }
      try values.encode(stored, forKey: .defaultValue)
    }

    /// True.
    public var isAttribute: Bool { true }
    /// False.
    public var isRelationship: Bool { false }
    /// Whether the property is left out of the store, by `.ephemeral`.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether at most one object has a value, by `.unique` of either policy.
    public var isUnique: Bool { options.contains { $0 == .unique || $0 == .unique(.throw) } }
    /// Whether a transformer makes the stored bytes.
    public var isTransformable: Bool { transformer != nil }
    /// Whether the encoded value is stored although the type has a form of its own.
    public var isCodable: Bool { options.contains(.codable) }

    /// Whether both have equal names, options and types. Defaults do not count.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType && left.hashModifier == right.hashModifier
    }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Attribute {
  /// A property of an attribute beyond its type.
  public struct Option: Hashable, Sendable {
    enum Value: Hashable {
      case unique, externalStorage, ephemeral, spotlight, allowsCloudEncryption, preserveValueOnDeletion, codable,
        uniqueOrThrow
      case transformable(TransformerName)
    }
    let value: Value

    /// At most one object has the value; inserting a second one changes the first instead.
    public static let unique = Option(value: .unique)
    /// At most one object has the value; inserting a second one does what `policy` says, as this process saves. Objects
    /// that two devices made apart become one in a merge under both policies.
    public static func unique(_ policy: ModelConfiguration.Uniqueness) -> Option {
      policy == .upsert ? .unique : Option(value: .uniqueOrThrow)
    }
    /// A hint that a `Data` value is large.
    public static let externalStorage = Option(value: .externalStorage)
    /// Not stored: a fetched object has the property's default. Unlike a ``Transient()`` one, the property is part of
    /// the schema, and setting it counts as a change.
    public static let ephemeral = Option(value: .ephemeral)
    /// Without effect here.
    public static let spotlight = Option(value: .spotlight)
    /// Without effect here.
    public static let allowsCloudEncryption = Option(value: .allowsCloudEncryption)
    /// History keeps the value when the object is deleted.
    public static let preserveValueOnDeletion = Option(value: .preserveValueOnDeletion)
    /// Stored as the encoded value even where the type has a form of its own.
    public static let codable = Option(value: .codable)

    /// As ``transformable(by:)-(ValueTransformer.Type)``, by the name that the transformer was registered with.
    public static func transformable(by transformerName: String) -> Option {
      Option(value: .transformable(TransformerName(name: transformerName, type: nil)))
    }

    var transformer: TransformerName? {
      if case .transformable(let name) = value { return name }
      return nil
    }
  }

  /// Which transformer an attribute uses. Equal by name, as the schema of another launch is.
  struct TransformerName: Hashable, Sendable {
    let name: String
    let type: ValueTransformer.Type?

    /// Nil if there is none of the name.
    var transformer: ValueTransformer? {
      type.map { $0.init() } ?? ValueTransformer.transformer(forName: NSValueTransformerName(name))
    }

    static func == (left: TransformerName, right: TransformerName) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  var transformer: TransformerName? { options.lazy.compactMap(\.transformer).first }
}
