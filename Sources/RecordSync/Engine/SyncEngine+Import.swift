import Foundation
import RecordStore

extension SyncEngine {
  func importStreams(into report: inout SyncReport) throws {
    lastEpoch = ClockReach.lastEpoch(ofRunFrom: try store.read { try $0.clockStamp })
    refused = try RefusedFiles(of: store)
    // First what was written here, so that both branches of a forked stream lie in the folder.
    if try strangersStream() != nil || hasUnexportedFormerStream() {
      try unlessUnwritable(&report) { try exportTransactions(into: &$0) }
    }
    try readStreams(into: &report)
    while try joinSnapshotIfNeeded(report: &report) {
      // Streams that waited for the snapshot go on behind it.
      report.waiting.removeAll()
      try readStreams(into: &report)
    }
    try refused.save(in: store)
    try rememberNames()
    try unlessUnwritable(&report) { try renewReplicaIfRetired(report: &$0) }
    try settleCollections(report: &report)
    try attestSnapshots()
    try tellOfKeptFields(in: &report)
  }

  /// Says once of each field of which values are kept because they have another type than the schema gives it. Where
  /// the field was not known when they came, no merge has said so.
  private func tellOfKeptFields(in report: inout SyncReport) throws {
    let untold = try store.read { snapshot in
      try CatalogueMapping.keptFields(in: snapshot.catalogue).filter { kept in
        try snapshot.attachment(SyncAttachment.told(kept.entity, kept.field)) == nil
      }
    }
    guard !untold.isEmpty else { return }
    report.warnings += untold.map(\.sentence).filter { !report.warnings.contains($0) }
    let attachments = untold.map { StoreAttachment(key: SyncAttachment.told($0.entity, $0.field), value: [1]) }
    _ = try store.commit(SaveRequest(attachments: attachments))
  }

  private func readStreams(into report: inout SyncReport) throws {
    // Read once for all: in a family of hundreds it is long, and what was seen stays seen.
    let (own, seen) = try store.read { (try $0.replica, try $0.versionVector) }
    var turn = try ReplicaTurn(.files, .taken, on: folder.url.path, of: store, within: ByteBudget.current)
    for replica in turn.ordered(try folder.knownReplicas()) where replica != own {
      try turn.taking(replica) { try readStream(of: replica, seen: seen.sequence(of: replica), report: &report) }
    }
    try turn.save()
  }

  private func readStream(of replica: ReplicaID, seen: UInt64, report: inout SyncReport) throws {
    let listing = try folder.listing(of: replica)
    for refusal in try listing.refused + folder.unusableHeads(of: replica) + folder.unusableSnapshots(of: replica) {
      refuse(refusal, in: &report)
    }
    if try importFork(listing.files, of: replica, report: &report) { return }
    guard listing.files.contains(where: { $0.to > seen }) else {
      report.filesSkipped += listing.files.count
      return
    }
    try importStream(listing.files, of: replica, report: &report)
  }

  /// One replica's files in order. A damaged file is passed over: another copy may hold the same transactions.
  func importStream(_ files: [StreamFile], of replica: ReplicaID, report: inout SyncReport) throws {
    let known = try store.read { try $0.versionVector.entries[replica] }
    var (have, newest) = (known?.sequence ?? 0, known?.stamp ?? .zero)
    let last = files.map(\.to).max() ?? 0
    var batch = ImportBatch(replica: replica, author: Catalogue())
    var reach = try clockReach()
    var isBounded = false
    for file in files {
      guard file.to > have else {
        report.filesSkipped += 1
        continue
      }
      let isNext = file.from <= have + 1
      let byteCount = isBounded || isNext ? try byteCount(of: file, after: have) : 0
      if isBounded || isNext, !admits(file.path, byteCount: byteCount, .taken) {
        isBounded = true
        continue
      }
      guard isNext else {
        report.waiting.append("\(file.path) waits for transaction \(have + 1) of replica \(replica)")
        continue
      }
      try CancellationRequest.check()
      guard
        let (author, transactions) = try read(
          file, after: have, above: newest, replica: replica, &reach, report: &report)
      else {
        ByteBudget.current?.giveBack(byteCount, .taken)
        continue
      }
      report.filesRead += 1
      if batch.author != author {
        try merge(&batch, of: last, report: &report)
        batch.author = author
      }
      batch.countedBytes.append(byteCount)
      for transaction in transactions {
        batch.append(transaction)
        (have, newest) = (transaction.head.dot.sequence, transaction.head.stamp)
        if batch.isFull(options.recordsPerCommit) { try merge(&batch, of: last, report: &report) }
      }
    }
    try merge(&batch, of: last, report: &report)
  }

