import Foundation
import RecordStore

extension SyncEngine {
  /// Writes everything that this store knows into the folder, for devices that begin, or that are far behind.
  ///
  /// Holds the whole store in memory. Nothing is written while a collection waits for files that are under way, for
  /// half of one would be in the snapshot; nor before a salvaged store has read again what it has facts of.
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
    let made = try store.read { snapshot -> (SnapshotManifest, [UInt8])? in
      guard try CollectionState(snapshot).pending.isEmpty else { return nil }
      guard var content = try SnapshotContent(of: snapshot).told(by: snapshot.versionVector) else { return nil }
      if isForgetful { content.once = [] }
      let payload = content.encoded()
      let starts = stride(from: 0, to: payload.count, by: SnapshotChunk.maximumContentBytes)
      let chunks = starts.map { start in
        let contents = payload[start..<min(start + SnapshotChunk.maximumContentBytes, payload.count)]
        return SnapshotManifest.Chunk(byteCount: contents.count, hash: ContentHash(of: contents))
      }
      let manifest = SnapshotManifest(
        storeID: folder.storeID, replica: try snapshot.replica, clock: try snapshot.clockStamp,
        vector: try snapshot.versionVector, schemaDescription: try SchemaDescription.encode(snapshot.catalogue),
        chunks: chunks)
      return (manifest, payload)
    }
    guard let (manifest, payload) = made, !manifest.vector.entries.isEmpty else { return }
    let name = SnapshotName(vector: manifest.vector, manifest: manifest.encoded())
    try removeUnfinishedSnapshots()
    guard try !folder.intactSnapshots(of: manifest.replica).contains(where: { try $0.name == name && $0.isWhole() })
    else { return }
    try folder.publish(payload, as: manifest, named: name)
    report.snapshotsWritten += 1
  }

  /// Own folders in which a crash left no manifest, or in which it is damaged: a name tells what its manifest says.
  func removeUnfinishedSnapshots() throws {
    let place = folder.snapshots(of: try store.read { try $0.replica })
    for name in try DurableFile.names(in: place).compactMap(SnapshotName.init) {
      let url = place.appending(path: name.text)
      let manifest = url.appending(path: SnapshotName.manifest)
      do {
        let bytes = try DurableFile.readIfPresent(manifest, limit: SnapshotManifest.maximumFileBytes)
        if let bytes, name.names(bytes) { continue }
        try DurableFile.removeFolder(url)
      } catch let error as SyncError where error.code == .unusableFile {
        // Named by the import. Nothing is concluded from what cannot be read.
        continue
      }
    }
  }

  /// Takes in a snapshot where a stream cannot be read on without it. Whether one was joined.
  func joinSnapshotIfNeeded(report: inout SyncReport) throws -> Bool {
    let applied = try store.read { try $0.versionVector }
    // What a head tells of and no file here holds is in a snapshot where somebody began a folder anew.
    let needed = try replicasBehindGaps(applied) + MissingTransactions(of: store, in: folder).replicas
    guard !needed.isEmpty else { return false }
    let useful = try folder.intactSnapshots().filter { snapshot in
      needed.contains { snapshot.manifest.vector.sequence(of: $0) > applied.sequence(of: $0) }
    }
    for snapshot in useful.sorted(by: { $0.rank > $1.rank }) {
      do {
        try join(snapshot, report: &report)
        return true
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

  private func join(_ stored: StoredSnapshot, report: inout SyncReport) throws {
    let manifest = stored.manifest
    let author = try SchemaDescription.decode(manifest.schemaDescription, subject: stored.path)
    let content = try SnapshotContent(try stored.payload(), author: author, subject: stored.path)
    try clockReach().take(
      [manifest.clock, content.greatestStamp] + manifest.vector.stamps, subject: stored.path)
    let claims = SnapshotClaims(content: content, vector: manifest.vector, subject: stored.path)
    try claims.check()
    try store.read { try claims.check(against: $0) }
    let additions = CatalogueMapping(author: author, local: try store.read { $0.catalogue }).additions
    if !additions.isEmpty { _ = try store.commit(SaveRequest(catalogueAdditions: additions)) }
    let now = store.configuration.clock.now()
    let count = try store.join { snapshot in
      // Once more, for another process may have saved meanwhile.
      try claims.check(against: snapshot)
      return try SnapshotJoin(content, manifest, author: author, in: snapshot, nowMilliseconds: now).facts
    }
    report.snapshotsJoined += 1
    report.recordsMerged += count
  }
}

extension SnapshotContent {
  /// Everything in a store. Own contexts, which only history has, are written out.
  init(of snapshot: borrowing StoreSnapshot) throws {
    var content = SnapshotContent()
    for entity in snapshot.catalogue.entities {
      var written: [RecordID: [RecordFacts]] = [:]
      try snapshot.forEachOriginal(of: entity.number) { facts, row in written[row, default: []].append(facts) }
      try snapshot.forEachFacts(of: entity.number) { facts, _ in content.records += written[facts.id] ?? [facts] }
    }
    try snapshot.forEachGivenAlias { content.aliases[$0] = $1 }
    try snapshot.forEachPastWrite { content.pastWrites.append($0) }
    try snapshot.forEachOnceEntry { content.once.append($0) }
    content.contexts = try snapshot.causalContexts()
    content.attachments = try snapshot.forkedStreams.momentAttachments
    for prefix in SnapshotContent.carried where prefix != ForkedStreams.momentPrefix {
      try snapshot.forEachAttachment(prefix: prefix) { key, value in
        content.attachments.append(StoreAttachment(key: key, value: value))
        return true
      }
    }
    self = content
    var contexts = CausalContexts(own: ReplicaID(0))
    let own = try snapshot.replica
    try snapshot.forEachOutgoing(after: 0) { transaction in
      let context = try snapshot.context(of: transaction.dot) ?? VersionVector()
      attachments += contexts.note(
        TransactionFacts(
          dot: Dot(replica: own, sequence: transaction.dot.sequence), stamp: transaction.stamp, author: nil,
          context: context, records: []))
      return true
    }
  }
}
