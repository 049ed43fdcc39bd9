public import Foundation
public import RecordStore

/// Makes a store anew from an exchange folder, for a device whose store is damaged or lost.
///
/// ```swift
/// var options = StoreRebuild.Options()
/// options.acceptsLoss = true  // goes on although the folder lacks something
/// let rebuild = StoreRebuild(of: url, from: shelf, options: options)
/// let outcome: StoreRebuild.Outcome = try await rebuild.run()
/// print(outcome.transactionsMerged, outcome.lacking, outcome.replaced ?? "nothing was there")
/// ```
/// The new store is a new replica that has taken in all that the folder holds, and what the device's own copy of the
/// exchange folder holds. It takes the old one's place in one step; the old one is kept beside it. Transactions that
/// the old store had saved and never exported is not in any folder: ``Outcome/unexported`` says how many transactions
/// that are, and `tandem salvage` can bring back what is intact of them.
public struct StoreRebuild: Sendable {
  /// The settings of a rebuild.
  public struct Options: Sendable {
    /// Opens stores like this; the path is filled in.
    public var configuration = StoreConfiguration(url: nil)
    /// Goes on although the folder lacks something that the old store had.
    public var acceptsLoss = false
    /// Opens a folder that is encrypted.
    public var key: FamilyKey?
    /// Keeps the old store beside the new one.
    public var keepsReplaced = true
    /// Called on the calling task; must not block.
    public var progress: (@Sendable (SyncEvent) -> Void)?
    /// The defaults, which lose nothing.
    public init() {}
  }

  /// The outcome of a rebuild.
  public struct Outcome: Hashable, Sendable, Codable {
    /// The new store's replica id, and the old one's, if it could be read: to be retired.
    public var replica: String
    /// The old store's replica id; nil where it could not be read.
    public var formerReplica: String?
    /// How many transactions the new store has merged.
    public var transactionsMerged: Int
    /// How many facts about records were joined.
    public var recordsMerged: Int
    /// Sentences about what the folder lacks and the old store had; empty unless ``Options/acceptsLoss``.
    public var lacking: [String]
    /// How many transactions of the old store were never exported, so that no folder has them; nil where what it had
    /// seen cannot be read any more. Those that were exported and that the folder lacks are in ``lacking``.
    public var unexported: UInt64?
    /// Where the old store is kept.
    public var replaced: String?
    /// Files that were refused, what waits for others, and what other devices say that they have and no file here has.
    public var trouble: [String]
  }

  private let url: URL
  private let folder: URL
  private let options: Options

  /// - Parameters:
  ///   - store: The directory of the store that is made anew.
  ///   - folder: the folder that `tandem sync --folder` names, another device's directory, or the folder that a
  ///     ``SyncEngine`` was given.
  ///   - options: The loss that is accepted, and the configuration of the new store.
  public init(of store: URL, from folder: URL, options: Options = Options()) {
    url = store.standardizedFileURL
    self.folder = folder.standardizedFileURL
    self.options = options
  }

  /// Makes the store anew, and puts it in the old one's place. Makes the group's folder if it is missing, for its user
  /// alone, but not the device's own: that one may be on a disk that is not mounted.
  ///
  /// - Throws: ``SyncError`` `folderMissing` where the folder has no files of the store or lacks something that the
  ///   store had, `keyNeeded` where its files are not encrypted and ``Options/key`` is given, or the other way round,
  ///   `unknownDevice` where the device's folder is missing; `StoreError` `busy` while a process has the
  ///   store open. Nothing has changed then.
  public func run() async throws -> Outcome {
    let remains = try StoreRemains(of: url)
    let source = try exchangeFolder(remains)
    var configuration = options.configuration
    configuration.url = url
    let state = RebuildState()
    let replaced = try await inGroupFolder {
      try await RecordStore.replace(configuration, keepingReplaced: options.keepsReplaced) { unfinished in
        try await build(unfinished, from: source, remains, state)
      }
    }
    var outcome = state.outcome
    outcome.replaced = replaced?.path
    return outcome
  }

