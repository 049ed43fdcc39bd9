public import Foundation
import LMDB
import Synchronization

/// One store, open in this process. Three doors lead in: ``read(_:)``, ``commit(_:)-(SaveRequest)`` and
/// ``migrate(to:)``.
///
/// Safe to use from any thread. All handles of one process on one store share an environment, a
/// queue of writes and a watcher for commits of other processes.
public final class RecordStore: Sendable {
  /// Opens a store, creating it when the configuration allows and a schema is given.
  ///
  /// With a schema, the store's catalogue is brought up to it when only automatic steps are needed
  /// (see ``migrate(to:)``). Without one, the store is taken as it describes itself.
  /// On an error nothing was created or changed.
  ///
  /// - Throws: ``StoreError``: `notFound`, `notAStore`, `newerFormat`, `olderFormat`, `damaged`, `busy`,
  ///   `incompatibleSchema`, `backwardMigration`, `invalidSchema`, and what the system refuses.
  public static func open(_ configuration: StoreConfiguration, schema: StoreSchema? = nil) throws -> RecordStore {
    try telling(of: configuration) {
      let store = try open(withoutMigrating: configuration, schema: schema)
      if let schema { try store.adopt(schema) }
      return store
    }
  }

  /// Tells of an opening and how long it took, or of its refusal.
  static func telling(of configuration: StoreConfiguration, _ open: () throws -> RecordStore) throws -> RecordStore {
    let began = ContinuousClock.now
    return try StoreEvents.telling(.opening, of: configuration.url?.standardizedFileURL.path ?? "a store in memory") {
      let store = try open()
      StoreEvents.send(.opened(store: store.core.path, seconds: began.duration(to: .now) / .seconds(1)))
      return store
    }
  }

  /// The schema serves to create a store that is missing.
  static func open(withoutMigrating configuration: StoreConfiguration, schema: StoreSchema?) throws -> RecordStore {
    RecordStore(configuration: configuration, core: try StoreOpening(configuration, schema: schema).open())
  }

  /// Where a handle reads and writes.
  enum Place: Sendable {
    /// In transactions of its own.
    case file
    /// Inside a migration; `past`: as the store was at an earlier step, for reading.
    case migration(OpenWrite, past: StoreLayout?)
    /// Inside a batch of saves.
    case batch(OpenWrite)
    /// An empty store in memory that refuses saves, with this sentence.
    case standIn(refusal: String)
  }

  /// The configuration that this handle was opened with.
  public let configuration: StoreConfiguration
  /// The store's directory.
  public var url: URL { core.url }
  let core: StoreCore
  let place: Place
  /// The schema that this handle's user works with; see ``StoreError/Code/backwardMigration``.
  let declared = DeclaredSchema()
  private let reports = Mutex<[MigrationReport]>([])

  private init(configuration: StoreConfiguration, core: StoreCore, place: Place = .file) {
    self.configuration = configuration
    self.core = core
    self.place = place
  }

  /// The same store seen from inside a migration.
  func inside(_ migration: OpenWrite, past: StoreLayout? = nil) -> RecordStore {
    RecordStore(configuration: configuration, core: core, place: .migration(migration, past: past))
  }

  /// The same store seen from inside a batch of saves.
  func inside(batch: OpenWrite) -> RecordStore {
    RecordStore(configuration: configuration, core: core, place: .batch(batch))
  }

