extension Schema {
  /// Properties that, alone or together, name at most one object.
  public final class Unique<T: PersistentModel> {
    public let constraints: [[PartialKeyPath<T>]]
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
  }
}
