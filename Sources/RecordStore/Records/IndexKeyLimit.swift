import LMDB

/// How long the keys of an index may be.
package struct IndexKeyLimit: Hashable, Sendable {
  /// What a key in a tree of its own has.
  package static let ownTree = IndexKeyLimit(keyByteCount: 511)
  /// What a key has that shares its tree: less the two bytes of its section.
  package static let sharedTree = IndexKeyLimit(keyByteCount: 509)

  package let keyByteCount: Int
  /// What is left for the components beside a record id.
  package var componentByteCount: Int { keyByteCount - RecordID.byteCount }
  /// The bytes of a cut key that are as they were.
  package var exactByteCount: Int { componentByteCount - 16 }
}

extension CatalogueIndex {
  package var keyLimit: IndexKeyLimit { sharesTree ? .sharedTree : .ownTree }
}
