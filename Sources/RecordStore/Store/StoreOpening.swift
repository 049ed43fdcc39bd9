import Foundation
import LMDB
import Synchronization

/// From a configuration to an open store: what is at the path, may it be opened, must it be created.
///
/// Refuses what is not a store before anything is written beside it.
struct StoreOpening {
  private let configuration: StoreConfiguration
  private let schema: StoreSchema?

  init(_ configuration: StoreConfiguration, schema: StoreSchema?) {
    self.configuration = configuration
    self.schema = schema
  }

  func open() throws -> StoreCore {
    guard let url = configuration.url else { return try openPrivate() }
    let path = url.standardizedFileURL
    if !configuration.unsafelyAllowsNetworkFileSystem { try FileSystemKind.requireLocal(path) }
    if try hasDataFile(path), try !isUnfinished(path), let core = try openExisting(path) { return core }
    return try create(path)
  }

  /// Nil for a file that never got its first commit.
  private func openExisting(_ path: URL) throws -> StoreCore? {
    let marker = configuration.ignoresOpeningMarker ? nil : try OpeningMarker(store: path)
    let outcome = Result { () throws -> StoreCore? in
      let environment = try openEnvironment(path)
      try Interruption.point("while opening")
      guard try isInitialized(environment) else { return nil }
      return try CoreRegistry.core(of: environment, path, configuration)
    }
    marker?.remove()
    return try outcome.get()
  }

  /// A private directory in memory where the system has one; its files lose their names at once.
  private func openPrivate() throws -> StoreCore {
    guard let schema, !configuration.isReadOnly else {
      throw StoreError(.notFound, "an in-memory store begins empty: give it a schema and open it for writing")
    }
    let shared = URL(fileURLWithPath: "/dev/shm")
    let root = FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
    let url = root.appendingPathComponent("tandem-\(RecordID.random())")
    try StoreOpening.makeDirectory(url, mode: 0o700)
    do {
      let environment = try openEnvironment(url)
      let core = try CoreRegistry.make(environment, url, configuration, layout: initialize(environment, schema))
      try core.unlinkFiles()
      return core
    } catch {
      try FileManager.default.removeItem(at: url)
      throw error
    }
  }
}

// What is there.
extension StoreOpening {
  /// Names that the store itself puts beside its data.
  private static let ownNames: Set<String> = [
    "data.mdb", "lock.mdb", "creation.lock", "writer.lock", "notify", OpeningMarker.name,
  ]

  private func hasDataFile(_ url: URL) throws -> Bool {
    if access(url.appendingPathComponent("data.mdb").path, F_OK) == 0 { return true }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { return false }
    guard isDirectory.boolValue else {
      throw StoreError(.notAStore, "\(url.path) is a file, a store is a directory: choose another path")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    } catch {
      throw StoreError(
        .permissionDenied, "this user may not list \(url.path): run as its owner, or change its permissions",
        cause: error)
    }
    if names.contains("data.mdb") { return true }
    guard Set(names).isSubset(of: StoreOpening.ownNames) else {
      throw StoreError(.notAStore, "the directory \(url.path) holds other files and no store: choose another path")
    }
    return false
  }

  private func isUnfinished(_ url: URL) throws -> Bool {
    let file = url.appendingPathComponent("data.mdb")
    do {
      return try UnfinishedFile.isAt(file)
    } catch let error as CocoaError where error.code == .fileReadNoPermission {
      // Opening says what is wrong.
      return false
    }
  }

  /// Opened for writing where that is possible, for another handle of this process may write; a reader's
  /// handle never does. On a medium or with rights that allow only reading, for reading.
  private func openEnvironment(_ url: URL) throws -> Environment {
    var options = Environment.Options()
    options.mapSizeBytes = configuration.mapSizeBytes
    options.fileMode = UInt32(configuration.fileMode)
    switch configuration.durability {
    case .full: options.durability = .full
    case .relaxed: options.durability = .relaxed
    case .unsafeNoFlush: options.durability = .unsafeNoSync
    }
    if configuration.url == nil { options.durability = .unsafeNoSync }
    return try StoreError.translating(store: url.path) {
      do {
        return try requireWritable(Environment.open(at: url.path, options: options), url)
      } catch let error as LMDBError
        where configuration.isReadOnly && [.accessDenied, .readOnlyFileSystem].contains(error.code)
      {
        options.isReadOnly = true
        return try Environment.open(at: url.path, options: options)
      }
    }
  }

