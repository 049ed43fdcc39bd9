import Foundation
import LMDB

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
    let standard = url.standardizedFileURL
    Environment.prefetch(at: standard.path)
    if !configuration.unsafelyAllowsNetworkFileSystem { try FileSystemKind.requireLocal(standard) }
    return try hasDataFile(standard) ? openExisting(standard) : create(standard)
  }

  private func openExisting(_ url: URL) throws -> StoreCore {
    let path = url.path
    let marker =
      configuration.ignoresOpeningMarker ? nil : try OpeningMarker(store: path, mode: configuration.fileMode)
    let core: StoreCore
    do {
      let environment = try openEnvironment(path)
      try Interruption.point("while opening")
      core = try CoreRegistry.core(of: environment, url, configuration)
    } catch {
      marker?.end(hasOpened: false)
      throw error
    }
    marker?.end(hasOpened: true)
    return core
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
      let environment = try openEnvironment(url.path)
      try FirstCommit(configuration, schema).write(to: environment)
      let core = try CoreRegistry.make(environment, url, configuration)
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
    "data.mdb", "lock.mdb", Environment.redoLogName, "creation.lock", "writer.lock", "notify", OpeningMarker.name,
    NewDataFile.folder,
  ]

  private func hasDataFile(_ url: URL) throws -> Bool {
    var status = stat()
    // An empty file holds nothing that a new store could take away.
    if stat(url.path + "/data.mdb", &status) == 0 { return status.st_size > 0 }
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

  /// Opened for writing where that is possible, for another handle of this process may write; a reader's
  /// handle never does. On a medium or with rights that allow only reading, for reading.
  private func openEnvironment(_ path: String) throws -> Environment {
    var options = configuration.environmentOptions
    return try StoreError.translating(store: path) {
      do {
        return try requireWritable(Environment.open(at: path, options: options))
      } catch let error as LMDBError
        where configuration.isReadOnly && [.accessDenied, .readOnlyFileSystem].contains(error.code)
      {
        options.isReadOnly = true
        return try Environment.open(at: path, options: options)
      }
    }
  }

  private func requireWritable(_ environment: Environment) throws -> Environment {
    guard environment.isReadOnly, !configuration.isReadOnly else { return environment }
    throw StoreError(
      .busy,
      "this process has the store at \(environment.path) open for reading only: close that handle, then open it for "
        + "writing")
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
    let content = try FirstCommit(configuration, schema)
    let isNew = !FileManager.default.fileExists(atPath: url.path)
    if isNew { try StoreOpening.makeDirectory(url, mode: configuration.directoryMode) }
    do {
      return try CreationLock(store: url, mode: configuration.fileMode)
        .withLock(timeoutSeconds: configuration.timeoutSeconds) { try createLocked(url, content, isNew: isNew) }
    } catch {
      // Only if it is empty, so never what another process has made there meanwhile.
      if isNew { rmdir(url.path) }
      throw error
    }
  }

  /// While no other process creates. Only then may a failure remove the directory, and only one without data.
  private func createLocked(_ url: URL, _ content: FirstCommit, isNew: Bool) throws -> StoreCore {
    do {
      // Another process may have been faster.
      if try !hasDataFile(url) { try NewDataFile(store: url, configuration).make(content) }
    } catch {
      if isNew, access(url.appendingPathComponent("data.mdb").path, F_OK) != 0 {
        try FileManager.default.removeItem(at: url)
      }
      throw error
    }
    return try openExisting(url)
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
