// CONTRACT STUB: to be implemented by the owner of Keys; the commit path compiles against it.
package import LMDB

/// The entry of one record in one index.
///
/// Unique and no component null: key bytes -> record id (16 bytes). Otherwise: key bytes + record id
/// (16 bytes, most significant first) -> nothing. At most 490 key bytes without the id.
package enum IndexKey {
  /// Appends the key bytes of one record, without the id, and says whether a component is null.
  /// `value` gives what readers see of an ordinal: the default where absent, null for a dangling reference.
  package static func append(
    _ index: CatalogueIndex, to key: inout [UInt8], value: (Int) -> FieldValue
  ) -> Bool {
    fatalError("stub")
  }

  /// The record that an entry names.
  package static func recordID(key: RawBytes, value: RawBytes) -> RecordID { fatalError("stub") }
}