  /// An empty store in memory, in place of one that work inside another store does not reach. It is read like any
  /// other; a save throws `readOnly` with `refusal`.
  package static func standIn(schema: StoreSchema, refusal: String) throws -> RecordStore {
    let configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush)
    return RecordStore(
      configuration: configuration, core: try StoreOpening(configuration, schema: schema).open(),
      place: .standIn(refusal: refusal))
  }

  /// The migrations of this handle, at its opening and since.
  public var migrations: [MigrationReport] { reports.withLock { $0 } }
  func note(_ report: MigrationReport) {
    reports.withLock { $0.append(report) }
    guard !report.isDryRun else { return }
    StoreEvents.send(
      .migrated(store: core.path, from: report.fromVersion, to: report.toVersion, steps: report.steps.count))
  }

  /// Names the store's family: equal on all devices that hold the same store. 16 bytes.
  public var storeID: RecordID { core.storeID.withLock { $0 } }

  /// Lends a snapshot to a synchronous closure. Keep it short: pages are not reused while it is open.
  ///
  /// Throws `backwardMigration` once another process has migrated the store to a schema that the one this handle was
  /// opened with is no part of.
  ///
  /// - Throws: what `body` throws, and ``StoreError``.
  public func read<Result>(_ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result {
    switch place {
    case .file, .standIn: try core.read(declaring: declared, body)
    case .migration(let migration, let past): try migration.read(past, body)
    case .batch(let batch): try batch.read(nil, body)
    }
  }
}

// Commits.
extension RecordStore {
  /// Builds a request from the writer's own snapshot and carries it out, in one durable commit.
  ///
  /// Blocks until the commit is on the device. `build` runs on the caller's thread or, where
  /// others write, on another one, and may run more than once (after the map has grown, or if another commit that
  /// shares the flush throws). If anything throws, the store is unchanged.
  /// Concurrent commits of one process share a device flush.
  ///
  /// - Throws: what `build` throws, and ``StoreError``: `uniquenessViolation`, `deleteDenied`, `countViolation`,
  ///   `recordNotFound`, `invalidRequest`, `busy`, `diskFull`, `readOnly`. After `commitOutcomeUnknown` alone it is not
  ///   known whether the commit counts.
  public func commit<Value: Sendable>(
    _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> (SaveRequest, Value)
  ) throws -> (SaveResult, Value) {
    try commit(build) { _, _, value in ([], value) }
  }

  /// As the form with `build` alone; then `conclude` sees the store as the request has left it, on the same thread and
  /// before anybody else does, and what it returns is put beside the records in the same commit.
  public func commit<Value: Sendable, Outcome: Sendable>(
    _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> (SaveRequest, Value),
    concluding conclude:
      @escaping @Sendable (borrowing StoreSnapshot, SaveResult, Value) throws -> ([StoreAttachment], Outcome)
  ) throws -> (SaveResult, Outcome) {
    try commit(placed: nil, build, concluding: conclude)
  }

  /// `placed`: the values that the request refers to already; nil: they are placed when it is made.
  private func commit<Value: Sendable, Outcome: Sendable>(
    placed: ValuePlacement?, _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> (SaveRequest, Value),
    concluding conclude:
      @escaping @Sendable (borrowing StoreSnapshot, SaveResult, Value) throws -> ([StoreAttachment], Outcome)
  ) throws -> (SaveResult, Outcome) {
    let configuration = configuration
    let external = core.external
    let path = core.path
    let migration = migration
    // Nothing is known inside a migration or a batch, which have written already.
    let keeper: LeftTables.Keeper? = if case .file = place { core.leftTables } else { nil }
    try Interruption.point("before a commit")
    let committed = try write { transaction, layout throws -> ((SaveResult, Outcome, Int), StoreLayout) in
      var (request, value) = try build(StoreSnapshot(transaction: transaction.view, layout: layout))
      if let migration { try request.belong(toMigrationWith: migration.newFields) }
      let now = configuration.clock.now()
      var placement =
        placed
        ?? ValuePlacement(layout, external, savesFromByteCount: configuration.largeValueBytes, atMilliseconds: now)
      if placed == nil { try placement.place(&request) } else { try placement.confirm() }
      let layout = try placement.announced(in: layout, transaction)
      let surroundings = Commit.Surroundings(
        wallMilliseconds: now, policy: configuration.uniqueness,
        mutation: configuration.ruleMutation, keepsChangedValues: configuration.keepsChangedValues,
        savesPlainly: configuration.savesPlainly, maximumTransactionBytes: configuration.maximumTransactionBytes)
      var commit = try Commit(
        request, surroundings: surroundings, layout: layout, left: keeper?.take(), in: transaction, path: path)
      var result = try commit.run(in: transaction)
      if layout.catalogue.hasExternalValues { result = result.resolved() }
      let settled = StoreSnapshot(transaction: transaction.view, layout: commit.layout)
      let (attachments, outcome) = try conclude(settled, result, value)
      try commit.write(attachments, in: transaction)
      if let left = commit.left { keeper?.note(left) }
      return ((result, outcome, placement.byteCount), commit.layout)
    }
    if committed.2 > 0 { core.notePlaced(committed.2, self) }
    try Interruption.point("after a commit")
    return (committed.0, committed.1)
  }

