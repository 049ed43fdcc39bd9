import LMDB

// Identity and time.
extension StoreSnapshot {
  private var meta: MetaTable { MetaTable(transaction, layout.databases.meta, path: "this path") }

  /// Names the store's family: equal on all devices that hold the same store.
  public var storeID: RecordID {
    get throws { try meta.header().storeID }
  }

  /// The store's present replica id.
  public var replica: ReplicaID {
    get throws { try meta.header().replica }
  }

  /// The format of the file, which rises with the first write of a newer build.
  var format: UInt16 {
    get throws { try meta.header().format }
  }

  /// Random, drawn anew with every new replica id: two stores with one replica id differ in it.
  package var incarnation: UInt64 {
    get throws { try meta.header().incarnation }
  }

  /// The number of the newest transaction in this store's history; 0 if there is none.
  public var lastTransactionNumber: UInt64 {
    get throws { try meta.lastNumber() }
  }

  package var state: StoreState {
    get throws { try meta.state() }
  }

  /// Everything seen, own transactions included.
  public var versionVector: VersionVector {
    get throws { try meta.state().versionVector }
  }

  /// The greatest stamp made or seen.
  package var clockStamp: Stamp {
    get throws { try meta.state().clock.seen }
  }

  /// Whether other devices found this one's clock to be far ahead; see the MergeRules article.
  package var isClockDistrusted: Bool {
    get throws { try meta.state().clock.isDistrusted }
  }
}
