extension Schema {
  /// An attribute whose value has members: a `Codable` structure, stored as one field.
  ///
  /// ```swift
  /// let place = Schema.CompositeAttribute(name: "place", valueType: Place.self)
  /// let city: Schema.Attribute? = place.properties.first { $0.name == "city" }
  /// let schema = Schema(Schema.Entity("Halt", properties: Schema.Attribute(name: "day", valueType: Date.self), place))
  /// ```
  public final class CompositeAttribute: Attribute {
    private var given: [Attribute]?

    /// The members, as the type's `init(from:)` asks for them: each call runs it on empty values, up to a member that
    /// insists on more.
    public var properties: [Attribute] {
      get { given ?? Self.members(of: plainType) }
      set { given = newValue }
    }

    private var plainType: any Any.Type { (valueType as? any OptionalType.Type)?.wrappedType ?? valueType }

    private static func members(of type: any Any.Type) -> [Attribute] {
      guard let type = type as? any Decodable.Type else { return [] }
      return BlankDecoder.members(of: type).map { member in
        let attribute = Attribute(name: member.name, valueType: member.isOptional ? optional(member.type) : member.type)
        attribute.isOptional = member.isOptional || attribute.isOptional
        return attribute
      }
    }

    private static func optional(_ type: any Any.Type) -> any Any.Type {
      func opened<Wrapped>(_ type: Wrapped.Type) -> any Any.Type { Wrapped?.self }
      return _openExistential(type, do: opened)
    }

    /// Whether a type's values may have members that way.
    static func isComposite(_ type: any Any.Type) -> Bool {
      let plain = (type as? any OptionalType.Type)?.wrappedType ?? type
      return plain is any Codable.Type && !(plain is any PrimitiveAttribute.Type) && !(plain is any Collection.Type)
        && !(plain is any RawRepresentable.Type)
    }
  }
}
