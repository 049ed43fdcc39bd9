import Foundation
import LMDB

/// The identity of a store, inside a write transaction: header, noted place, former ids.
struct IdentityTable {
  let layout: StoreLayout
  let path: String

  init(_ layout: StoreLayout, path: String) {
    self.layout = layout
    self.path = path
  }

  func header(in transaction: borrowing WriteTransaction) throws -> StoreHeader {
    try MetaTable(transaction.view, layout.databases.meta, path: path).header()
  }

  func notedPlace(in transaction: borrowing WriteTransaction) throws -> NotedPlace? {
    guard let bytes = try transaction.view.get(layout.databases.meta, key: NotedPlace.key) else { return nil }
    return try NotedPlace(decoding: bytes)
  }

  func ownSequence(in transaction: borrowing WriteTransaction) throws -> UInt64 {
    let meta = MetaTable(transaction.view, layout.databases.meta, path: path)
    return try meta.state().versionVector.sequence(of: meta.header().replica)
  }

  func put(_ header: StoreHeader, in transaction: borrowing WriteTransaction) throws {
    try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
  }

  func put(_ noted: NotedPlace, in transaction: borrowing WriteTransaction) throws {
    try transaction.put(layout.databases.meta, key: NotedPlace.key, value: noted.encoded())
  }

  /// Draws a new replica id; what was written under the old one still has to reach others under that. The identity
  /// file goes on to name an incarnation of before, which is known from now on.
  func renew(
    _ former: StoreHeader, because reason: FormerReplica.Reason, at place: StorePlace?, file: IdentityFile?,
    seed: UInt64? = nil, in transaction: borrowing WriteTransaction
  ) throws -> StoreHeader {
    let header = former.withNewReplica(seed: seed)
    try put(header, in: transaction)
    // An in-memory store has no place.
    if let place {
      let replaced = file.flatMap { $0.place == place ? $0.incarnation : nil } ?? former.incarnation
      try put(NotedPlace(place: place, replaced: replaced), in: transaction)
    }
    let note = FormerReplica(replica: former.replica, reason: reason)
    try transaction.put(layout.databases.attachments, key: note.key, value: note.value)
    return header
  }
}
