extension Schema {
  /// Indexes over one or more properties each.
  public final class Index<T: PersistentModel> {
    /// An index with its kind.
    public enum Types<P> {
      /// An index in the order of the properties' values.
      case binary([PartialKeyPath<P>])
      /// Kept as a binary index: numbers are found by range, not by distance.
      case rtree([PartialKeyPath<P>])
    }
    /// The indexes, with their kinds.
    public let indices: [Types<T>]

    /// Indexes in the order of values, each over one or more properties.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }
    /// Indexes with their kinds.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// The properties of each index.
    public var keyPaths: [[PartialKeyPath<T>]] {
      indices.map {
        switch $0 {
        case .binary(let paths), .rtree(let paths): paths
        }
      }
    }
  }
}
