import Foundation
import LMDB
import Synchronization

// Whole-store operations.
extension RecordStore {
  /// Removes every record, history, the once ledger and sync state; schema and store id stay. The replica id is
  /// minted anew.
  /// Readers of history get `historyTokenExpired` and start anew.
  public func erase() throws {
    let url = url
    let path = url.path
    try write { transaction, layout throws in
      let databases = layout.databases
      let tables =
        databases.records + databases.indexTrees + [
          databases.hidden, databases.backReferences, databases.claims, databases.classClaims, databases.history,
          databases.dots, databases.aliases, databases.attachments,
        ] + (databases.classTables?.all ?? []) + [databases.once].compactMap { $0 }
      for table in tables { try transaction.removeAll(from: table) }
      try HistoryTail.removeAll(in: transaction)
      let meta = MetaTable(transaction.view, databases.meta, path: path)
      var state = try meta.state()
      state.versionVector = VersionVector()
      // One number is left out, so that every earlier token is seen to be too old.
      state.lastNumber += 1
      try state.write(to: transaction)
      // Not a former id: nothing is left that was written under it.
      let identity = IdentityTable(layout, path: path)
      let former = try meta.header()
      try identity.put(former.withNewReplica(), in: transaction)
      if let noted = try identity.notedPlace(in: transaction) {
        let file = try IdentityFile.read(beside: url)
        let replaced = file?.place == noted.place ? file?.incarnation : nil
        try identity.put(NotedPlace(place: noted.place, replaced: replaced ?? former.incarnation), in: transaction)
      }
      return ((), layout)
    }
    // The files of large values are to be gone, too.
    try collectExternalValues(unusedForSeconds: 0)
  }

  /// Mints a new replica id, for a store that was copied or restored: what it wrote under the old one counts
  /// as another replica's from now on.
  @discardableResult
  package func renewReplica(because reason: FormerReplica.Reason = .shared) throws -> ReplicaID {
    let (url, isPrivate, seed) = (url, configuration.url == nil, configuration.renewalSeed)
    return try write { transaction, layout throws in
      let identity = IdentityTable(layout, path: url.path)
      let header = try identity.renew(
        identity.header(in: transaction), because: reason, at: isPrivate ? nil : StorePlace(ofStoreAt: url),
        file: IdentityFile.read(beside: url), seed: seed, in: transaction)
      return (header.replica, layout)
    }
  }

  /// Makes sure that this is still the store that it takes itself for: a copy, or a store that a backup has set back,
  /// takes a new replica id. Every process does so with its first write; a synchronisation, which speaks for the store
  /// before that, asks for it. Returns the present id.
  @discardableResult
  public func confirmIdentity() throws -> ReplicaID {
    if core.isIdentityConfirmed { return try read { try $0.replica } }
    let path = url.path
    return try write { transaction, layout throws in
      (try IdentityTable(layout, path: path).header(in: transaction).replica, layout)
    }
  }

  /// Notes outside the store, durably, that transactions of its own up to `sequence` may get into other hands, so that
  /// a store which a backup has set back finds it out. Nothing is written where this is noted already.
  ///
  /// Throws `diskFull` or `inputOutput`; nothing may be exported then.
  package func noteExport(through sequence: UInt64) throws {
    guard configuration.url != nil else { return }
    let (url, mode) = (url, configuration.fileMode)
    let plan = Interruption.plan
    try write { transaction, layout throws in
      let identity = IdentityTable(layout, path: url.path)
      let (header, place) = (try identity.header(in: transaction), try StorePlace(ofStoreAt: url))
      var file = IdentityFile(header, lastExported: sequence, place: place)
      if let known = try IdentityFile.read(beside: url), known.incarnation == header.incarnation, known.place == place {
        file.lastExported = max(sequence, known.lastExported)
        if known == file { return ((), layout) }
      }
      // The simulated end of a process is the caller's, not that of the thread that writes.
      try Interruption.$plan.withValue(plan) { try file.write(beside: url, mode: mode) }
      return ((), layout)
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
}

extension StoreHeader {
  /// `seed`: what the id follows from, in simulations; nil: it is drawn at random.
  func withNewReplica(seed: UInt64? = nil) -> StoreHeader {
    let words = SystemRandomness.words(count: 2)
    var header = self
    header.replica = ReplicaID(seed.map { ($0 ^ replica.value) &* 0x9E37_79B9_7F4A_7C15 | 1 << 62 } ?? words[0])
    header.incarnation = words[1]
    return header
  }
}