  /// As the bound on bytes counts it: a file that is known to be of no use is not read.
  private func byteCount(of file: StreamFile, after sequence: UInt64) throws -> Int {
    guard ByteBudget.current != nil else { return 0 }
    let circumstances = RefusedFiles.Circumstances(sequence: sequence, lastEpoch: lastEpoch)
    if refused.reason(for: file.url, circumstances) != nil { return 0 }
    return try DurableFile.size(of: file.url) ?? 0
  }

  private func read(
    _ file: StreamFile, after sequence: UInt64, above stamp: Stamp, replica: ReplicaID, _ reach: inout ClockReach,
    report: inout SyncReport
  ) throws -> (Catalogue, [EncodedTransaction])? {
    try unlessRefused(file, after: sequence, report: &report) {
      try transactions(
        of: try file.read(expecting: folder, replica: replica), in: file, after: sequence, above: stamp, &reach)
    }
  }

  /// A change set's transactions above `sequence`, if all can be read, rise from `stamp` on and are within reach.
  func transactions(
    of set: ChangeSet, in file: StreamFile, after sequence: UInt64, above stamp: Stamp = .zero,
    _ reach: inout ClockReach
  ) throws -> (Catalogue, [EncodedTransaction]) {
    let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
    let transactions = try ImportBatch.read(
      set, author: author, after: sequence, above: stamp, subject: file.path)
    var reached = reach
    for transaction in transactions { try reached.take(transaction.head, subject: file.path) }
    reach = reached
    return (author, transactions)
  }

  /// Nil, and a refusal in the report, for a file that is not what it should be, or was not when it was read last.
  /// `sequence`: the last transaction of the stream that is known.
  func unlessRefused<Value>(
    _ file: StreamFile, after sequence: UInt64, report: inout SyncReport, _ body: () throws -> Value
  ) throws -> Value? {
    let circumstances = RefusedFiles.Circumstances(sequence: sequence, lastEpoch: lastEpoch)
    if let reason = refused.reason(for: file.url, circumstances) {
      refuse(SyncReport.Refusal(file: file.path, reason: reason), in: &report)
      return nil
    }
    guard !refused.isExhausted else {
      report.waiting.append("\(file.path) is read at the next run, for too much was refused in this one")
      return nil
    }
    do {
      return try body()
    } catch let error as SyncError where error.code != .inputOutput {
      if error.isLasting { refused.note(file.url, circumstances, reason: error.message) }
      refuse(SyncReport.Refusal(file: file.path, reason: error.message), in: &report)
    } catch let error as StoreError where error.code == .damaged || error.code == .newerFormat {
      let reason = "\(file.path): \(error.message)"
      if error.code != .newerFormat { refused.note(file.url, circumstances, reason: reason) }
      refuse(SyncReport.Refusal(file: file.path, reason: reason), in: &report)
    }
    return nil
  }

  func clockReach() throws -> ClockReach { ClockReach(try store.read { try $0.clockStamp }, lastEpoch: lastEpoch) }

  func refuse(_ refusal: SyncReport.Refusal, in report: inout SyncReport) {
    guard !report.refused.contains(refusal) else { return }
    report.refused.append(refusal)
    tell(.refused(refusal))
  }

  /// Merges what the batch holds, and empties it.
  func merge(_ batch: inout ImportBatch, of last: UInt64, report: inout SyncReport) throws {
    guard let reached = batch.transactions.last?.head.dot.sequence else { return }
    try CancellationRequest.check()
    guard try hasValuesOfKeys(batch, report: &report) else { return batch.removeAll() }
    let now = store.configuration.clock.now()
    let outcome = try merge(batch, now).1
    batch.removeAll()
    report.transactionsMerged += outcome.transactions
    report.recordsMerged += outcome.records
    report.conflicts += outcome.conflicts
    report.warnings += outcome.warnings.filter { !report.warnings.contains($0) }
    tell(.merged(replica: batch.replica, upTo: reached, of: max(last, reached)))
  }

  func merge(_ batch: ImportBatch, _ now: UInt64) throws -> (SaveResult, ImportBatch.Outcome) {
    try store.commit { [values = store.externalFolder] snapshot in
      try batch.request(in: snapshot, values: values, nowMilliseconds: now)
    } concluding: { snapshot, result, pending in
      try pending?.conclude(result, nowMilliseconds: now, in: snapshot) ?? ([], ImportBatch.Outcome())
    }
  }
}
