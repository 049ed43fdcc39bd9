import LMDB

/// The greatest stamp that a store knew when it last went back to an older version of its schema.
///
/// The links that the later version had brought stay in their place, unseen. When the store goes forth again, those
/// from before this moment are no news of a device that migrated earlier: see ``LinkMoves``. The attachment
/// `migration.back` holds the stamp (18 bytes).
struct WayBack {
  private static let key = Array("migration.back".utf8)

  let stamp: Stamp

  init(_ stamp: Stamp) { self.stamp = stamp }

  /// Nil for a store that never went back.
  init?(_ snapshot: borrowing StoreSnapshot) throws {
    guard let bytes = try snapshot.attachment(Self.key) else { return nil }
    guard bytes.count == Stamp.byteCount else {
      throw StoreError(.damaged, "the mark of a way back is damaged: restore the store from a copy or by sync")
    }
    stamp = bytes.withRawBytes { Stamp(encoded: $0, at: 0) }
  }

  func write(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    let value = [UInt8](byteCount: Stamp.byteCount) { $0.write(stamp) }
    try transaction.put(layout.databases.attachments, key: Self.key, value: value)
  }
}
