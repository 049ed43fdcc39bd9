extension Schema {
  /// What ``Model()`` knows of one stored property.
  public struct PropertyMetadata {
    public let name: String
    public let keypath: AnyKeyPath
    public let defaultValue: Any?
    /// What `@Attribute` or `@Relationship` says; nil without either.
    public let metadata: (any SchemaProperty)?

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
