import LMDB

/// The marks of one state of a store among all its others: its identity, its newest transaction, and what it has seen.
struct CopyHead: Hashable, Sendable {
  let header: StoreHeader
  let lastNumber: UInt64
  let vector: VersionVector
  /// The bytes of the newest entry of history; nil where history is empty.
  let newest: [UInt8]?

  init(_ snapshot: borrowing StoreSnapshot) throws {
    let meta = MetaTable(snapshot.transaction, snapshot.layout.databases.meta, path: "this path")
    let state = try meta.state()
    header = try meta.header()
    (lastNumber, vector) = (state.lastNumber, state.versionVector)
    newest = try CopyHead.entry(state.lastNumber, in: snapshot)
  }

  private static func entry(_ number: UInt64, in snapshot: borrowing StoreSnapshot) throws -> [UInt8]? {
    try HistoryTable(snapshot.transaction, snapshot.layout).bytes(of: number)?.copied()
  }

  /// Whether a store could have been in this state between two others: `before` it was copied, and as it is now.
  func lies(after before: CopyHead, in store: borrowing StoreSnapshot) throws -> Bool {
    let now = try CopyHead(store)
    guard header.storeID == now.header.storeID || header.storeID == before.header.storeID,
      header.replica == now.header.replica || header.replica == before.header.replica,
      before.lastNumber <= lastNumber, lastNumber <= now.lastNumber
    else { return false }
    // One that was trimmed meanwhile cannot be compared.
    guard let newest, let same = try CopyHead.entry(lastNumber, in: store) else { return true }
    return newest == same
  }
}
