import Foundation
import RecordStore

extension SyncEngine {
  /// Writes everything that this store knows into the folder, for devices that begin, or that are far behind.
  ///
  /// Costs two passes over the store; holds a chunk of 1 MiB in memory, and what synchronisation keeps. An attempt
  /// that was ended goes on where it was, if the store has not changed since. Nothing is written while a collection
  /// waits for files that are under way, for half of one would be in the snapshot; nor before a salvaged store has read
  /// again what it has facts of.
  ///
  /// - Throws: as ``sync()`` does; an unfinished snapshot is of no use to others, and the next call goes on with it.
  public func writeSnapshot() throws -> SyncReport {
    try openFolder()
    var report = SyncReport()
    try settleCollections(report: &report)
    try writeSnapshot(report: &report)
    try publishHead()
    return report
  }

  func writeSnapshot(report: inout SyncReport) throws {
    let isForgetful = store.configuration.ruleMutation == .snapshotDropsOnce
    let isWritten = try store.read { snapshot throws -> Bool in
      let vector = try snapshot.versionVector
      guard !vector.entries.isEmpty, try CollectionState(snapshot).pending.isEmpty else { return false }
      var source = try SnapshotSource(snapshot)
      if isForgetful { source.rest.once = [] }
      guard let (chunks, references) = try source.chunks(in: snapshot) else { return false }
      let manifest = SnapshotManifest(
        storeID: folder.storeID, replica: try snapshot.replica, clock: try snapshot.clockStamp, vector: vector,
        schemaDescription: try SchemaDescription.encode(snapshot.catalogue), chunks: chunks,
        holdsReferences: !references.isEmpty)
      let name = SnapshotName(vector: vector, manifest: manifest.encoded())
      try folder.removeUnfinishedSnapshots(of: manifest.replica) { $0 != name }
      guard try !folder.intactSnapshots(of: manifest.replica).contains(where: { try $0.name == name && $0.isWhole() })
      else { return false }
      try list(references, by: manifest.replica)
      try deliver(references, into: &report)
      try source.forEachChunk(in: snapshot) { contents, index in
        try CancellationRequest.check()
        try folder.publish(contents, at: index, of: manifest, named: name)
      }
      try folder.publish(manifest, named: name)
      return true
    }
    if isWritten { report.snapshotsWritten += 1 }
  }

  /// Enters values in the store's list, before a file names them.
  private func list(_ references: Set<ExternalReference>, by author: ReplicaID) throws {
    guard !references.isEmpty else { return }
    _ = try store.commit { [values = store.externalFolder] snapshot in
      let attachments = try ValueList.entries(of: references, by: author, here: values, in: snapshot)
      return (SaveRequest(attachments: attachments), ())
    }
  }

  /// Takes in a snapshot where a stream cannot be read on without it. Whether one was joined.
  func joinSnapshotIfNeeded(report: inout SyncReport) throws -> Bool {
    if ByteBudget.current?.isClosed(.taken) ?? false { return false }
    let applied = try store.read { try $0.versionVector }
    // Transactions that a head tells of and no file here holds are in a snapshot where somebody began a folder anew.
    let needed = try replicasBehindGaps(applied) + MissingTransactions(of: store, in: folder).replicas
    guard !needed.isEmpty else { return false }
    let useful = try folder.intactSnapshots().filter { snapshot in
      needed.contains { snapshot.manifest.vector.sequence(of: $0) > applied.sequence(of: $0) }
    }
    for snapshot in useful.sorted(by: { $0.rank > $1.rank }) {
      do {
        if try join(snapshot, report: &report) { return true }
      } catch let error as SyncError where error.code != .inputOutput {
        report.waiting.append(error.message)
      } catch let error as StoreError where error.code == .invalidRequest {
        report.waiting.append("\(snapshot.path): \(error.message)")
      }
    }
    return false
  }

