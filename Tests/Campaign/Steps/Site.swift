import Foundation
import RecordStore
import RecordSync

/// Where the stores of one piece of work lie, and how they are opened.
struct Site: Sendable {
  let folder: URL
  let seed: UInt64
  var durability = StoreConfiguration.Durability.full
  /// A map that has to grow soon.
  var hasSmallMap = false
  /// Whether items have scans, which lie beside the store: said by a file, so that each process that works here knows.
  var hasScans: Bool { FileManager.default.fileExists(atPath: scans.path) }
  /// For saves beside processes that are stopped in the middle of a save, on a machine that may be busy.
  var isPatient = false

  init(_ path: String, seed: UInt64) {
    folder = URL(fileURLWithPath: path, isDirectory: true)
    self.seed = seed
  }

  /// The store that saves.
  var first: URL { folder.appendingPathComponent("first.store") }
  /// One of another device, which imports.
  var second: URL { folder.appendingPathComponent("second.store") }
  var copy: URL { folder.appendingPathComponent("copy.store") }
  var backup: URL { folder.appendingPathComponent("backup") }
  var scans: URL { folder.appendingPathComponent("scans") }
  var exchange: URL { folder.appendingPathComponent("exchange") }

  func configuration(_ url: URL, creates: Bool = false, timeoutSeconds: Double = 5) -> StoreConfiguration {
    var configuration = StoreConfiguration(
      url: url, createsIfMissing: creates, durability: durability, timeoutSeconds: timeoutSeconds)
    if hasScans { configuration.largeValueBytes = 512 }
    if hasSmallMap { configuration.mapSizeBytes = 1 << 20 }
    if isPatient { configuration.timeoutSeconds = 60 }
    return configuration
  }

  func create() throws -> Ledger {
    let ledger = try Ledger(configuration(first, creates: true), schema: schema)
    try ledger.open()
    return ledger
  }

  func open(_ url: URL? = nil) throws -> Ledger { try Ledger(configuration(url ?? first)) }

  /// A store without records yet; an engine takes it into the first one's family.
  func createOther(at url: URL) throws -> Ledger {
    try Ledger(configuration(url, creates: true), schema: schema)
  }

  private var schema: StoreSchema { hasScans ? LedgerSchema.withScans : LedgerSchema.first }

  func engine(_ ledger: Ledger, family: RecordID? = nil) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = family
    // Several files a run, and something to join.
    options.changeSetBytes = 4096
    options.smallChangeSetLimit = 2
    options.maintenanceIntervalSeconds = 0
    options.collectionAgeSeconds = 0
    options.snapshotBytes = 4096
    options.historyRetentionSeconds = 0
    return SyncEngine(store: ledger.store, folder: exchange, options: options)
  }
}

/// Waits on this thread for what runs on another.
func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let done = DispatchSemaphore(value: 0)
  let outcome = Outcome<Value>()
  Task {
    do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
    done.signal()
  }
  done.wait()
  return try outcome.get()
}
