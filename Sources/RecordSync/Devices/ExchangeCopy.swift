import Foundation
import RecordStore

/// Copies what one exchange folder has and another lacks: every replica's files, so that synchronisation passes
/// over any chain of devices. Only intact files travel, and only under the name of their content.
struct ExchangeCopy {
  let source: ExchangeFolder
  let target: ExchangeFolder
  /// The vector that the target's device has applied: files beyond it are read there, so a damaged copy of them is
  /// replaced.
  var applied = VersionVector()
  /// The devices' stores, where they have some: they know whose files they own, and which of two stores that write
  /// under one replica id speaks in a head or a file.
  var stores: (source: RecordStore?, target: RecordStore?) = (nil, nil)
  /// Whose files may be removed in the target where their owner has replaced them; nil: everybody's, in a device's
  /// own copy of the folder.
  var prunable: Set<ReplicaID>? = []
  /// Whether large values are copied, too. False where they go from the stores into the folder, past the own copies.
  var copiesValues = true
  /// Whether the target keeps chunks of snapshots that are not whole yet. True where the source is what a transport has
  /// fetched, which goes after the run; a folder at hand keeps its chunks itself, and gives them with the manifest.
  var keepsChunks = false
  /// The bound on what the run may move, the store's name in it, and the way that files go here.
  var budget: ByteBudget?
  var place = ""
  var direction = ByteBudget.Direction.given

  struct Outcome {
    /// Change sets that were copied.
    var copied = 0
    /// Damaged or foreign ones, and what is no file; left where they are.
    var refused: [SyncReport.Refusal] = []
    /// Why nothing more could be written into the target.
    var undelivered: String?
    /// The memory of refused files that a device with a store has.
    fileprivate var memory = RefusedFiles()
    /// Its memory of copies that were found whole.
    fileprivate var whole = WholeFiles()
    /// No device takes stamps of later epochs than this; see ``ClockReach``.
    fileprivate var lastEpoch = UInt16.max
  }

  private var device: RecordStore? { stores.target ?? stores.source }

  /// Throws what keeps the source from being read. A target that cannot be written to is in the outcome, for what lies
  /// there can still be read.
  func run() throws -> Outcome {
    var outcome = Outcome()
    outcome.refused = try source.respelledFolders()
    guard try source.isPresent() else { return outcome }
    if let device {
      outcome.memory = try RefusedFiles(of: device)
      try outcome.whole.read(from: device)
      outcome.lastEpoch = ClockReach.lastEpoch(ofRunFrom: try device.read { try $0.clockStamp })
    }
    do {
      try copy(&outcome)
    } catch let error as SyncError where error.code == .inputOutput {
      outcome.undelivered = error.message
    }
    if let device {
      try outcome.memory.save(in: device)
      try outcome.whole.save(in: device)
    }
    return outcome
  }

  private func copy(_ outcome: inout Outcome) throws {
    if try !target.isPresent() { try target.create() }
    var (turn, turnOfHeads) = (try turn(.files), try turn(.heads))
    var replicas = turn.ordered(try source.knownReplicas())
    for replica in replicas {
      try nameUnusable(of: replica, &outcome)
      guard prunable?.contains(replica) ?? true else { continue }
      try unlessUnusable("r/\(replica)", &outcome) { _ in try target.removeAbandonedPartials(of: replica) }
    }
    // A head must not tell of a snapshot that is left to the next run, for change sets go on its word.
    replicas = try replicas.filter { replica in
      try turn.taking(replica) { try leavesRoom(forSnapshotsOf: replica) }
    }
    // First, for a head tells which change sets a snapshot has replaced.
    for replica in turnOfHeads.ordered(replicas) {
      try turnOfHeads.taking(replica) {
        try unlessUnusable("r/\(replica)/h", &outcome) { _ in try copyHeads(of: replica) }
      }
    }
    for replica in replicas {
      try turn.taking(replica) {
        if copiesValues { try unlessUnusable("r/\(replica)/b", &outcome) { try copyValues(of: replica, &$0) } }
        try unlessUnusable("r/\(replica)/n", &outcome) { try copySnapshots(of: replica, &$0) }
        try unlessUnusable("r/\(replica)/s", &outcome) { try copyStream(of: replica, &$0) }
      }
    }
    for turn in [turn, turnOfHeads] { try turn.save() }
  }

  private func turn(_ kind: ByteBudget.Kind) throws -> ReplicaTurn {
    try ReplicaTurn(
      kind, direction, on: "\(source.root.path)\n\(target.root.path)", of: device, within: budget)
  }

