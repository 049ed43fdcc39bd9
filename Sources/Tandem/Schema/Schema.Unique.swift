extension Schema {
  /// Properties that, alone or together, name at most one object.
  public final class Unique<T: PersistentModel> {
    /// Lists of properties, each unique together.
    public let constraints: [[PartialKeyPath<T>]]
    /// Constraints, as `#Unique` declares them.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
  }
}
