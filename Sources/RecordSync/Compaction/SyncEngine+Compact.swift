import Foundation
import RecordStore

extension SyncEngine {
  /// Makes this replica's part of the folder small: joins small change sets, writes a snapshot where it would let
  /// change sets go, and removes those that a snapshot replaces.
  ///
  /// Does at once what ``sync()`` does when it is worth while. Nobody loses anything: a change set goes only
  /// when a snapshot that covers it is attested by another replica and every known replica has applied it.
  ///
  /// - Throws: as ``sync()`` does; the files that were written or removed until then stay so.
  public func compact() throws -> SyncReport {
    try openFolder()
    var report = SyncReport()
    try exportTransactions(into: &report)
    try compact(smallFiles: 2, bytes: 1, report: &report)
    try publishHead()
    return report
  }

  func compact(report: inout SyncReport) throws {
    try compact(smallFiles: options.smallChangeSetLimit, bytes: options.snapshotBytes, report: &report)
  }

  /// `smallFiles`: how many of them are worth joining; `bytes`: how much must go for a snapshot.
  private func compact(smallFiles: Int, bytes: Int, report: inout SyncReport) throws {
    if try removableBytes() >= bytes && !isCoveredBySnapshot() || lacksSnapshot()
      || !holdsAllKnown(verifyingFiles: false)
    {
      try writeSnapshot(report: &report)
    }
    try removeCoveredFiles(report: &report)
    try removeOldSnapshots()
    try joinSmallFiles(atLeast: smallFiles, report: &report)
  }

  // MARK: Small files

  /// Joins runs of small files with one schema. The range is noted before the new file is published, and the small
  /// ones go when it is there: a crash in between leaves what the next export or compaction ends.
  private func joinSmallFiles(atLeast limit: Int, report: inout SyncReport) throws {
    let replica = try store.read { try $0.replica }
    for run in FileRuns.small(try exportRecords(of: replica), limitBytes: options.changeSetBytes)
    where run.count >= max(limit, 2) {
      guard let set = try joined(run, of: replica), set.fitsFile else { continue }
      let file = ChangeSetCodec.file(of: set)
      let record = ExportRecord(set, file: file, schemaKey: run[0].schemaKey)
      let stale = run.map { StoreAttachment(key: $0.key(storeID: folder.storeID, replica: replica), value: nil) }
      let noted = record.attachment(storeID: folder.storeID, replica: replica)
      let references = try references(of: set)
      _ = try store.commit { [values = store.externalFolder] snapshot in
        let listed = try ValueList.entries(of: references, by: replica, here: values, in: snapshot)
        return (SaveRequest(attachments: stale + [noted] + listed), ())
      }
      try deliver(references, into: &report)
      try folder.publish(file.bytes, record.name, of: replica)
      report.filesCompacted += run.count
    }
    try removeContainedFiles(of: replica)
  }

  /// The transactions of consecutive files, from history or else from the files; nil where neither has them.
  func joined(_ run: [ExportRecord], of replica: ReplicaID) throws -> ChangeSet? {
    guard let first = run.first, let last = run.last else { return nil }
    let (fromHistory, schema) = try store.read { snapshot in
      (
        try outgoing(of: replica, from: first.from, to: last.to, in: snapshot),
        try snapshot.attachment(first.schemaKey) ?? []
      )
    }
    var (transactions, holdsReferences) = (
      fromHistory.map(\.encoded), fromHistory.contains { !$0.references.isEmpty }
    )
    if UInt64(transactions.count) != last.to - first.from + 1 {
      (transactions, holdsReferences) = try transactionsInFiles(from: first.from, to: last.to, of: replica)
    }
    guard UInt64(transactions.count) == last.to - first.from + 1 else { return nil }
    return ChangeSet(
      storeID: folder.storeID, replica: replica, firstSequence: first.from, previousHash: first.previousHash.bytes,
      schemaDescription: schema, transactions: transactions, holdsReferences: holdsReferences)
  }

  func outgoing(
    of replica: ReplicaID, from: UInt64, to: UInt64, in snapshot: borrowing StoreSnapshot
  ) throws -> [OutgoingTransaction] {
    var transactions: [OutgoingTransaction] = []
    try snapshot.forEachOutgoing(of: replica, after: from - 1, asStored: true) { transaction in
      guard transaction.dot.sequence <= to else { return false }
      if transaction.dot.sequence == from + UInt64(transactions.count) { transactions.append(transaction) }
      return true
    }
    return transactions
  }

  /// Whether large values are named in them, too. None where some files name them and others hold them: what is in one
  /// file has one form.
  private func transactionsInFiles(
    from: UInt64, to: UInt64, of replica: ReplicaID
  ) throws -> ([[UInt8]], holdsReferences: Bool) {
    var found: [UInt64: [UInt8]] = [:]
    var forms: Set<Bool> = []
    for file in try folder.listing(of: replica).files where file.to >= from && file.from <= to {
      do {
        let set = try file.read(expecting: folder, replica: replica)
        for (index, bytes) in set.transactions.enumerated() { found[set.firstSequence + UInt64(index)] = bytes }
        forms.insert(set.holdsReferences)
      } catch let error as SyncError where error.code != .inputOutput {
        continue
      }
    }
    return forms.count > 1 ? ([], false) : ((from...to).compactMap { found[$0] }, forms.contains(true))
  }

