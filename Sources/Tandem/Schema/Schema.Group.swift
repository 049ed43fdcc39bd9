extension Schema {
  /// Properties that move together: a merge takes all of them from one device.
  public final class Group<T: PersistentModel> {
    public let properties: [PartialKeyPath<T>]
    public init(_ properties: PartialKeyPath<T>...) { self.properties = properties }
  }
}
