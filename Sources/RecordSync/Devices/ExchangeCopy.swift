import Foundation
import RecordStore

/// Copies what one exchange folder has and another lacks: every replica's files, so that synchronisation passes
/// over any chain of devices. Only intact files travel, and only under the name of their content.
struct ExchangeCopy {
  let source: ExchangeFolder
  let target: ExchangeFolder
  /// What the target's device has applied: files beyond it are read there, so a damaged copy of them is replaced.
  var applied = VersionVector()
  /// The devices' stores, where they have some: they know whose files they own, and which of two stores that write
  /// under one replica id speaks in a head or a file.
  var stores: (source: RecordStore?, target: RecordStore?) = (nil, nil)
  /// Whose files may be removed in the target where their owner has replaced them; nil: everybody's, in a device's
  /// own copy of the folder.
  var prunable: Set<ReplicaID>? = []

  struct Outcome {
    /// Change sets that were copied.
    var copied = 0
    /// Damaged or foreign ones, left where they are.
    var refused: [SyncReport.Refusal] = []
  }

  func run() throws -> Outcome {
    var outcome = Outcome()
    guard try source.isPresent() else { return outcome }
    if try !target.isPresent() { try target.create() }
    let owned = (source: try ExchangeCopy.ids(of: stores.source), target: try ExchangeCopy.ids(of: stores.target))
    for replica in try source.knownReplicas() {
      // First, for a head tells which change sets a snapshot has replaced.
      try copyHeads(of: replica)
      try copySnapshots(of: replica, &outcome)
      let oldest = try oldestKept(of: replica)
      let files = try source.listing(of: replica).files
      var overlaps = StreamOverlaps(files + (try target.listing(of: replica).files), of: replica, in: target)
      for file in files {
        try Task.checkCancellation()
        // Owners remove by themselves what a snapshot replaces.
        let kept = owned.source.contains(replica) ? 1 : oldest
        if try !isReplaced(file, of: replica, oldest: kept, &overlaps) { try copy(file, of: replica, &outcome) }
      }
      guard prunable?.contains(replica) ?? true else { continue }
      try prune(replica, oldest: owned.target.contains(replica) ? 1 : oldest)
    }
    return outcome
  }

  /// Under which ids a store has written.
  private static func ids(of store: RecordStore?) throws -> Set<ReplicaID> {
    try store?.read { Set([try $0.replica] + (try $0.formerReplicas.map(\.replica))) } ?? []
  }

  /// What a replica's stream begins with in the target, by its newest head. Of two stores that write under one id each
  /// speaks for itself alone: nothing is replaced while the device has not applied what the head says, or knows
  /// another transaction in the place of one that a head names.
  private func oldestKept(of replica: ReplicaID) throws -> UInt64 {
    let heads = try target.intactHeads(of: replica)
    guard let oldest = heads.first?.oldestSequence, let store = stores.target ?? stores.source else {
      return heads.first?.oldestSequence ?? 1
    }
    let ends = heads.compactMap { $0.applied.entries[replica] }
    let isTrusted = try store.read { snapshot in
      try ends.first.map { try snapshot.agrees(with: $0, of: replica) } ?? false
        && !ends.contains { try snapshot.contradicts($0, of: replica) }
    }
    return isTrusted ? oldest : 1
  }

  /// Whether another store wrote the file under the replica's id than the one whose transactions the device has.
  private func isOfAnotherLife(_ file: StreamFile, of replica: ReplicaID) throws -> Bool {
    guard let store = stores.target ?? stores.source,
      let set = try file.readIfIntact(expecting: source, replica: replica)
    else { return false }
    let heads: [TransactionFacts]
    do {
      let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
      heads = try ImportBatch.read(set, author: author, after: 0, subject: file.path).map(\.head)
    } catch let error as SyncError where error.code != .inputOutput {
      // Nobody takes such a file in, so it is of no life.
      return false
    } catch let error as StoreError where error.code == .damaged {
      return false
    }
    return try store.read { snapshot in
      try heads.contains { try snapshot.stamp(of: $0.dot) ?? $0.stamp != $0.stamp }
    }
  }

  /// Whether nobody misses the file: a snapshot has taken its place, or the target has it within a larger one.
  private func isReplaced(
    _ file: StreamFile, of replica: ReplicaID, oldest: UInt64, _ overlaps: inout StreamOverlaps
  ) throws -> Bool {
    guard let name = file.name, applied.entries.isEmpty || name.to <= applied.sequence(of: replica) else {
      return false
    }
    if name.to < oldest { return try !isOfAnotherLife(file, of: replica) }
    return try target.listing(of: replica).files.contains { other in
      guard let larger = other.name, larger.from <= name.from, name.to <= larger.to, larger != name else {
        return false
      }
      return try larger.to - larger.from > name.to - name.from && overlaps.isReplaced(file, by: other)
    }
  }

