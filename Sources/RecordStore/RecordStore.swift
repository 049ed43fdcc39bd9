// CONTRACT STUB: to be implemented by the owner of the commit path.
public import Foundation

/// One store, open in this process. Three doors lead in: ``read(_:)``, ``commit(_:)-…`` and ``migrate(to:)``.
///
/// Safe to use from any thread. All handles of one process on one store share an environment, a
/// writer thread and a watcher for commits of other processes.
public final class RecordStore: Sendable {
  /// Opens a store, creating it when the configuration allows and a schema is given.
  ///
  /// With a schema, the store's catalogue is brought up to it when only automatic steps are needed
  /// (see ``migrate(to:)``). Without one, the store is taken as it describes itself.
  /// On an error nothing was created or changed.
  public static func open(_ configuration: StoreConfiguration, schema: StoreSchema? = nil) throws -> RecordStore {
    fatalError("stub")
  }

  public let configuration: StoreConfiguration
  /// The store's directory.
  public let url: URL
  /// Names the store's family: equal on all devices that hold the same store. 16 bytes.
  public var storeID: RecordID { fatalError("stub") }

  /// Lends a snapshot to a synchronous closure. Keep it short: pages are not reused while it is open.
  public func read<Result>(_ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    fatalError("stub")
  }

  /// Builds a request from the writer's own snapshot and carries it out, in one durable commit.
  ///
  /// Blocks until the commit is on the device. `build` runs on the writer thread and may run more
  /// than once (after the map has grown). If anything throws, the store is unchanged.
  /// Concurrent commits of one process share a device flush.
  public func commit<Value: Sendable>(
    _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> (SaveRequest, Value)
  ) throws -> (SaveResult, Value) {
    fatalError("stub")
  }

  /// Carries out a request that needs no look at the store.
  public func commit(_ request: SaveRequest) throws -> SaveResult {
    fatalError("stub")
  }

  /// Brings the catalogue to a schema by automatic steps: new entities, fields and indexes, renames by
  /// original name, optionality with a default, changed indexes. Throws `incompatibleSchema` otherwise.
  @discardableResult
  public func migrate(to schema: StoreSchema) throws -> Catalogue { fatalError("stub") }

  /// Transactions committed after this call, by this process, others, and merges, in order. Several
  /// consumers each get all of them. A consumer that is slow loses none: they are read from history.
  public var changes: AsyncStream<HistoryTransaction> { fatalError("stub") }

  /// Calls `observer` on the store's notice thread after each commit, own or foreign, with the number
  /// of the newest transaction. Ends when the returned token goes. `observer` must not block.
  public func observeCommits(_ observer: @escaping @Sendable (UInt64) -> Void) -> CommitObservation {
    fatalError("stub")
  }

  /// Removes every record, history and sync state; schema and store id stay. The replica id is minted anew.
  public func erase() throws { fatalError("stub") }

  /// A consistent copy of the store in a directory that does not exist yet.
  public func copy(to url: URL) throws { fatalError("stub") }

  /// Makes this store an independent replica of the family `storeID` (used when a store is created from an exchange folder).
  public func adopt(storeID: RecordID) throws { fatalError("stub") }

  private init(configuration: StoreConfiguration) {
    self.configuration = configuration
    url = configuration.url ?? URL(fileURLWithPath: "/")
  }
}

/// Keeps a commit observer registered as long as it lives.
public final class CommitObservation: Sendable {
  package let cancel: @Sendable () -> Void
  package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
  deinit { cancel() }
}

extension RecordStore {
  public func statistics() throws -> StoreStatistics { fatalError("stub") }

  /// Every violated invariant of this store, in words; empty for a sound store. See the Invariants article.
  /// Reads everything: seconds for a million records.
  public func integrityViolations() throws -> [String] { fatalError("stub") }
}
