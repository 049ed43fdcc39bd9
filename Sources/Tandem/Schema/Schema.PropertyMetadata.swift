extension Schema {
  /// What ``Model()`` knows of one stored property.
  public struct PropertyMetadata {
    /// The property's name.
    public let name: String
    /// The property's key path.
    public let keypath: AnyKeyPath
    /// What a new object has as its value; nil without a default.
    public let defaultValue: Any?
    /// What `@Attribute` or `@Relationship` says; nil without either.
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