  /// Runs a body with the folder around the store. One that was missing goes again if the body throws.
  private func inGroupFolder<Value>(_ body: () async throws -> Value) async throws -> Value {
    let group = url.deletingLastPathComponent()
    guard try DurableFile.item(at: group) == nil else { return try await body() }
    _ = try DeviceDirectory(group.deletingLastPathComponent())
    try DurableFile.createFolder(group)
    do {
      return try await body()
    } catch {
      // It stays if something else has come into it meanwhile.
      rmdir(group.path)
      throw error
    }
  }

  /// Filled while the store is built.
  private final class RebuildState {
    var outcome = Outcome(
      replica: "", transactionsMerged: 0, recordsMerged: 0, lacking: [], unexported: nil, trouble: [])
  }

  private func build(
    _ configuration: StoreConfiguration, from source: ExchangeFolder, _ remains: StoreRemains, _ state: RebuildState
  ) async throws {
    // All files in a copy, so that nobody hears of the new replica before it has its place.
    let item = PartialItem(for: url.appendingPathExtension("exchange"))
    try item.makeFolder()
    let copy = ExchangeFolder(root: item.url, storeID: source.storeID)
    let outcome = await Result.catching {
      let refused = try fill(copy, from: source)
      try await join(copy, configuration, remains, state)
      state.outcome.trouble.insert(contentsOf: refused.filter { !state.outcome.trouble.contains($0) }, at: 0)
    }
    guard item.discard() else {
      throw SyncError(.inputOutput, "cannot remove \(item.url.path), a copy of files: remove it by hand")
    }
    try outcome.get()
  }

  /// Copies what is intact of both folders, and names what is not and came from neither.
  private func fill(_ copy: ExchangeFolder, from source: ExchangeFolder) throws -> [String] {
    var refused: [SyncReport.Refusal] = []
    for folder in [ownFolder(source.storeID), source] {
      let outcome = try ExchangeCopy(source: folder, target: copy).run()
      // A store that is made of a part of the files would look whole.
      if let message = outcome.undelivered { throw SyncError(.inputOutput, message) }
      refused += outcome.refused.filter { !refused.contains($0) }
    }
    let folder = copy.replicas.deletingLastPathComponent()
    return try refused.filter { refusal in
      // The other folder has given a file of this name.
      if case .file? = try DurableFile.item(at: folder.appending(path: refusal.file)) { false } else { true }
    }.map(StoreRebuild.sentence)
  }

  private static func sentence(on refusal: SyncReport.Refusal) -> String {
    "refused: \(refusal.file): \(refusal.reason)"
  }

  private func join(
    _ copy: ExchangeFolder, _ configuration: StoreConfiguration, _ remains: StoreRemains, _ state: RebuildState
  ) async throws {
    guard let schema = try copy.newestSchema() else { throw missing(copy.storeID) }
    let store = try RecordStore.open(configuration, schema: schema)
    if store.storeID != copy.storeID { try store.adopt(storeID: copy.storeID) }
    var engineOptions = SyncOptions()
    engineOptions.storeID = copy.storeID
    engineOptions.progress = options.progress
    let report = try await SyncEngine(store: store, folder: copy.root, options: engineOptions).import()
    let (replica, vector) = try store.read { (try $0.replica, try $0.versionVector) }
    state.outcome.replica = replica.description
    state.outcome.formerReplica = remains.replica?.description
    state.outcome.transactionsMerged = report.transactionsMerged
    state.outcome.recordsMerged = report.recordsMerged
    state.outcome.trouble =
      report.refused.map(StoreRebuild.sentence) + report.waiting + report.missing + report.awaited
    let comparison = try RebuildComparison(vector, remains, names: DeviceNames(of: store))
    state.outcome.lacking = comparison.lacking
    state.outcome.unexported = comparison.unexported
    guard comparison.lacking.isEmpty || options.acceptsLoss else {
      throw SyncError(
        .folderMissing,
        "\(folder.path) lacks what the store was known to have: \(comparison.lacking.joined(separator: "; ")); "
          + "synchronise the devices that have it with that folder first, or go on with --accept-loss")
    }
  }