  /// Own files that hold nothing but what a larger one of the published files holds, which is there and whole.
  func removeContainedFiles(of replica: ReplicaID) throws {
    let records = try exportRecords(of: replica)
    let files = try folder.listing(of: replica).files
    let published = Set(records.map(\.name))
    var overlaps = StreamOverlaps(files, of: replica, in: folder)
    for file in files where !published.contains(file.name) {
      guard let record = records.first(where: { $0.from <= file.from && file.to <= $0.to }),
        try isWhole(record, of: replica),
        let larger = files.first(where: { $0.name == record.name }), try overlaps.isReplaced(file, by: larger)
      else { continue }
      try DurableFile.remove(file.url)
    }
  }

  /// Whether a larger file of the stream holds what a missing one held, so that nobody misses it. A store that was
  /// restored to before its first export, and has got back what it exported then, has such a record. Published again,
  /// the file would be removed again where a device keeps its copy small.
  func isHeld(_ record: ExportRecord, of replica: ReplicaID) throws -> Bool {
    let place = folder.file(record.name, of: replica)
    guard try DurableFile.item(at: place) == nil else { return false }
    let files = try folder.listing(of: replica).files
    let missing = StreamFile(
      exchange: folder, url: place, from: record.from, to: record.to, name: record.name, path: record.name.text)
    let larger = files.filter { file in
      file.from <= record.from && record.to <= file.to && file.to - file.from > record.to - record.from
    }
    guard !larger.isEmpty, let set = try joined([record], of: replica) else { return false }
    var overlaps = StreamOverlaps(files + [missing], of: replica, in: folder)
    return try larger.contains { try overlaps.isReplaced(missing, holding: set, by: $0) }
  }

  func isWhole(_ record: ExportRecord, of replica: ReplicaID) throws -> Bool {
    do {
      let place = folder.file(record.name, of: replica)
      guard
        let bytes = try folder.readIfPresent(place, as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
      else { return false }
      return ContentHash(of: bytes) == record.hash
    } catch let error as SyncError where [.damagedFile, .foreignFile].contains(error.code) {
      // A file that the seal does not take is not the one that was published.
      return false
    }
  }

  /// Whether an intact file in the own stream holds this store's own transactions, and not those of another life.
  func isOwn(_ file: StreamFile, of replica: ReplicaID) throws -> Bool {
    do {
      let set = try file.read(expecting: folder, replica: replica)
      let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
      let heads = try ImportBatch.read(set, author: author, after: 0, subject: file.path).map(\.head)
      return try store.read { snapshot in
        let known = try outgoing(of: replica, from: set.firstSequence, to: set.lastSequence, in: snapshot)
        // A copy of the store may have made the same stamps: where history still tells, the bytes decide.
        let own = ChangeSet(saying: known, like: set)
        let isSame =
          known.count != set.transactions.count
          || own.isEqual(to: set, from: set.firstSequence, to: set.lastSequence)
        return try isSame && heads.allSatisfy { try snapshot.stamp(of: $0.dot) == $0.stamp }
      }
    } catch let error as SyncError where error.code != .inputOutput {
      return false
    } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
      return false
    }
  }

  // MARK: Files that a snapshot replaces

  /// Up to where every known replica has applied this one's stream. The newest file always stays.
  private func removableRecords(_ peers: Peers) throws -> [ExportRecord] {
    let others = peers.awaited
    guard !others.isEmpty else { return [] }
    let limit = try appliedByAll(others, peers)
    return try exportRecords(of: peers.own).dropLast().prefix { $0.to <= limit }
  }

  /// Up to where all these replicas have applied this one's stream, as their heads say: this store's, and not what
  /// another store wrote under its id.
  private func appliedByAll(_ others: Set<ReplicaID>, _ peers: Peers) throws -> UInt64 {
    try store.read { snapshot in
      try others.map { replica in
        try (peers.heads[replica] ?? []).map { try snapshot.ownSequence(in: $0.applied) }.max() ?? 0
      }.min() ?? 0
    }
  }

  private func removableBytes() throws -> Int {
    try removableRecords(peers()).reduce(0) { $0 + $1.fileBytes }
  }

  /// Whether a snapshot that could let the removable files go is there already, attested or waiting for it.
  private func isCoveredBySnapshot() throws -> Bool {
    let peers = try peers()
    let last = try removableRecords(peers).last?.to ?? 0
    return try ownSequences(in: folder.intactSnapshots()).contains { $0 >= last }
  }

  /// Whether the beginning of the own stream has gone and no whole snapshot in the folder holds it any more.
  private func lacksSnapshot() throws -> Bool {
    let own = try store.read { try $0.replica }
    guard let oldest = try exportRecords(of: own).first?.from, oldest > 1 else { return false }
    return try ownSequences(in: folder.intactSnapshots().filter { try $0.isWhole() }).allSatisfy { $0 < oldest - 1 }
  }

