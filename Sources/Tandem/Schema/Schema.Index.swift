extension Schema {
  /// Indexes over one or more properties each.
  public final class Index<T: PersistentModel> {
    public enum Types<P> {
      case binary([PartialKeyPath<P>])
      /// Kept as a binary index: numbers are found by range, not by distance.
      case rtree([PartialKeyPath<P>])
    }
    public let indices: [Types<T>]

    public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }
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
