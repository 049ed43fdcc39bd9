import LMDB

/// How long the keys of an index may be.
package struct IndexKeyLimit: Hashable, Sendable {
  /// The limit of a key in a tree of its own.
  package static let ownTree = IndexKeyLimit(keyByteCount: 511)
  /// The limit of a key that shares its tree: less the two bytes of its section.
  package static let sharedTree = IndexKeyLimit(keyByteCount: 509)

  package let keyByteCount: Int
  /// The bytes that are left for the components beside a record id.
  package var componentByteCount: Int { keyByteCount - RecordID.byteCount }
  /// The bytes of a cut key that are as they were.
  package var exactByteCount: Int { componentByteCount - 16 }
}

extension CatalogueIndex {
  package var keyLimit: IndexKeyLimit { sharesTree ? .sharedTree : .ownTree }
}
