public import CLMDB

extension RawBytes {
  /// The order of B-tree keys: byte by byte, and a prefix before what continues it. Below zero if
  /// these bytes come first.
  @inlinable
  public func compare(_ other: RawBytes) -> Int {
    let order = memcmp(start, other.start, min(count, other.count))
    return order != 0 ? Int(order) : count - other.count
  }
}
