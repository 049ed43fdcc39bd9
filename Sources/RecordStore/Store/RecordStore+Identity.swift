public import Foundation
import LMDB
import Synchronization

// Whole-store operations.
extension RecordStore {
  /// Removes every record, history, the once ledger and sync state; schema and store id stay. The replica id is
  /// minted anew.
  /// Whoever reads history gets `historyTokenExpired` and starts anew.
  public func erase() throws {
    let path = url.path
    try write { transaction, layout throws in
      let databases = layout.databases
      let tables =
        databases.records + databases.indexes.values + [
          databases.hidden, databases.backReferences, databases.claims, databases.classClaims, databases.history,
          databases.dots, databases.aliases, databases.attachments,
        ] + (databases.classTables?.all ?? []) + [databases.once].compactMap { $0 }
      for table in tables { try transaction.removeAll(from: table) }
      let meta = MetaTable(transaction.view, databases.meta, path: path)
      var state = try meta.state()
      state.versionVector = VersionVector()
      // One number is left out, so that every earlier token is seen to be too old.
      state.lastNumber += 1
      try transaction.put(databases.meta, key: StoreState.key, value: state.encoded())
      let header = try meta.header().withNewReplica()
      try transaction.put(databases.meta, key: StoreHeader.key, value: header.encoded())
      return ((), layout)
    }
  }

  /// Mints a new replica id, for a store that was copied or restored: what it wrote under the old one counts
  /// as another replica's from now on.
  @discardableResult
  public func renewReplica() throws -> ReplicaID {
    let path = url.path
    return try write { transaction, layout throws in
      let former = try MetaTable(transaction.view, layout.databases.meta, path: path).header()
      let header = former.withNewReplica()
      try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
      // What it wrote under the old id still has to reach others under that id.
      try transaction.put(
        layout.databases.attachments, key: FormerReplicas.key(of: former.replica), value: [FormerReplicas.format])
      return (header.replica, layout)
    }
  }

  /// Makes this store an independent replica of the family `storeID` (used when a store is created from an
  /// exchange folder). Throws `invalidRequest` once it holds another replica's data.
  public func adopt(storeID: RecordID) throws {
    let path = url.path
    try write { transaction, layout throws in
      let meta = MetaTable(transaction.view, layout.databases.meta, path: path)
      var header = try meta.header()
      let strangers = try meta.state().versionVector.entries.keys.contains { $0 != header.replica }
      guard header.storeID == storeID || !strangers else {
        throw StoreError(
          .invalidRequest,
          "the store at \(path) is synchronised with others already and cannot join another family: "
            + "create a new store")
      }
      header.storeID = storeID
      try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
      return ((), layout)
    }
    core.storeID.withLock { $0 = storeID }
  }

  /// A consistent copy of the store in a directory that does not exist yet. The copy is a replica of its own.
  public func copy(to url: URL) throws {
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw StoreError(
        .invalidRequest, "cannot copy the store to \(url.path): something is there already; choose another path")
    }
    try StoreOpening.makeDirectory(url, mode: configuration.directoryMode)
    do {
      try StoreError.translating(store: self.url.path) {
        try core.environment.copy(to: url.path, compacting: true)
      }
      var copied = configuration
      copied.url = url
      copied.isReadOnly = false
      copied.createsIfMissing = false
      if self.configuration.url == nil { copied.durability = .full }
      try RecordStore.open(copied).renewReplica()
    } catch {
      try FileManager.default.removeItem(at: url)
      throw error
    }
  }
}

extension StoreHeader {
  func withNewReplica() -> StoreHeader {
    let words = SystemRandomness.words(count: 2)
    var header = self
    header.replica = ReplicaID(words[0])
    header.incarnation = words[1]
    return header
  }
}
