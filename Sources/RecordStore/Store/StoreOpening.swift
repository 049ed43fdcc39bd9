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
    try requireSoundConfiguration()
    // Before the first of a store's files is open.
    StandardDescriptors.occupy()
    guard let url = configuration.url else { return try openPrivate() }
    let standard = url.standardizedFileURL
    let path = standard.path
    Environment.prefetch(at: path)
    if try configuration.isBackup || BackupManifest.isThere(in: path) { return try openBackup(standard) }
    if !configuration.unsafelyAllowsNetworkFileSystem { try FileSystemKind.requireLocal(standard) }
    return try hasDataFile(standard) ? openExisting(standard) : create(standard)
  }

  private func requireSoundConfiguration() throws {
    if let url = configuration.url, let scheme = url.scheme, !url.isFileURL {
      throw StoreError(
        .invalidRequest, "\(url) is a place of the kind \(scheme), and a store lies in a directory: give its file URL")
    }
    let count = configuration.largeValueBytes
    guard !(64...ExternalReference.canonicalByteCount).contains(count) else { return }
    throw StoreError(
      .invalidRequest,
      "largeValueBytes is \(count): give a number from 64, for a shorter value takes less room in its record, to "
        + "\(ExternalReference.canonicalByteCount), from where on all devices keep values in files")
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

  /// Wherever it lies, since nobody writes to it; nothing is left beside its data.
  private func openBackup(_ url: URL) throws -> StoreCore {
    guard configuration.isReadOnly else {
      throw StoreError(
        .readOnly, "\(url.path) is a backup, which is for reading only: restore it with `tandem restore` to write to it"
      )
    }
    var options = configuration.environmentOptions
    options.isReadOnly = true
    options.isWithoutLocks = true
    let environment = try StoreError.translating(store: url.path) {
      try Environment.open(at: url.path, options: options)
    }
    return try CoreRegistry.core(of: environment, url, configuration)
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
      try FileItem.remove(url, "the directory of an in-memory store")
      throw error
    }
  }
}

// The findings at the path.
extension StoreOpening {
  /// Names that the store itself puts beside its data.
  private static let ownNames: Set<String> = [
    "data.mdb", "lock.mdb", Environment.formerRedoLogName, "creation.lock", "writer.lock", "notify", OpeningMarker.name,
    NewDataFile.folder,
  ]

  private func hasDataFile(_ url: URL) throws -> Bool {
    if let data = try FileItem.at("data.mdb", inStore: url.path) {
      // An empty file holds nothing that a new store could take away.
      return data != .file(byteCount: 0)
    }
    guard let item = try FileItem.at(url) else { return false }
    guard item == .directory else {
      throw StoreError(.notAStore, "\(url.path) is a file, a store is a directory: choose another path")
    }
    let names = try FileItem.names(in: url)
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
        return try requireWritable(Environment.open(at: path, options: options), at: path)
      } catch let error as LMDBError
        where configuration.isReadOnly && [.accessDenied, .readOnlyFileSystem].contains(error.code)
      {
        options.isReadOnly = true
        return try Environment.open(at: path, options: options)
      }
    }
  }

  private func requireWritable(_ environment: Environment, at path: String) throws -> Environment {
    guard !configuration.isReadOnly else { return environment }
    // The files beside a store's data are found by the path under which it was opened first.
    guard !environment.isReplaced else {
      throw StoreError(
        .busy,
        "this process has the store at \(path) open by its former path \(environment.path), where another store is "
          + "now: close that handle, then open it again")
    }
    guard environment.isReadOnly else { return environment }
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
    let isNew = try FileItem.at(url) == nil
    guard !isNew || !FileItem.isLink(url) else {
      throw StoreError(.notAStore, "\(url.path) is a link that leads nowhere: remove it, or choose another path")
    }
    if isNew {
      try PartialItem.makingFolder(at: url) { try StoreOpening.makeDirectory(url, mode: configuration.directoryMode) }
    }
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
      if try !hasDataFile(url) {
        try NewDataFile(store: url, configuration).make(content)
        StoreEvents.send(.created(store: url.path))
      }
    } catch {
      if isNew, try FileItem.at(url.path + "/data.mdb") == nil {
        try FileItem.remove(url, "the rest of a creation that failed")
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
      throw StoreError(error, doing: "create the directory", path: url.path)
    }
  }
}
