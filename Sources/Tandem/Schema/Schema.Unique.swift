extension Schema {
  /// Properties that, alone or together, name at most one object.
  ///
  /// ```swift
  /// let unique = Schema.Unique<Trip>([\.code], [\.name, \.start])
  /// let index = Schema.Index<Trip>(.binary([\.start]), .binary([\.destination, \.nights]))
  /// let group = Schema.Group<Trip>(\.start, \.nights)
  /// ```
  public final class Unique<T: PersistentModel> {
    /// Lists of properties, each unique together.
    public let constraints: [[PartialKeyPath<T>]]
    /// Constraints, as `#Unique` declares them.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
  }
}
