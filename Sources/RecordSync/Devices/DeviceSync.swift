import Foundation
import RecordStore

/// Makes device directories equal, store by store: exports, copies missing files both ways, imports.
///
/// ```swift
/// let report = try await DeviceSync().synchronize(phone, laptop)
/// ```
/// Files of third devices are copied too, so that changes pass over any chain of devices. A store that is missing
/// on one device is created there. Stores are of one family when they have the same place (see
/// ``DeviceDirectory/Place/familyID``); their own ids do not matter. Runs on a queue of its own; a directory is
/// locked meanwhile, so that a second run waits. A run looks at each place of a store's folders once: one with nothing
/// to do costs a look at each change set on each side, the lists of each replica's folders and its heads, and reads no
/// change set that was found whole before. A run that is cancelled or fails leaves complete steps behind,
/// and the next one continues.
public actor DeviceSync {
  /// One side: a device with stores, or a folder that only holds exchange files.
  struct Side: Sendable {
    var directory: DeviceDirectory
    var isDevice: Bool
    /// Whether it is only read: files that a transport has brought.
    var isArrival = false
    /// The family's key, by which a folder is encrypted. A device's own copy lies beside its store, as open as that.
    var key: FamilyKey?
    /// The shared family to which the device's store belongs; nil: that of the place.
    var family: RecordID?
    var path: String { directory.url.path }

    /// Whether nothing may be written to it, since the device only reads in a shared family.
    var isClosed: Bool { key?.isReader ?? false }

    func familyID(at place: DeviceDirectory.Place) -> RecordID { family ?? place.familyID(with: key) }

    /// Its files of one store.
    func exchange(at place: DeviceDirectory.Place, sharing: FileSharing = .owner) -> ExchangeFolder {
      isDevice
        ? ExchangeFolder(root: directory.exchange(at: place), storeID: familyID(at: place))
        : place.exchangeFolder(in: directory.url, key: key, sharing: sharing)
    }

    /// Under which a store notes that it has used the folder.
    fileprivate func useKey(at place: DeviceDirectory.Place) -> [UInt8] {
      SyncAttachment.folders + ContentHash(of: exchange(at: place).url.path.utf8).bytes
    }

    /// Whether it is a folder that the store has used, and does not hold it any more.
    func isGone(at place: DeviceDirectory.Place, for store: RecordStore) throws -> Bool {
      guard !isDevice, try store.read({ try $0.attachment(useKey(at: place)) }) != nil else { return false }
      return try exchange(at: place).standing() == .absent
    }
  }

  nonisolated let options: Options
  nonisolated var passphrase: String? { options.passphrase }
  private nonisolated let executor = SyncExecutor()

  /// The synchronisation's own queue, so that none of its waiting takes one of Swift's shared threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A synchronisation that begins with nothing; ``synchronize(_:_:)`` does the work, and may be called again.
  public init(options: Options = Options()) { self.options = options }

  /// Makes two devices equal.
  ///
  /// - Throws: ``SyncError``: `sameDirectory`, `foreignDirectory`, `unknownPlace` or `busy`; a failure of one store is
  ///   in the report.
  public func synchronize(_ left: DeviceDirectory, _ right: DeviceDirectory) async throws -> DeviceReport {
    try await synchronize(
      [Side(directory: left, isDevice: true), Side(directory: right, isDevice: true)], beginningAnew: false)
  }

  /// One device, against a folder that another tool moves. The folder is laid out like a device without stores.
  ///
  /// A store that the folder held before and does not any more fails, for the folder is unmounted or was emptied.
  /// `beginningAnew` writes there again all that the device knows of it. Other devices need nothing but to synchronise:
  /// what they have, too, is merged and not doubled, and so are the old files, should they come back.
  ///
  /// - Throws: ``SyncError`` `sameDirectory`, `foreignDirectory`, `unknownPlace` or `busy`; a failure of one store is
  ///   in the report.
  public func synchronize(
    _ device: DeviceDirectory, folder: DeviceDirectory, beginningAnew: Bool = false
  ) async throws -> DeviceReport {
    try await synchronize(
      [Side(directory: device, isDevice: true), Side(directory: folder, isDevice: false)],
      beginningAnew: beginningAnew)
  }

  /// Returns what ``synchronize(_:_:)`` would do now. Reads only; throws as it would, but waits for nobody.
  ///
  /// - Throws: ``SyncError`` `sameDirectory`, `foreignDirectory` or `unknownPlace`.
  public func plan(_ left: DeviceDirectory, _ right: DeviceDirectory) throws -> DevicePlan {
    try plan([Side(directory: left, isDevice: true), Side(directory: right, isDevice: true)])
  }

  /// Returns what ``synchronize(_:folder:beginningAnew:)`` would do now, as ``plan(_:_:)``.
  ///
  /// - Throws: ``SyncError`` `sameDirectory`, `foreignDirectory` or `unknownPlace`.
  public func plan(
    _ device: DeviceDirectory, folder: DeviceDirectory, beginningAnew: Bool = false
  ) throws -> DevicePlan {
    try plan(
      [Side(directory: device, isDevice: true), Side(directory: folder, isDevice: false)],
      beginningAnew: beginningAnew)
  }

  private func plan(_ sides: [Side], beginningAnew: Bool = false) throws -> DevicePlan {
    var plan = DevicePlan()
    for place in try places(of: sides) {
      plan.stores.append(
        try DevicePlan.Store(
          place, sides, beginningAnew: beginningAnew, passphrase: options.passphrase,
          configuration: options.configuration))
    }
    return plan
  }

  /// Returns the stores that a synchronisation of two devices would have to do with.
  ///
  /// - Throws: As ``synchronize(_:_:)``, except for `busy`: it waits for nobody.
  public nonisolated func places(
    of left: DeviceDirectory, _ right: DeviceDirectory
  ) throws -> [DeviceDirectory.Place] {
    try places(of: [Side(directory: left, isDevice: true), Side(directory: right, isDevice: true)])
  }

  /// Returns as ``places(of:_:)`` does, of a device and a folder.
  ///
  /// - Throws: As ``synchronize(_:folder:beginningAnew:)``, except for `busy`.
  public nonisolated func places(
    of device: DeviceDirectory, folder: DeviceDirectory
  ) throws -> [DeviceDirectory.Place] {
    try places(of: [Side(directory: device, isDevice: true), Side(directory: folder, isDevice: false)])
  }

  nonisolated func places(of sides: [Side]) throws -> [DeviceDirectory.Place] {
    for (index, side) in sides.enumerated() {
      for other in sides[..<index] { try SyncError.requireSeparate(other.directory.url, side.directory.url) }
    }
    var all: Set<DeviceDirectory.Place> = []
    for side in sides {
      try side.directory.refuseStore()
      let places = try side.directory.places()
      if places.isEmpty, !options.acceptsForeignDirectories {
        try side.directory.refuseForeignContent(ignoringHidden: !side.isDevice)
      }
      all.formUnion(places)
    }
    if let missing = options.only?.subtracting(all).min() {
      let there = all.isEmpty ? "none" : all.sorted().map(\.description).joined(separator: ", ")
      throw SyncError(.unknownPlace, "there is no store \(missing) on either side; there are: \(there)")
    }
    return options.wanted(options.only ?? all)
  }

  private func synchronize(_ sides: [Side], beginningAnew: Bool) async throws -> DeviceReport {
    // Before a directory is waited for that cannot be used.
    _ = try places(of: sides)
    // In one order everywhere, so that two runs never wait for each other.
    let locks = try sides.map(\.directory.url).sorted { $0.path < $1.path }.map {
      try DirectoryLock($0, timeoutSeconds: options.timeoutSeconds)
    }
    defer { withExtendedLifetime(locks) {} }
    let budget = ByteBudget(options.maximumBytes)
    let places = try places(of: sides)
    var turn = try turn(of: places, sides, within: budget)
    var reports: [DeviceDirectory.Place: DeviceReport.Store] = [:]
    for place in turn.ordered(places) {
      reports[place] = try await ByteBudget.$current.withValue(budget) {
        try await synchronize(place, sides, beginningAnew: beginningAnew)
      }
      turn.note(place)
    }
    try turn.save(in: turn.first.flatMap { try stores(at: $0, sides).first })
    var report = DeviceReport()
    report.stores = places.compactMap { reports[$0] }
    return report
  }

  /// One store; what goes wrong with it is in the report.
  func synchronize(
    _ place: DeviceDirectory.Place, _ sides: [Side], beginningAnew: Bool
  ) async throws -> DeviceReport.Store {
    var store = DeviceReport.Store(place: place)
    do {
      store = try await FolderMemory.$current.withValue(FolderMemory()) {
        var store = store
        let keyed = try Side.keyed(sides, at: place, passphrase: options.passphrase)
        try await synchronize(place, keyed, beginningAnew: beginningAnew, report: &store)
        return store
      }
    } catch let error as SyncError {
      store.failure = error.message
    } catch let error as StoreError {
      store.failure = error.message
    }
    store.postponed = ByteBudget.current?.sentences(on: place.description) ?? []
    return store
  }

  private func synchronize(
    _ place: DeviceDirectory.Place, _ sides: [Side], beginningAnew: Bool, report: inout DeviceReport.Store
  ) async throws {
    var stores: [String: RecordStore] = [:]
    for side in sides where side.isDevice {
      try exchange(side, place).repairMarker()
      guard try side.directory.hasStore(at: place) else { continue }
      let store = try open(side, place)
      stores[side.path] = store
      for other in sides where try other.isGone(at: place, for: store) {
        guard beginningAnew else { throw try other.absence(of: place) }
        // In the own copy first: what is in it gets into the folder, whenever a run is killed.
        report.devices[side.path] = try await engine(for: store, side, place).completeFolder()
      }
    }
    if stores.isEmpty { try refuseIncompleteFolders(sides, place) }
    try separateCopies(sides.compactMap { stores[$0.path] })
    // Before the export, so that a device that was restored from a backup meets what it had written since.
    try copy(place, sides, stores, &report)
    for side in sides {
      guard let store = stores[side.path] else { continue }
      do {
        let engine = engine(for: store, side, place)
        report.devices[side.path, default: SyncReport()].add(
          beginningAnew ? try await engine.completeFolder() : try await engine.export())
      } catch let error as SyncError where error.isOfWriting {
        // Files that others wrote can be taken all the same.
        report.devices[side.path, default: SyncReport()].undelivered.append(error.message)
      }
    }
    // In a run with a bound the records come first.
    if ByteBudget.current == nil { try deliverValues(place, sides, stores, &report) }
    try copy(place, sides, stores, &report)
    for side in sides where side.isDevice && stores[side.path] == nil {
      guard let store = try create(side, place) else {
        try noteUncreated(on: side, place, sides, &report)
        continue
      }
      stores[side.path] = store
      report.created.append(side.path)
    }
    try await importAll(place, sides, stores, &report)
    // Heads have moved: the other side learns what is applied here.
    try copy(place, sides, stores, &report)
    try noteMissing(place, sides, stores, &report)
    if sides.contains(where: \.isClosed) { try tellOfKeptSaves(stores, &report) }
    for side in sides where side.key != nil && !side.isArrival && !side.isClosed { try tidy(side, place, &report) }
    for side in sides where !side.isDevice && !side.isArrival {
      for store in stores.values { try noteUse(of: side, place, by: store) }
    }
    guard hasDeliveredAll(report, place) else { return }
    for (path, store) in stores {
      for side in sides where side.path != path && !side.isArrival {
        try LastSynchronization.note(side.path, in: store, hasChanged: !report.isUnchanged)
      }
    }
  }

  /// Whether nothing could not be written, and nothing was left to the next run.
  private func hasDeliveredAll(_ report: DeviceReport.Store, _ place: DeviceDirectory.Place) -> Bool {
    report.undelivered.isEmpty && report.devices.values.allSatisfy(\.undelivered.isEmpty)
      && ByteBudget.current?.sentences(on: place.description).isEmpty ?? true
  }

  /// Now that all heads are everywhere: whether somebody knows more than a device has, and what could bring it.
  private func noteMissing(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore],
    _ report: inout DeviceReport.Store
  ) throws {
    for side in sides {
      guard let store = stores[side.path], var own = report.devices[side.path] else { continue }
      own.missing = try MissingTransactions(of: store, in: exchange(side, place)).sentences
      if !own.missing.isEmpty { own.note(unfinished: try unfinishedSnapshots(place, sides)) }
      report.devices[side.path] = own
    }
  }

  /// A store of which files are here, but none that tells its schema, cannot be made yet.
  private func noteUncreated(
    on side: Side, _ place: DeviceDirectory.Place, _ sides: [Side], _ report: inout DeviceReport.Store
  ) throws {
    guard try !exchange(side, place).knownReplicas().isEmpty else { return }
    var own = SyncReport()
    own.missing = ["no file of \(place) that can be read tells its schema, so \(side.path) has no store of it yet"]
    own.note(unfinished: try unfinishedSnapshots(place, sides))
    report.devices[side.path] = own
  }

  private func unfinishedSnapshots(_ place: DeviceDirectory.Place, _ sides: [Side]) throws -> [String] {
    // One that was taken in part lies on both sides, with a key under two names.
    var named: Set<SnapshotName> = []
    let all = try sides.flatMap { try exchange($0, place).unfinishedSnapshots() }
    return all.filter { named.insert($0.name).inserted }.map(\.path)
  }

  /// Two stores under one replica id are copies of one device. The one that is behind takes an id of its own, which
  /// its export tells.
  private func separateCopies(_ stores: [RecordStore]) throws {
    guard stores.count == 2 else { return }
    let (left, right) = (try OwnStream(stores[0]), try OwnStream(stores[1]))
    guard left.replica == right.replica else { return }
    let (ahead, behind) = left.sequence < right.sequence ? (1, 0) : (0, 1)
    let last = behind == 0 ? left.last : right.last
    let isBeginning = try last.map { last in
      try stores[ahead].read { try $0.historyTransaction(with: last) != nil }
    }
    // Where both wrote, each publishes what it has; the engines then see two branches, and both take new ids.
    guard isBeginning ?? true else { return }
    try stores[behind].renewReplica(because: .copied)
  }

  /// A store's writes under its present replica id.
  private struct OwnStream {
    var replica: ReplicaID
    var sequence: UInt64
    var last: Stamp?

    init(_ store: RecordStore) throws {
      (replica, sequence, last) = try store.read { snapshot in
        let replica = try snapshot.replica
        let entry = try snapshot.versionVector.entries[replica]
        return (replica, entry?.sequence ?? 0, entry?.stamp)
      }
    }
  }

  func engine(for store: RecordStore, _ side: Side, _ place: DeviceDirectory.Place) -> SyncEngine {
    var engineOptions = SyncOptions()
    engineOptions.storeID = side.familyID(at: place)
    engineOptions.isShared = side.family != nil
    engineOptions.displayName =
      options.displayName.isEmpty ? side.directory.url.lastPathComponent : options.displayName
    // The device's own copy: nobody unmounts it, and what is missing comes back from the store and the peers.
    engineOptions.recreatesMissingFolder = true
    engineOptions.exchangesValues = false
    if let progress = options.progress {
      let path = side.path
      engineOptions.progress = { progress(place, path, $0) }
    }
    return SyncEngine(store: store, folder: side.directory.exchange(at: place), options: engineOptions)
  }

  func open(_ side: Side, _ place: DeviceDirectory.Place, schema: StoreSchema? = nil) throws -> RecordStore {
    var configuration = options.configuration
    configuration.url = side.directory.store(at: place)
    configuration.createsIfMissing = schema != nil
    let store = try RecordStore.open(configuration, schema: schema)
    try store.confirmIdentity()
    // Both sides then show one store id. A store that has met others keeps its own, which does no harm here.
    let isAlone = try store.read { snapshot in
      let own = try snapshot.replica
      return try snapshot.versionVector.entries.keys.allSatisfy { $0 == own }
    }
    let family = side.familyID(at: place)
    if isAlone, store.storeID != family { try store.adopt(storeID: family) }
    return store
  }

  func exchange(_ side: Side, _ place: DeviceDirectory.Place) -> ExchangeFolder {
    side.exchange(at: place, sharing: options.sharesFolder && !side.isDevice ? .everybody : .owner)
  }

  private func copy(
    _ place: DeviceDirectory.Place, _ sides: [Side], _ stores: [String: RecordStore],
    _ report: inout DeviceReport.Store
  ) throws {
    // A file that an earlier pass refused may have been replaced by an intact copy since, and room may have been made.
    report.refused = []
    report.undelivered = []
    for source in sides {
      for target in sides where target.path != source.path && !target.isArrival && !target.isClosed {
        var copy = ExchangeCopy(source: exchange(source, place), target: exchange(target, place))
        if let store = stores[target.path] { copy.applied = try store.read { try $0.versionVector } }
        copy.stores = (stores[source.path], stores[target.path])
        (copy.copiesValues, copy.keepsChunks) = (false, source.isArrival)
        if !source.isArrival {
          copy.budget = ByteBudget.current
          copy.place = place.description
          copy.direction = direction(to: target, among: sides)
        }
        // Nobody removes another's files from a shared folder.
        copy.prunable =
          target.isDevice ? nil : try Set([stores[source.path]].compactMap { try $0?.read { try $0.replica } })
        let outcome = try copy.run()
        report.filesCopied += outcome.copied
        report.refused += outcome.refused.filter { !report.refused.contains($0) }
        if let message = outcome.undelivered { report.undelivered.append(message) }
      }
    }
  }

  func direction(to target: Side, among sides: [Side]) -> ByteBudget.Direction {
    !target.isDevice || sides.allSatisfy(\.isDevice) && target.path == sides[0].path ? .given : .taken
  }

  /// A new store with the newest schema that the exchange files describe; nil when there are none.
  private func create(_ side: Side, _ place: DeviceDirectory.Place) throws -> RecordStore? {
    guard let schema = try exchange(side, place).newestSchema() else { return nil }
    return try open(side, place, schema: schema)
  }

  // MARK: The shared folder

  /// Files without their `STORE` say nothing yet; "nothing to do" would be a false answer.
  private func refuseIncompleteFolders(_ sides: [Side], _ place: DeviceDirectory.Place) throws {
    for side in sides {
      let folder = exchange(side, place)
      guard try DurableFile.names(in: folder.replicas).isEmpty == false, try !folder.isPresent() else { continue }
      throw SyncError(
        .folderMissing,
        "\(side.path) holds files of \(place), but not the file \(folder.marker.lastPathComponent) that belongs to "
          + "them: wait until the folder is complete, then sync again")
    }
  }

  /// Names the files of an encrypted folder that are not encrypted. Removes those whose key was replaced, once all that
  /// this device has lies there with the present key.
  private func tidy(_ side: Side, _ place: DeviceDirectory.Place, _ report: inout DeviceReport.Store) throws {
    let folder = exchange(side, place)
    // Files in clear at the place are those of the place's own family, which a shared family has nothing to do with.
    if side.key?.membership == nil {
      let clear = side.directory.exchange(at: place)
      let refusals = [
        try folder.clearRefusal(),
        try DurableFile.item(at: clear).map { _ in ExchangeFolder.refusal(ofClear: clear.path) },
      ]
      report.refused += refusals.compactMap(\.self)
    }
    guard hasDeliveredAll(report, place) else { return }
    try folder.removeFormerFolders()
  }

  private func noteUse(of side: Side, _ place: DeviceDirectory.Place, by store: RecordStore) throws {
    let key = side.useKey(at: place)
    guard try store.read({ try $0.attachment(key) }) == nil, try exchange(side, place).isPresent() else { return }
    _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: key, value: [1])]))
  }
}
