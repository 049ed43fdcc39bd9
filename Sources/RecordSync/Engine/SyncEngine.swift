public import Foundation
public import RecordStore
import Synchronization

/// Keeps one store equal with other replicas through an exchange folder.
///
/// ```swift
/// var options = SyncOptions()
/// options.storeID = DeviceDirectory.Place(group: "group.org.example.books", name: "Books").familyID
/// options.largeValues = .onDemand  // large values come when the app asks for them
/// let engine = SyncEngine(store: store, folder: folder, options: options)
/// let report = try await engine.sync()
/// ```
/// Stores that two devices made on their own are one family only by a common ``SyncOptions/storeID``.
///
/// The engine works on a queue of its own. A task that is cancelled stops with `CancellationError` before the next file
/// is read or written and before the next batch is merged; every file and every merge is whole, and the next run goes
/// on from there. Two engines on one store do no harm, in one process or in two: ranges and merges are decided inside
/// the store's write transactions. A merge is a commit like any other: observers of the store, contexts and other
/// processes learn of it, and history names it a merge.
public actor SyncEngine {
  let store: RecordStore
  let folder: ExchangeFolder
  let options: SyncOptions
  /// The folder in which other families may have folders of their own beside this one's; nil: the root.
  let sharedFolder: URL?
  /// Where the family's files lie that were written without a key; nil: in the same folder.
  let clearFolder: URL?
  /// Own files as they were when they were last found whole; see ``isPublished(_:in:)``.
  var wholeFiles = WholeFiles()
  /// The files that the present import has refused, and those that earlier ones have.
  var refused = RefusedFiles()
  /// The last epoch that the present import takes; see ``ClockReach``.
  var lastEpoch = Stamp.greatestFreeEpoch
  private nonisolated let executor = SyncExecutor()
  private nonisolated let feed = EventFeed<SyncEvent>()
  /// The run under way.
  private nonisolated let current = Mutex<CancellationRequest?>(nil)
  nonisolated let watches = RunningWatches()

  /// The engine's steps from now on, for a progress display. Each call gives a sequence of its own with all events.
  ///
  /// A consumer that falls behind keeps the newest 1000 events. The sequence ends when the engine goes, or the
  /// consuming task; it does not keep the engine.
  public nonisolated var events: AsyncStream<SyncEvent> { feed.stream() }

  /// The engine's own queue, so that none of its waiting takes one of Swift's shared threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// `folder` is the root in which every store has an exchange folder of its own.
  public init(store: RecordStore, folder: URL, options: SyncOptions = SyncOptions()) {
    self.store = store
    self.folder = ExchangeFolder(
      root: folder, storeID: options.storeID ?? options.key?.membership?.family ?? store.storeID,
      sharing: options.sharesFolder ? .everybody : .owner,
      key: options.key, mutation: store.configuration.ruleMutation)
    self.options = options
    (sharedFolder, clearFolder) = (nil, nil)
  }

  /// `sharedFolder`: see there.
  init(store: RecordStore, folder: ExchangeFolder, sharedFolder: URL, clearFolder: URL?, options: SyncOptions) {
    (self.store, self.folder, self.options) = (store, folder, options)
    (self.sharedFolder, self.clearFolder) = (sharedFolder, clearFolder)
  }

  /// Exports, imports, and says in the replica's head how far it has come.
  ///
  /// - Throws: ``SyncError`` when the folder is gone or the disk fails, `sameDirectory` when it lies in the store's
  ///   directory or around it, and what the store throws. The work done until
  ///   then is complete in itself: the next run continues. Where nothing can be written into the folder, what others
  ///   have written there is merged before that is thrown.
  public func sync() throws -> SyncReport {
    let (report, failure) = try exchange()
    if let failure { throw failure }
    return report
  }

  /// As ``sync()``; what could not be written is in the report.
  func syncAsFarAsPossible() throws -> SyncReport {
    var (report, failure) = try exchange()
    // A file that could not be written after that waits for the same remedy: a full disk is one trouble.
    if let failure { report.undelivered = [failure.message] }
    return report
  }

  /// Besides what was done, why nothing could be written into the folder.
  private func exchange() throws -> (SyncReport, SyncError?) {
    try cancellable {
      var report = SyncReport()
      do {
        report.add(try exportOwn())
      } catch let error as SyncError where error.isOfWriting {
        report.add(try `import`())
        return (report, error)
      }
      report.add(try `import`())
      report.add(try replaceFormerFiles())
      report.add(try maintain())
      report.postponed = postponed
      if report.postponed.isEmpty {
        try LastSynchronization.note(
          (sharedFolder ?? folder.root).path, in: store, hasChanged: !report.isUnchanged)
      }
      return (report, nil)
    }
  }

  /// Ends the run that is under way, as the cancellation of its task would, and every ``watch(_:)``.
  ///
  /// Returns at once; the run throws `CancellationError` before its next step. Nothing is undone, and the next
  /// ``sync()`` goes on from there. Safe to call from any thread.
  public nonisolated func cancel() {
    watches.cancelAll()
    current.withLock { $0?.make() }
  }

  /// One run that ``cancel()`` ends; runs inside of it end with it.
  private func cancellable<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard CancellationRequest.current == nil else { return try body() }
    let request = CancellationRequest()
    current.withLock { $0 = request }
    defer { current.withLock { $0 = nil } }
    return try CancellationRequest.$current.withValue(request) {
      try ByteBudget.$current.withValue(ByteBudget(options.maximumBytes), operation: body)
    }
  }

  /// Whether a file may be moved in this run.
  func admits(_ file: String, byteCount: Int, _ direction: ByteBudget.Direction) -> Bool {
    ByteBudget.current?.admits(file, of: "", byteCount: byteCount, direction) ?? true
  }

  /// Whether the run has moved no file.
  var hasMovedNothing: Bool { ByteBudget.current?.isUnused ?? true }

  private var postponed: [String] { ByteBudget.current?.sentences(on: "") ?? [] }

  /// Keeps store and folder small, as far as it is due: collection, compaction, history.
  ///
  /// ``sync()`` ends with it. An app that calls ``export()`` and ``import()`` by itself calls this one, too, or its
  /// folder only grows. Does nothing before ``SyncOptions/maintenanceIntervalSeconds`` have passed.
  ///
  /// - Throws: what ``sync()`` throws.
  public func maintain() throws -> SyncReport {
    try running(.maintenance) { report in
      guard try !isReader && hasMovedNothing && isMaintenanceDue() else { return }
      try RefusedFiles.forgetAll(in: store)
      try DeclinedFiles.forgetAll(in: store)
      try wholeFiles.forgetAll(in: store)
      try tidyValues(into: &report)
      try collect(olderThan: options.collectionAgeSeconds, report: &report)
      try exportTransactions(into: &report)
      try compact(report: &report)
      try trimHistory()
      try publishHead()
    }
  }

  /// One run, with its events around it. `opening`: whether the folder must be there, or be a new one.
  func running(
    _ activity: SyncActivity, opening: Bool = true, _ body: (inout SyncReport) throws -> Void
  ) throws -> SyncReport {
    tell(.began(activity))
    do {
      let report = try cancellable {
        try CancellationRequest.check()
        var report = SyncReport()
        try FolderMemory.during {
          if opening { try openFolder() }
          try body(&report)
        }
        report.postponed = postponed
        return report
      }
      tell(.ended(activity, report))
      return report
    } catch {
      tell(.stopped(activity))
      throw error
    }
  }

  func tell(_ event: SyncEvent) {
    options.progress?(event)
    feed.send(event)
    SyncEvents.send(event, of: store.url.path)
  }

  nonisolated func events<Result>(
    to receive: @escaping @Sendable (SyncEvent) -> Void, while body: () async throws -> Result
  ) async rethrows -> Result {
    try await feed.listening(receive, while: body)
  }

  /// Once an interval, by the wall clock; a clock that was set back does not stop it.
  private func isMaintenanceDue() throws -> Bool {
    let now = store.configuration.clock.now()
    let interval = UInt64(millisecondsOf: options.maintenanceIntervalSeconds)
    let last = try store.read { snapshot -> UInt64? in
      guard let value = try snapshot.attachment(SyncAttachment.maintained) else { return nil }
      var reader = FileReader(value, subject: "the time of the last maintenance")
      return try reader.integer()
    }
    if let last, last <= now, now - last < interval { return false }
    var writer = FileWriter()
    writer.put(now)
    let attachment = StoreAttachment(key: SyncAttachment.maintained, value: writer.bytes)
    _ = try store.commit(SaveRequest(attachments: [attachment]))
    return true
  }

  /// Publishes this replica's transactions that are not in the folder yet, and files of its own that got lost.
  ///
  /// Transactions of its own that are saved meanwhile may be among them. Where the family's key was replaced, all that
  /// this store knows is written with the present one, and the files of the former key go, those of others included.
  ///
  /// A device that calls this and ``import()`` in place of ``sync()`` does all that concerns records. It does three
  /// things less: ``maintain()``; the note of the last synchronisation in ``SyncStatus/lastSynchronizations``; and the
  /// import in spite of a folder that cannot be written to, for this call throws then.
  ///
  /// Cost: history from the last published transaction on is read once. A transaction's bytes are those that its save
  /// wrote; they are copied into the file's, packed and hashed, and no value is made of them. Each file of
  /// ``SyncOptions/changeSetBytes`` takes a commit that notes it (two flushes) and two flushes of its own, of the file
  /// and its folder; the head takes a flush of the store and two more.
  ///
  /// - Throws: As ``sync()``.
  public func export() throws -> SyncReport {
    try cancellable {
      var report = try exportOwn()
      report.add(try replaceFormerFiles())
      return report
    }
  }

  /// The export without the files of a former key, which ``sync()`` replaces when it has read what others wrote.
  private func exportOwn() throws -> SyncReport {
    try running(.export) { report in
      try exportTransactions(into: &report)
      try completeOnce(report: &report)
      try publishHead()
    }
  }

  /// Merges what the folder holds of other replicas.
  ///
  /// A file that cannot be used is in the report; all others are merged. Needs only to read the folder: that nothing
  /// can be written there is in the report, too. ``export()`` says what ``sync()`` does besides both.
  ///
  /// Cost: what is known already is skipped by the names of files. New files are unpacked, hashed and checked from end
  /// to end; their records go from there into rows and index keys, without a value for each field unless a merge meets
  /// a rule or the conflict log must know it. A record that is here already takes one step of a cursor in key order,
  /// its checksum, one comparison of stamps a field and a copy of the row. A commit (two flushes) comes after each
  /// ``SyncOptions/recordsPerCommit``, and where another author's schema or stream begins; the head is written as by
  /// ``export()``.
  ///
  /// - Throws: As ``sync()``.
  public func `import`() throws -> SyncReport {
    try running(.import) { report in
      try ConflictLog(store: store).removeExpired(nowMilliseconds: store.configuration.clock.now())
      try importStreams(into: &report)
      try receiveValues(into: &report)
      try tellOfStrangers(in: &report)
      for refusal in try unreadFolders() { refuse(refusal, in: &report) }
      try unlessUnwritable(&report) { _ in try publishHead() }
      if isReader, let sentence = try SyncEngine.sentence(onSavesKeptIn: store) { report.warnings.append(sentence) }
      report.missing = try missing()
      if !report.missing.isEmpty { report.note(unfinished: try folder.unfinishedSnapshots().map(\.path)) }
    }
  }

  /// Tells of other families with the same entities, where the store has met nobody and goes by an id, or a place, that
  /// others need not share: two devices that each made the store would go past each other for ever.
  private func tellOfStrangers(in report: inout SyncReport) throws {
    guard options.storeID == nil || sharedFolder != nil, !isShared, try folder.knownReplicas().count <= 1 else {
      return
    }
    let own = Set(try store.read { $0.catalogue.entities.filter(\.isDeclared).map(\.name) })
    for other in try ExchangeFolder.all(in: sharedFolder ?? folder.root) where other.url != folder.url {
      guard let schema = try other.newestSchema(), !own.isDisjoint(with: schema.entities.map(\.name)) else { continue }
      report.warnings.append(
        sharedFolder == nil
          ? "\(folder.root.path) holds files of another store with the same entities (\(other.storeID)), which this "
            + "one does not read: if both are one store, made apart on two devices, give both the same "
            + "SyncOptions.storeID"
          : "\(other.url.path) holds files of another store with the same entities, which this one does not read: if "
            + "both are one store, made apart on two devices, give both the same place (group and name)")
    }
  }

  /// Folders of the family that nobody reads: those that are not encrypted, though it has a key, and those whose names
  /// were changed.
  private func unreadFolders() throws -> [SyncReport.Refusal] {
    let beside = try clearFolder.flatMap { try DurableFile.item(at: $0) == nil ? nil : $0 }
    return try [folder.clearRefusal(), beside.map { ExchangeFolder.refusal(ofClear: $0.path) }].compactMap(\.self)
      + folder.respelledFolders()
  }

  /// Transactions that others say that they know, and that no file here has.
  func missing() throws -> [String] { try MissingTransactions(of: store, in: folder).sentences }

  /// A folder that cannot be written to, full or somebody else's, can still be read: that is in the report.
  func unlessUnwritable(_ report: inout SyncReport, _ body: (inout SyncReport) throws -> Void) throws {
    do {
      try body(&report)
    } catch let error as SyncError where error.isOfWriting {
      if !report.undelivered.contains(error.message) { report.undelivered.append(error.message) }
    }
  }

  /// Writes all that this store knows with the present key, and removes the files of a key that it has replaced. The
  /// next run goes on where one was killed in between.
  private func replaceFormerFiles() throws -> SyncReport {
    guard try !isReader && hasMovedNothing && !folder.formerFolders().isEmpty else { return SyncReport() }
    return try running(.export) { report in
      try writeWhatIsLacking(into: &report)
      try publishHead()
      guard report.waiting.isEmpty, store.configuration.ruleMutation != .formerFilesStay else { return }
      try folder.removeFormerFolders()
    }
  }

  private func standing() throws -> ExchangeFolder.Standing {
    guard store.configuration.ruleMutation == .clearWithoutKey, folder.seal == nil else { return try folder.standing() }
    return try DurableFile.size(of: folder.marker) == nil ? .absent : .present
  }

  /// Refuses a folder that lies in the store's directory or around it.
  nonisolated func requireSeparateFolder() throws {
    if store.configuration.url == nil { return }
    try SyncError.requireSeparate(store.url, sharedFolder ?? folder.root)
  }

  /// Stops when the folder was used before and is not there: nothing may be concluded from an empty folder.
  func openFolder() throws {
    try requireSeparateFolder()
    try confirmFamily()
    // A copy must not speak for the original.
    try store.confirmIdentity()
    if options.recreatesMissingFolder { try folder.repairMarker() }
    let key = SyncAttachment.folders + ContentHash(of: folder.url.standardizedFileURL.path.utf8).bytes
    let wasUsed = try store.read { try $0.attachment(key) } != nil
    if let sharedFolder { try folder.refuseBesideSealed(in: sharedFolder) }
    let standing = try standing()
    try options.key?.membership?.check(standing, of: (sharedFolder ?? folder.root).path, hasMet: hasMetFamily())
    if standing != .present {
      guard standing == .replaced || !wasUsed || options.recreatesMissingFolder else {
        throw SyncError(
          .folderMissing,
          "the exchange folder \(folder.url.path) was used before and is gone: it is unmounted or was wiped; mount it "
            + "again, or \(SyncError.remedyOfEmptiedFolder)")
      }
      try folder.create()
    }
    guard !wasUsed else { return }
    _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: key, value: [1])]))
  }

  func publishHead() throws { try publishHead(of: store.read { try $0.replica }) }

  /// `replica`: the own id, or a former one.
  func publishHead(of replica: ReplicaID) throws {
    if isReader { return }
    // A head's word on what is applied must survive a power cut, because others remove and forget on it.
    try store.flush()
    let head = try store.read { snapshot in
      let vector = try snapshot.versionVector
      let own = vector.entries[replica]
      var head = ReplicaHead(
        storeID: folder.storeID, replica: replica, lastSequence: own?.sequence ?? 0, clock: own?.stamp ?? .zero,
        applied: vector, displayName: String(options.displayName.prefix(200)))
      head.schemaID = try SchemaDescription.identifier(of: snapshot.catalogue)
      head.attested = try SyncEngine.attested(in: snapshot).sorted()
      try snapshot.forEachAttachment(prefix: ExportRecord.prefix(storeID: folder.storeID, replica: replica)) {
        _, value in
        head.oldestSequence = try ExportRecord(value).from
        return false
      }
      return head
    }
    if try folder.publish(head) {
      ByteBudget.current?.count(ownHead: folder.byteCount(ofContent: head.encoded().count))
    }
  }
}
