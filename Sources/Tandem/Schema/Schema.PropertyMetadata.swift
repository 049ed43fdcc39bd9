extension Schema {
  /// The facts that ``Model()`` knows of one stored property.
  public struct PropertyMetadata {
    /// The property's name.
    public let name: String
    /// The property's key path.
    public let keypath: AnyKeyPath
    /// The value of a new object; nil without a default.
    public let defaultValue: Any?
    /// The declaration of `@Attribute` or `@Relationship`; nil without either.
    public let metadata: (any SchemaProperty)?

    /// Part of the expansion of ``Model()``.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}