  /// The device's own copy of the exchange folder; most devices have one.
  private func ownFolder(_ storeID: RecordID) -> ExchangeFolder {
    ExchangeFolder(
      root: url.deletingPathExtension().appendingPathExtension("exchange"), storeID: storeID)
  }

  private func exchangeFolder(_ remains: StoreRemains) throws -> ExchangeFolder {
    guard try DurableFile.item(at: folder) != nil else {
      throw SyncError(
        .folderMissing,
        "there is no folder at \(folder.path); name the one that the device was synchronised with, once it is there")
    }
    let place = DeviceDirectory.Place(ofStoreAt: url)
    if let key = options.key {
      let sealed = place.exchangeFolder(in: folder, key: key)
      if try sealed.isPresent() { return sealed }
      throw try isInClear(sealed, place) ? unencrypted() : missing(place.familyID(with: key))
    }
    var candidates = [
      ExchangeFolder(root: try DeviceDirectory(folder).exchange(at: place), storeID: place.familyID),
      ExchangeFolder(root: folder, storeID: place.familyID),
    ]
    if let storeID = remains.storeID { candidates.append(ExchangeFolder(root: folder, storeID: storeID)) }
    guard let found = try candidates.first(where: { try $0.isPresent() }) else {
      throw missing(remains.storeID ?? place.familyID)
    }
    return found
  }

  /// Whether files that are not encrypted lie where sealed ones are looked for. What lies in clear at the place of a
  /// shared family is another family's.
  private func isInClear(_ sealed: ExchangeFolder, _ place: DeviceDirectory.Place) throws -> Bool {
    guard sealed.seal?.key.membership == nil else { return false }
    return try sealed.clearRefusal() != nil || DurableFile.item(at: place.exchange(in: folder)) != nil
  }

  private func unencrypted() -> SyncError {
    SyncError(
      .keyNeeded,
      "the files of \(url.lastPathComponent) in \(folder.path) are not encrypted, and this device has a key for them: "
        + "synchronise a device that has the key with that folder first, or move the device's key file away to take "
        + "them as they are")
  }

  private func missing(_ storeID: RecordID) -> SyncError {
    SyncError(
      .folderMissing,
      "\(folder.path) holds no files of \(url.lastPathComponent) (store \(storeID)): name the folder that the device "
        + "was synchronised with, and wait until it is complete")
  }
}

/// A rebuilt store beside the old one.
private struct RebuildComparison {
  private(set) var lacking: [String] = []
  private(set) var unexported: UInt64?

  init(_ vector: VersionVector, _ remains: StoreRemains, names: DeviceNames) {
    let own = remains.replica
    for (replica, entry) in (remains.vector ?? VersionVector()).entries.sorted(by: { $0.key < $1.key })
    where replica != own {
      note(replica, has: vector.sequence(of: replica), had: entry.sequence, names[replica])
    }
    guard let own else { return }
    let has = vector.sequence(of: own)
    if let exported = remains.lastExported { note(own, has: has, had: exported, "this device") }
    if let known = remains.vector?.sequence(of: own) {
      unexported = known - min(known, max(has, remains.lastExported ?? 0))
    }
  }

  private mutating func note(_ replica: ReplicaID, has: UInt64, had: UInt64, _ name: String?) {
    guard has < had else { return }
    let range = has + 1 == had ? "transaction \(had)" : "transactions \(has + 1) to \(had)"
    lacking.append("\(range) of replica \(replica)\(name.map { " (\($0))" } ?? "")")
  }
}

extension Result where Failure == any Error {
  fileprivate static func catching(_ body: () async throws -> Success) async -> Result {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
