extension Schema {
  /// The facts that ``Model()`` knows of one stored property.
  ///
  /// ```swift
  /// let properties: [Schema.PropertyMetadata] = Trip.schemaMetadata
  /// let withOptions = properties.filter { $0.metadata != nil }.map(\.name)
  /// ```
  public struct PropertyMetadata {
    /// The property's name.
    public let name: String
    /// The property's key path.
    public let keypath: AnyKeyPath
    /// Makes the value of a new object; nil without a default.
    let makeDefault: (() -> Any?)?
    /// The declaration of `@Attribute` or `@Relationship`; nil without either.
    public let metadata: (any SchemaProperty)?

    /// Part of the expansion of ``Model()``.
    public init(name: String, keypath: AnyKeyPath, metadata: (any SchemaProperty)? = nil) {
      self.name = name
      self.keypath = keypath
      makeDefault = nil
      self.metadata = metadata
    }

    /// Part of the expansion of ``Model()``, for a property with a default, which is evaluated each time that a new
    /// record needs it.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: @escaping @autoclosure () -> Any?,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      makeDefault = defaultValue
      self.metadata = metadata
    }

    /// The value of a new object, evaluated now; nil without a default.
    public var defaultValue: Any? { makeDefault?() }
  }
}
