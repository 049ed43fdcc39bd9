extension Schema {
  /// Properties that move together: a merge takes all of them from one device.
  public final class Group<T: PersistentModel> {
    /// The properties of the group.
    public let properties: [PartialKeyPath<T>]
    /// A group, as `#Group` declares it.
    public init(_ properties: PartialKeyPath<T>...) { self.properties = properties }
  }
}