  private func removeCoveredFiles(report: inout SyncReport) throws {
    let peers = try peers()
    let removable = try removableRecords(peers)
    guard !removable.isEmpty, let covered = try attestedSequence(peers) else { return }
    let gone = removable.prefix { $0.to <= covered }
    guard !gone.isEmpty else { return }
    let stale = gone.map {
      StoreAttachment(key: $0.key(storeID: folder.storeID, replica: peers.own), value: nil)
    }
    _ = try store.commit(SaveRequest(attachments: stale))
    report.filesCompacted += gone.count
    // The head tells first that these are not to come back, then they go.
    try publishHead()
    try removeFiles(before: gone[gone.endIndex - 1].to, of: peers.own)
  }

  /// How much of the own stream a whole snapshot holds that another replica's head attests.
  private func attestedSequence(_ peers: Peers) throws -> UInt64? {
    let attested = Set(
      peers.heads.filter { $0.key != peers.own && !peers.state.retired.contains($0.key) }.values.joined()
        .flatMap(\.attested))
    return try ownSequences(
      in: folder.intactSnapshots().filter { try attested.contains($0.name.text) && $0.isWhole() }
    ).max()
  }

  /// How much of the own stream each snapshot holds.
  private func ownSequences(in snapshots: [StoredSnapshot]) throws -> [UInt64] {
    try store.read { snapshot in try snapshots.map { try snapshot.ownSequence(in: $0.manifest.vector) } }
  }

  /// Own files that end at or before a sequence number, also those that came back from another device's copy.
  func removeFiles(before sequence: UInt64, of replica: ReplicaID) throws {
    for file in try folder.listing(of: replica).files where file.to <= sequence {
      guard try isOwn(file, of: replica) else { continue }
      try DurableFile.remove(file.url)
    }
  }

  /// Keeps the newest own snapshot and the newest one that somebody attests.
  private func removeOldSnapshots() throws {
    let peers = try peers()
    // Left by a crash without a manifest, or damaged.
    try folder.removeUnfinishedSnapshots(of: peers.own) { _ in true }
    let attested = Set(peers.heads.filter { $0.key != peers.own }.values.joined().flatMap(\.attested))
    let own = try folder.intactSnapshots(of: peers.own).sorted { $0.rank < $1.rank }
    let newestAttested = own.last { attested.contains($0.name.text) }
    for snapshot in own.dropLast() where snapshot.name != newestAttested?.name {
      // The manifest first: what is left of a crash is no snapshot any more.
      try DurableFile.remove(snapshot.folder.appending(path: SnapshotName.manifest))
      try DurableFile.removeFolder(snapshot.folder)
    }
  }

  // MARK: History

  /// Forgets history that every reader is past: older than the retention, exported, and applied by every known
  /// replica, so that no file has to be made from it again.
  func trimHistory() throws {
    let age = UInt64(millisecondsOf: options.historyRetentionSeconds)
    let present = try presentOfHistory(age)
    let peers = try peers()
    guard !peers.awaited.isEmpty, present > age else { return }
    let limit = try appliedByAll(peers.awaited, peers)
    let oldest = Date(timeIntervalSince1970: Double(present - age) / 1000)
    let exported = try exportRecords(of: peers.own).last?.to ?? 0
    let through = try store.read { snapshot in
      try snapshot.lastHistoryNumber { transaction in
        guard transaction.committedAt < oldest else { return false }
        return transaction.isMerge || transaction.dot.replica != peers.own
          || transaction.dot.sequence <= min(limit, exported)
      }
    }
    if let through { try store.trimHistory(through: through) }
  }

  /// A clock that runs ahead for a while makes nothing old: the newest save that is known says how late it is, too. In
  /// a family without a credible clock the device's own counts.
  private func presentOfHistory(_ age: UInt64) throws -> UInt64 {
    let now = store.configuration.clock.now()
    let known = try store.read { try $0.clockStamp.wallMilliseconds }
    return age == 0 || known < HybridClock.earliestCredibleMilliseconds ? now : min(now, known)
  }
}

/// Consecutive files that are worth joining.
enum FileRuns {
  static func small(_ records: [ExportRecord], limitBytes: Int) -> [[ExportRecord]] {
    var runs: [[ExportRecord]] = []
    var run: [ExportRecord] = []
    for record in records {
      let isSmall = record.fileBytes < limitBytes / 2
      let count = record.to - (run.first?.from ?? record.from)
      let fits =
        run.reduce(record.fileBytes) { $0 + $1.fileBytes } <= limitBytes
        && count < ChangeSetHeader.maximumTransactionCount
      let follows = run.last.map { $0.to + 1 == record.from && $0.schemaKey == record.schemaKey } ?? true
      if !isSmall || !fits || !follows {
        runs.append(run)
        run = []
      }
      if isSmall { run.append(record) }
    }
    return (runs + [run]).filter { $0.count > 1 }
  }
}