  /// One entry that cannot be read, or is in the way, is named and keeps nothing else from being copied.
  private func unlessUnusable(
    _ path: String, _ outcome: inout Outcome, _ body: (inout Outcome) throws -> Void
  ) throws {
    do {
      try body(&outcome)
    } catch let error as SyncError where error.code == .unusableFile || error.code == .notADirectory {
      let refusal = SyncReport.Refusal(file: path, reason: error.message)
      if !outcome.refused.contains(refusal) { outcome.refused.append(refusal) }
    }
  }

  /// Names what lies in the source under a name that others would copy, and is no file.
  private func nameUnusable(of replica: ReplicaID, _ outcome: inout Outcome) throws {
    let unusable =
      try source.listing(of: replica).refused + source.unusableHeads(of: replica)
      + source.unusableSnapshots(of: replica)
    outcome.refused += unusable.filter { !outcome.refused.contains($0) }
  }

  private func copyStream(of replica: ReplicaID, _ outcome: inout Outcome) throws {
    let owned = (source: try ExchangeCopy.ids(of: stores.source), target: try ExchangeCopy.ids(of: stores.target))
    let oldest = try oldestKept(of: replica)
    let files = try source.listing(of: replica).files
    let all = try files + target.listing(of: replica).files
    let mayOverlap = StreamListing.overlap(all)
    var overlaps = StreamOverlaps(all, of: replica, in: target)
    for file in files {
      try Task.checkCancellation()
      // Owners remove by themselves what a snapshot replaces.
      let kept = owned.source.contains(replica) ? 1 : oldest
      guard try !isReplaced(file, of: replica, oldest: kept, mayOverlap: mayOverlap, &overlaps) else { continue }
      try unlessUnusable(file.path, &outcome) { try copy(file, of: replica, &$0) }
    }
    guard prunable?.contains(replica) ?? true else { return }
    try prune(replica, oldest: owned.target.contains(replica) ? 1 : oldest)
  }

  /// Under which ids a store has written.
  static func ids(of store: RecordStore?) throws -> Set<ReplicaID> {
    try store?.read { Set([try $0.replica] + (try $0.formerReplicas.map(\.replica))) } ?? []
  }

  /// The beginning of a replica's stream in the target, by its newest head. Each of two stores that write under one
  /// id speaks for itself alone: nothing is replaced while the device has not applied what the head says, or knows
  /// another transaction in the place of one that a head names. But what a snapshot in the target tells of the stream
  /// as the device has it is replaced, however far the device is behind.
  private func oldestKept(of replica: ReplicaID) throws -> UInt64 {
    let heads = try target.intactHeads(of: replica)
    guard let oldest = heads.first?.oldestSequence, let store = device else {
      return heads.first?.oldestSequence ?? 1
    }
    let ends = heads.compactMap { $0.applied.entries[replica] }
    let isTrusted = try store.read { snapshot in
      try ends.first.map { try snapshot.agrees(with: $0, of: replica) } ?? false
        && !ends.contains { try snapshot.contradicts($0, of: replica) }
    }
    if isTrusted || oldest == 1 { return oldest }
    return try min(oldest, lastInSnapshots(of: replica, store) + 1)
  }

  /// Up to where snapshots in the target hold a replica's stream, as the device has it; 0 where none does.
  private func lastInSnapshots(of replica: ReplicaID, _ store: RecordStore) throws -> UInt64 {
    let attested = try store.read { try SyncEngine.attested(in: $0) }
    var last: UInt64 = 0
    for snapshot in try target.intactSnapshots() {
      guard let end = snapshot.manifest.vector.entries[replica], end.sequence > last,
        try store.read({ try $0.agrees(with: end, of: replica) }),
        try attested.contains(snapshot.name.text) || snapshot.isWhole()
      else { continue }
      last = end.sequence
    }
    return last
  }