  /// Carries out a request that needs no look at the store.
  ///
  /// - Throws: what the form with `build` throws; then the store is unchanged.
  public func commit(_ request: SaveRequest) throws -> SaveResult {
    guard case .file = place, !configuration.isReadOnly, core.currentLayout.hasDataFields else {
      return try commit { _ in (request, ()) }.0
    }
    // Large values get their places before the save waits for its turn, so that nobody waits for them.
    var placement = ValuePlacement(
      core.currentLayout, core.external, savesFromByteCount: configuration.largeValueBytes,
      atMilliseconds: configuration.clock.now())
    var placed = request
    try placement.place(&placed)
    guard !placement.isEmpty else { return try commit { _ in (request, ()) }.0 }
    return try commit(placed: placement, { [placed] _ in (placed, ()) }, concluding: { _, _, _ in ([], ()) }).0
  }

  /// Forgets history up to and including transaction `number`. A reader that has not read it yet gets
  /// `historyTokenExpired`. The caller answers for what other devices still need: outgoing transactions go too.
  ///
  /// - Throws: ``StoreError``; then the store is unchanged. Only where files of large values that nobody names any more
  ///   cannot be removed, history is trimmed and the error is of the files, which a later call removes.
  public func trimHistory(through number: UInt64) throws {
    let hasExternalValues = try write { transaction, layout throws in
      try HistoryTable.trim(through: number, layout, in: transaction)
      return (layout.catalogue.hasExternalValues, layout)
    }
    // Values that were replaced since are named by nobody from now on.
    if hasExternalValues { try collectExternalValues() }
  }

  /// `asDeclared`: not once the store has a schema that the handle's user does not know.
  func write<Value: Sendable>(
    asDeclared: Bool = true,
    _ body: @escaping @Sendable (borrowing WriteTransaction, StoreLayout) throws -> (Value, StoreLayout)
  ) throws -> Value {
    guard !configuration.isReadOnly else {
      throw StoreError(.readOnly, "the store at \(url.path) was opened for reading only: open it for writing to save")
    }
    if case .migration(let migration, let past) = place {
      guard past == nil else {
        throw StoreError(.readOnly, "objects of the past schema are for reading: change those of the new one")
      }
      return try migration.write(body)
    }
    if case .batch(let batch) = place { return try batch.write(body) }
    if case .standIn(let refusal) = place { throw StoreError(.readOnly, refusal) }
    guard !core.environment.isWriting else {
      throw StoreError(
        .invalidRequest,
        "a save to \(url.path) was begun inside a migration or save of the same store: use the context that is given")
    }
    let declared = asDeclared ? declared : nil
    return try StoreEvents.telling(asDeclared ? .save : .migration, of: core.path) {
      try core.write(timeoutSeconds: configuration.timeoutSeconds) { transaction, layout throws in
        try declared?.requireUsable(in: layout.catalogue)
        return try body(transaction, layout)
      }
    }
  }

  private var migration: OpenWrite? {
    if case .migration(let migration, _) = place { return migration }
    return nil
  }
}