  /// Replicas of which transactions are missing that no change set in the folder has any more. A damaged one is not
  /// there: its author may have put a snapshot in its place, and nobody would ever make it whole.
  private func replicasBehindGaps(_ applied: VersionVector) throws -> [ReplicaID] {
    let own = try store.read { try $0.replica }
    return try folder.knownReplicas().filter { replica in
      let have = applied.sequence(of: replica)
      guard replica != own else { return false }
      let files = try folder.listing(of: replica).files.filter { $0.to > have }
      let next = try files.first { file in
        if file.from > have + 1 { return true }
        let circumstances = RefusedFiles.Circumstances(sequence: have, lastEpoch: lastEpoch)
        if refused.reason(for: file.url, circumstances) != nil { return false }
        return try file.readIfIntact(expecting: folder, replica: replica) != nil
      }
      if let next { return next.from > have + 1 }
      let head = try folder.intactHeads(of: replica).first
      guard let head, head.lastSequence > have else { return false }
      return head.oldestSequence > have + 1 || applied.entries.isEmpty
    }
  }

  /// Whether it was joined; else it waits for large values, as the report says.
  private func join(_ snapshot: StoredSnapshot, report: inout SyncReport) throws -> Bool {
    if let reason = refused.reason(for: snapshot.manifestFile, contradiction) {
      throw SyncError(.damagedFile, reason)
    }
    let byteCount = snapshot.manifest.payloadBytes
    guard admits(snapshot.path, byteCount: byteCount, .taken) else { return false }
    var isCounted = true
    // One that is refused must not keep others away.
    defer { if isCounted { ByteBudget.current?.giveBack(byteCount, .taken) } }
    // Most that cannot be taken yet is still under way. The store does not begin to write for it.
    try snapshot.proveIntact()
    let stored = try StoredContent(snapshot)
    let reach = try clockReach()
    try reach.take(
      [stored.manifest.clock, stored.content.greatestStamp] + stored.manifest.vector.stamps, subject: stored.path)
    let claims = SnapshotClaims(stored)
    try claims.check()
    try store.read { try claims.check(against: $0) }
    // One that waits was given back there.
    isCounted = false
    guard try hasValuesOfKeys(stored, &report) else { return false }
    isCounted = true
    let count = try join(stored, within: reach)
    isCounted = false
    report.snapshotsJoined += 1
    report.recordsMerged += count
    return true
  }

  /// In one pass over the records, each of which is judged before it is taken. One that contradicts the rest undoes all
  /// that was taken, and is noted, for the next run would come as far as this one.
  private func join(_ stored: StoredContent, within reach: ClockReach) throws -> Int {
    let now = store.configuration.clock.now()
    do {
      return try CancellationRequest.lendingCheck { check in
        try store.join(adding: { CatalogueMapping(author: stored.author, local: $0).additions }) {
          [values = store.externalFolder] snapshot in
          try SnapshotJoin(stored, within: reach, in: snapshot, values: values, nowMilliseconds: now).facts(check)
        }
      }
    } catch let error as SyncError where error.isLasting {
      // A chunk that went meanwhile may come back.
      if try stored.snapshot.isWhole() {
        refused.note(stored.snapshot.manifestFile, contradiction, reason: error.message)
      }
      throw error
    }
  }

  /// A snapshot that contradicts itself does so wherever the store stands; one that is out of reach, for so long.
  private var contradiction: RefusedFiles.Circumstances { .init(sequence: 0, lastEpoch: lastEpoch) }

  /// As of a batch that is merged, see ``hasValuesOfKeys(_:report:)``.
  private func hasValuesOfKeys(_ stored: StoredContent, _ report: inout SyncReport) throws -> Bool {
    guard stored.manifest.holdsReferences else { return true }
    let local = try store.read { $0.catalogue }
    let mapping = CatalogueMapping(author: stored.author, local: local)
    var needed: Set<ExternalReference> = []
    try stored.forEachRecord { record in
      for register in record.registers where mapping.isInIndex(register.ordinal, of: record.entity, local) {
        if let reference = ExternalReference(stored: register.value) { needed.insert(reference) }
      }
    }
    let counted = [stored.manifest.payloadBytes]
    return try hasValuesOfKeys(needed, by: stored.manifest.replica, stored.path, counted, &report)
  }
}