  private func requireWritable(_ environment: Environment, _ url: URL) throws -> Environment {
    guard environment.isReadOnly, !configuration.isReadOnly else { return environment }
    throw StoreError(
      .busy,
      "this process has the store at \(url.path) open for reading only: close that handle, then open it for writing")
  }

  /// False for a file that was made but never got its first commit.
  private func isInitialized(_ environment: Environment) throws -> Bool {
    try StoreError.translating(store: environment.path) {
      guard try environment.database(named: NamedDatabases.Name.meta) == nil else { return true }
      let names = try environment.read { try $0.view.databaseNames() }
      guard names.isEmpty else {
        throw StoreError(.notAStore, "\(environment.path) is an LMDB file of another program: choose another path")
      }
      return false
    }
  }
}

// Creation.
extension StoreOpening {
  private func create(_ url: URL) throws -> StoreCore {
    guard !configuration.isReadOnly, configuration.createsIfMissing, let schema else {
      throw StoreError(
        .notFound, "there is no store at \(url.path): check the path, or create it by opening it for writing")
    }
    // A wrong schema is refused before anything is made.
    _ = try CatalogueBuilder.build(schema, onto: nil)
    let isNew = !FileManager.default.fileExists(atPath: url.path)
    if isNew { try StoreOpening.makeDirectory(url, mode: configuration.directoryMode) }
    do {
      return try CreationLock(store: url, mode: configuration.fileMode)
        .withLock(timeoutSeconds: configuration.timeoutSeconds) { try createLocked(url, schema, isNew: isNew) }
    } catch {
      // Only if it is empty, so never what another process has made there meanwhile.
      if isNew { rmdir(url.path) }
      throw error
    }
  }

  /// While no other process creates. Only then may a failure remove the directory, and only one without data.
  private func createLocked(_ url: URL, _ schema: StoreSchema, isNew: Bool) throws -> StoreCore {
    if !isNew, try hasDataFile(url), try isUnfinished(url) {
      try FileManager.default.removeItem(at: url.appendingPathComponent("data.mdb"))
    }
    let hadData = FileManager.default.fileExists(atPath: url.appendingPathComponent("data.mdb").path)
    do {
      let environment = try openEnvironment(url)
      // Another process may have been faster.
      if try isInitialized(environment) { return try CoreRegistry.core(of: environment, url, configuration) }
      let layout = try initialize(environment, schema)
      return try CoreRegistry.core(of: environment, url, configuration, layout: layout)
    } catch {
      if isNew, !hadData { try FileManager.default.removeItem(at: url) }
      throw error
    }
  }

  /// The first commit: header, state, catalogue, tables. Runs on a thread of its own, since LMDB's writer lock
  /// may be another process's.
  private func initialize(_ environment: Environment, _ schema: StoreSchema) throws -> StoreLayout {
    let catalogue = try CatalogueBuilder.build(schema, onto: nil)
    let header = newHeader()
    let box = OutcomeBox()
    Thread.detachNewThread {
      let result = Result {
        try environment.write { transaction in
          let layout = try StoreLayout.create(catalogue, in: transaction)
          try transaction.put(layout.databases.meta, key: StoreHeader.key, value: header.encoded())
          try transaction.put(layout.databases.meta, key: StoreState.key, value: StoreState().encoded())
          return layout
        }
      }
      box.value.withLock { $0 = result }
      box.isDone.signal()
    }
    box.isDone.wait()
    guard let result = box.value.withLock({ $0 }) else { preconditionFailure("the thread has left its outcome") }
    return try StoreError.translating(store: environment.path) { try result.get() }
  }

  private func newHeader() -> StoreHeader {
    var header = StoreHeader(
      storeID: .random(), replica: ReplicaID(0), incarnation: 0, createdAtMilliseconds: configuration.clock.now()
    ).withNewReplica()
    if let replica = configuration.replicaOfNewStore { header.replica = replica }
    return header
  }

  private final class OutcomeBox: Sendable {
    let value = Mutex<Result<StoreLayout, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
  }

  static func makeDirectory(_ url: URL, mode: UInt16) throws {
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: NSNumber(value: mode)])
    } catch {
      throw StoreError(
        .permissionDenied, "cannot create the directory \(url.path): check the path and its permissions", cause: error)
    }
  }
}