  /// Removes what the owner has replaced, and snapshots but the newest two.
  private func prune(_ replica: ReplicaID, oldest: UInt64) throws {
    let files = try target.listing(of: replica).files
    var overlaps = StreamOverlaps(files, of: replica, in: target)
    for file in files where try isReplaced(file, of: replica, oldest: oldest, &overlaps) {
      try DurableFile.remove(file.url)
    }
    let snapshots = try target.intactSnapshots(of: replica).sorted { $0.rank < $1.rank }
    for snapshot in snapshots.dropLast(2) {
      try DurableFile.remove(snapshot.folder.appending(path: SnapshotName.manifest))
      try DurableFile.removeFolder(snapshot.folder)
    }
  }

  /// The newest two snapshots, chunk by chunk, the manifest last. One that is not whole yet is copied later.
  private func copySnapshots(of replica: ReplicaID, _ outcome: inout Outcome) throws {
    let there = Set(try target.intactSnapshots(of: replica).map(\.name))
    let newest = try source.intactSnapshots(of: replica).sorted { $0.rank < $1.rank }.suffix(2)
    for snapshot in newest where !there.contains(snapshot.name) {
      guard try snapshot.isWhole() else { continue }
      let folder = target.snapshots(of: replica).appending(path: snapshot.name.text)
      for index in snapshot.manifest.chunks.indices {
        try Task.checkCancellation()
        let name = SnapshotName.chunk(index)
        let bytes = try DurableFile.read(
          snapshot.folder.appending(path: name), limit: SnapshotChunk.maximumFileBytes)
        try DurableFile.publish(bytes, named: name, in: folder)
      }
      try DurableFile.publish(snapshot.manifest.encoded(), named: SnapshotName.manifest, in: folder)
      outcome.copied += 1
    }
  }

  private func copy(_ file: StreamFile, of replica: ReplicaID, _ outcome: inout Outcome) throws {
    if let name = ChangeSetName(file.url.lastPathComponent), try isThere(name, of: replica, like: file) { return }
    guard let (name, bytes) = try intact(file, of: replica, &outcome) else { return }
    let place = target.stream(of: replica).appending(path: name.text)
    if try DurableFile.size(of: place) != nil {
      guard try DurableFile.read(place, limit: StreamFile.maximumFileBytes) != bytes else { return }
    }
    try DurableFile.publish(bytes, named: name.text, in: target.stream(of: replica))
    outcome.copied += 1
  }

  /// Whether the target has the file. One that its device has still to read must have the right content, too.
  private func isThere(_ name: ChangeSetName, of replica: ReplicaID, like file: StreamFile) throws -> Bool {
    let place = target.stream(of: replica).appending(path: name.text)
    guard let size = try DurableFile.size(of: place), try size == DurableFile.size(of: file.url) else { return false }
    guard name.to > applied.sequence(of: replica) else { return true }
    let bytes = try DurableFile.read(place, limit: StreamFile.maximumFileBytes)
    return ContentHash(of: bytes).name == name.hash
  }

  /// The file's bytes and proper name; nil when it is damaged or foreign.
  private func intact(
    _ file: StreamFile, of replica: ReplicaID, _ outcome: inout Outcome
  ) throws -> (ChangeSetName, [UInt8])? {
    let bytes = try DurableFile.read(file.url, limit: StreamFile.maximumFileBytes)
    do {
      let set = try ChangeSetCodec.decode(bytes, subject: file.path)
      guard set.replica == replica, set.storeID == source.storeID else {
        outcome.refused.append(
          SyncReport.Refusal(file: file.path, reason: "it belongs to another replica or store; remove it"))
        return nil
      }
      let name = ChangeSetName(from: set.firstSequence, to: set.lastSequence, hash: ContentHash(of: bytes))
      return (name, bytes)
    } catch let error as SyncError where error.code != .inputOutput {
      outcome.refused.append(SyncReport.Refusal(file: file.path, reason: error.message))
      return nil
    }
  }

  private func copyHeads(of replica: ReplicaID) throws {
    let names = try DurableFile.names(in: source.heads(of: replica)).compactMap(HeadName.init).sorted()
    let there = Set(try DurableFile.names(in: target.heads(of: replica)))
    for name in names.suffix(2) where !there.contains(name.text) {
      let bytes = try DurableFile.read(
        source.heads(of: replica).appending(path: name.text), limit: ReplicaHead.maximumFileBytes)
      guard HeadName(counter: name.counter, content: bytes) == name else { continue }
      try DurableFile.publish(bytes, named: name.text, in: target.heads(of: replica))
    }
    try target.removeOldHeads(of: replica)
  }
}