  /// Whether another store wrote the file under the replica's id than the one whose transactions the device has.
  private func isOfAnotherLife(_ file: StreamFile, of replica: ReplicaID) throws -> Bool {
    guard let store = device,
      let set = try file.readIfIntact(expecting: source, replica: replica)
    else { return false }
    let heads: [TransactionFacts]
    do {
      let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
      heads = try ImportBatch.read(set, author: author, after: 0, subject: file.path).map(\.head)
    } catch let error as SyncError where error.code != .inputOutput {
      // Nobody takes such a file in, so it is of no life.
      return false
    } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
      return false
    }
    return try store.read { snapshot in
      try heads.contains { try snapshot.stamp(of: $0.dot) ?? $0.stamp != $0.stamp }
    }
  }

  /// Whether nobody misses the file: a snapshot has taken its place, or the target has it within a larger one.
  private func isReplaced(
    _ file: StreamFile, of replica: ReplicaID, oldest: UInt64, mayOverlap: Bool, _ overlaps: inout StreamOverlaps
  ) throws -> Bool {
    let name = file.name
    guard applied.entries.isEmpty || name.to <= applied.sequence(of: replica) else { return false }
    if name.to < oldest { return try !isOfAnotherLife(file, of: replica) }
    guard mayOverlap else { return false }
    return try target.listing(of: replica).files.contains { other in
      let larger = other.name
      guard larger.from <= name.from, name.to <= larger.to, larger != name else { return false }
      return try larger.to - larger.from > name.to - name.from && overlaps.isReplaced(file, by: other)
    }
  }

  /// Removes what the owner has replaced, and snapshots but the newest two.
  private func prune(_ replica: ReplicaID, oldest: UInt64) throws {
    let files = try target.listing(of: replica).files
    let mayOverlap = StreamListing.overlap(files)
    var overlaps = StreamOverlaps(files, of: replica, in: target)
    for file in files where try isReplaced(file, of: replica, oldest: oldest, mayOverlap: mayOverlap, &overlaps) {
      try DurableFile.remove(file.url)
    }
    let snapshots = try target.intactSnapshots(of: replica).sorted { $0.rank < $1.rank }
    for snapshot in snapshots.dropLast(2) {
      try DurableFile.remove(snapshot.folder.appending(path: SnapshotName.manifest))
      try DurableFile.removeFolder(snapshot.folder)
    }
  }

  private func copy(_ file: StreamFile, of replica: ReplicaID, _ outcome: inout Outcome) throws {
    if try isThere(file.name, of: replica, like: file, &outcome) { return }
    // The copy asks for what holds of a file whatever its reader has.
    let circumstances = RefusedFiles.Circumstances(sequence: 0, lastEpoch: outcome.lastEpoch)
    if let reason = outcome.memory.reason(for: file.url, circumstances) {
      outcome.refused.append(SyncReport.Refusal(file: file.path, reason: reason))
      return
    }
    guard !outcome.memory.isExhausted else { return }
    let byteCount = try budget.map { _ in try DurableFile.size(of: file.url) ?? 0 } ?? 0
    guard budget?.admits(file.path, of: place, byteCount: byteCount, direction) ?? true else { return }
    guard let (name, bytes) = try intact(file, of: replica, circumstances, &outcome) else {
      budget?.giveBack(byteCount, direction)
      return
    }
    guard try content(of: name, replica) != bytes else { return }
    try target.publish(bytes, name, of: replica)
    outcome.copied += 1
  }

  /// Whether the target has the file. One that its device, or another, has still to read must have the right content,
  /// too; it is read again only when it was written since.
  private func isThere(
    _ name: ChangeSetName, of replica: ReplicaID, like file: StreamFile, _ outcome: inout Outcome
  ) throws -> Bool {
    let place = target.file(name, of: replica)
    guard let signature = FileSignature.of(place), let there = target.contentByteCount(ofFile: signature.byteCount),
      there == FileSignature.of(file.url).flatMap({ source.contentByteCount(ofFile: $0.byteCount) })
    else { return false }
    guard name.to > applied.sequence(of: replica), !outcome.whole.contains(place, signature) else { return true }
    guard let bytes = try content(of: name, replica), ContentHash(of: bytes).name == name.hash else { return false }
    outcome.whole.note(place, signature)
    return true
  }

  /// Nil for what is no file, or not sealed as it must be, and is replaced by one.
  private func content(of name: ChangeSetName, _ replica: ReplicaID) throws -> [UInt8]? {
    do {
      return try target.readIfPresent(
        target.file(name, of: replica), as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
    } catch let error as SyncError where error.code != .inputOutput {
      return nil
    }
  }

  /// The file's bytes and proper name; nil when nobody would take it: it is damaged, foreign or a lie.
  private func intact(
    _ file: StreamFile, of replica: ReplicaID, _ circumstances: RefusedFiles.Circumstances, _ outcome: inout Outcome
  ) throws -> (ChangeSetName, [UInt8])? {
    let reason: String
    do {
      let bytes = try source.read(file.url, as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
      let set = try ChangeSetCodec.decode(bytes, subject: file.path)
      guard set.replica == replica, set.storeID == source.storeID else {
        throw SyncError(.foreignFile, "it belongs to another replica or store; remove it")
      }
      try check(set, in: file, lastEpoch: outcome.lastEpoch)
      return (ChangeSetName(from: set.firstSequence, to: set.lastSequence, hash: ContentHash(of: bytes)), bytes)
    } catch let error as SyncError where error.code != .inputOutput {
      reason = error.message
      if error.isLasting { outcome.memory.note(file.url, circumstances, reason: reason) }
    } catch let error as StoreError where error.code == .damaged {
      reason = "\(file.path): \(error.message)"
      outcome.memory.note(file.url, circumstances, reason: reason)
    }
    outcome.refused.append(SyncReport.Refusal(file: file.path, reason: reason))
    return nil
  }

  /// Throws where no device would take the transactions. Those of a format to come pass, for newer devices.
  private func check(_ set: ChangeSet, in file: StreamFile, lastEpoch: UInt16) throws {
    let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
    do {
      let transactions = try ImportBatch.read(set, author: author, after: 0, subject: file.path)
      // They rise.
      guard transactions.last.map({ $0.head.stamp.epoch <= lastEpoch }) ?? true else {
        throw ClockReach.excess(file.path)
      }
    } catch let error as StoreError where error.code == .newerFormat {
      return
    }
  }

  private func copyHeads(of replica: ReplicaID) throws {
    let names = try source.headNames(of: replica).suffix(2)
    let there = Set(try DurableFile.names(in: target.heads(of: replica)).compactMap(target.headName))
    var isNewer = false
    if !names.allSatisfy(there.contains) {
      // Files that are older than the newest there were replaced there.
      let known = try target.newestHead(of: replica)?.name
      let newer = try names.filter { name in known.map { $0 < name } ?? true }.compactMap { name in
        try source.headBytes(name, of: replica).map { (name, $0) }
      }
      guard newer.isEmpty || admits(headsOf: replica, newer.map(\.1)) else { return }
      for (name, bytes) in newer {
        try target.publish(bytes, name, of: replica)
        isNewer = true
      }
    }
    if isNewer || prunable?.contains(replica) ?? true { try target.removeOldHeads(of: replica) }
  }

  private func admits(headsOf replica: ReplicaID, _ heads: [[UInt8]]) -> Bool {
    let byteCount = heads.reduce(0) { $0 + target.byteCount(ofContent: $1.count) }
    return budget?.admitsHeads("r/\(replica)/h", of: place, byteCount: byteCount, direction) ?? true
  }

  /// Large values that no part of the target has, each after it was found to be what its name says.
  private func copyValues(of replica: ReplicaID, _ outcome: inout Outcome) throws {
    let entries = try DurableFile.names(in: source.values(of: replica))
    let names = Set(entries.compactMap(source.valueName))
    guard !names.isEmpty else { return }
    let (found, there) = (try ValueNames(in: source), try ValueNames(in: target))
    for name in names.sorted() where !there.has(named: name) {
      try CancellationRequest.check()
      let files = try self.files(named: name, of: replica, found)
      guard let (slice, file) = files.first else { continue }
      let reason: String
      do {
        if try target.publish(slice.value, of: replica, from: source, at: files) { continue }
        reason = ExchangeFolder.damage(file).message
      } catch let error as SyncError where error.code != .inputOutput {
        reason = error.message
      }
      outcome.refused.append(SyncReport.Refusal(file: "r/\(replica)/b/\(file.lastPathComponent)", reason: reason))
    }
    // Its owner may have removed a value meanwhile, or it came from elsewhere.
    let present = try ValueNames(in: target)
    try target.removeUnfinishedValues(of: replica) { !names.contains($0) || present.has(named: $0) }
  }

  /// The source's files of a value: a replica's own one, or pieces in whichever folders; none where it is not whole.
  private func files(
    named name: String, of replica: ReplicaID, _ found: ValueNames
  ) throws -> [(ValueSlice, URL)] {
    if found.wholeOwners(named: name).contains(replica) {
      let file = source.values(of: replica).appending(path: ValueSlice.wholeName(digest: source.lyingDigest(name)))
      return try source.value(named: name, at: file).map { [(ValueSlice($0), file)] } ?? []
    }
    guard let value = found.valueInPieces(named: name) else { return [] }
    return ValueSlice.pieces(of: value).compactMap { piece in
      found.owners(of: piece).first.map { (piece, source.file(piece, of: $0)) }
    }
  }
}
