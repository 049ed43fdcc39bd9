import Foundation
import LMDB
import Synchronization

/// The open stores of this process, so that all handles on one share their queue of writes and observers.
enum CoreRegistry {
  // A class, because copying a weak reference to an object that is being destroyed crashes. It never changes.
  private final class Entry: Sendable {
    weak let core: StoreCore?
    init(core: StoreCore) { self.core = core }
  }

  /// By environment, of which there is one per file.
  private static let cores = Mutex<[ObjectIdentifier: Entry]>([:])

  /// The core of an environment: the one there is, or a new one with the layout found in the file.
  static func core(
    of environment: Environment, _ url: URL, _ configuration: StoreConfiguration
  ) throws -> StoreCore {
    let key = ObjectIdentifier(environment)
    if let known = cores.withLock({ $0[key]?.core }) { return known }
    let made = try make(environment, url, configuration)
    return cores.withLock { cores in
      // Another thread may have been faster; the environment is the same.
      if let known = cores[key]?.core { return known }
      cores = cores.filter { $0.value.core != nil }
      cores[key] = Entry(core: made)
      return made
    }
  }

  static func make(
    _ environment: Environment, _ url: URL, _ configuration: StoreConfiguration
  ) throws -> StoreCore {
    let (header, lastNumber, layout) = try readFile(environment)
    if let recovery = StoreRecovery(environment.findings) {
      StoreEvents.send(.recovered(store: url.path, recovery))
    }
    return StoreCore(
      environment: environment, url: url, layout: layout, storeID: header.storeID,
      ownTransactions: OwnTransactions(ofStoreAt: configuration.url == nil ? nil : url.path, last: lastNumber),
      configuration)
  }

  private static func readFile(_ environment: Environment) throws -> (StoreHeader, lastNumber: UInt64, StoreLayout) {
    let path = environment.path
    return try StoreError.translating(store: path) {
      guard let database = try environment.database(named: NamedDatabases.Name.meta) else {
        throw StoreError(
          .notAStore,
          "\(path) is an LMDB file of another program, or its list of tables is lost: choose another path, or see what "
            + "'tandem salvage' finds there")
      }
      let (header, lastNumber, catalogue) = try environment.read { transaction in
        let meta = MetaTable(transaction.view, database, path: path)
        let header = try meta.header()
        // All of it, for its checks: a damaged state is refused here, not at the first save.
        return (header, try meta.state().lastNumber, try meta.catalogue())
      }
      return (header, lastNumber, try StoreLayout.open(catalogue, in: environment))
    }
  }
}

extension StoreConfiguration {
  var fileMode: UInt16 { isSharedWithUserGroup ? 0o660 : 0o600 }
  var directoryMode: UInt16 { isSharedWithUserGroup ? 0o770 : 0o700 }

  /// The folder of the large values of a store with this configuration; nil for one in memory.
  func externalFolder(of store: String) -> ExternalFolder? {
    guard url != nil else { return nil }
    return ExternalFolder(
      store: store, fileMode: fileMode, directoryMode: directoryMode, flushes: durability != .unsafeNoFlush)
  }

  var environmentOptions: Environment.Options {
    var options = Environment.Options()
    options.mapSizeBytes = mapSizeBytes
    options.fileMode = UInt32(fileMode)
    options.openingTimeoutSeconds = timeoutSeconds
    options.durability =
      switch durability {
      case .full: .full
      case .relaxed: .relaxed
      case .unsafeNoFlush: .unsafeNoSync
      }
    // Nothing of a store in memory outlives its process.
    if url == nil { options.durability = .unsafeNoSync }
    options.prefetchesRoot = NamedDatabases.isReadFirst
    if let maximumDirtyPages { options.maximumDirtyPages = maximumDirtyPages }
    return options
  }
}

extension StoreRecovery {
  /// Nil where an opening had nothing to mend.
  init?(_ findings: Environment.Findings) {
    guard findings.abandonedReaders > 0 || findings.wasProven else { return nil }
    self.init(abandonedReaders: findings.abandonedReaders, wasProven: findings.wasProven)
  }
}
