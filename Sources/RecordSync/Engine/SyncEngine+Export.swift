import Foundation
import RecordStore

extension SyncEngine {
  func exportTransactions(into report: inout SyncReport) throws {
    if isReader { return }
    try renewReplicaIfStrangersWrote(report: &report)
    try tellOfRenewals(report: &report)
    let (own, former) = try store.read { (try $0.replica, try $0.formerReplicas.map(\.replica)) }
    for replica in former {
      try export(replica, into: &report)
      try publishLastHead(of: replica)
    }
    try export(own, into: &report)
    try deliverValues(into: &report)
  }

  private func export(_ replica: ReplicaID, into report: inout SyncReport) throws {
    try noteExport(of: replica)
    try folder.removeAbandonedPartials(of: replica)
    let records = try exportRecords(of: replica)
    try wholeFiles.read(from: store)
    for record in records where try !isPublished(record, of: replica) && !isHeld(record, of: replica) {
      try CancellationRequest.check()
      let byteCount = folder.byteCount(ofContent: record.fileBytes)
      guard admits(folder.file(record.name, of: replica).path, byteCount: byteCount, .given) else { break }
      try publishAgain(record, of: replica, report: &report)
    }
    try wholeFiles.save(in: store)
    // A file that was compacted away may have come back from another device's copy.
    try removeContainedFiles(of: replica)
    if let oldest = records.first?.from, oldest > 1 { try removeFiles(before: oldest - 1, of: replica) }
    var last = records.last
    while let set = try nextChangeSet(after: last, replica: replica) {
      try CancellationRequest.check()
      let file = ChangeSetCodec.file(of: set)
      let byteCount = folder.byteCount(ofContent: file.bytes.count)
      guard admits("\(replica) \(set.firstSequence)", byteCount: byteCount, .given) else { break }
      // Saves go on meanwhile.
      try noteExport(of: replica)
      last = try publish(set, file, report: &report)
    }
  }

  /// A store that goes on under a new id and has published more of the old stream again than the heads under the old id
  /// say, says so once more there: nobody may take those files for replaced by a snapshot.
  private func publishLastHead(of replica: ReplicaID) throws {
    guard let oldest = try exportRecords(of: replica).first?.from else { return }
    let heads = try folder.intactHeads(of: replica)
    guard let said = heads.map(\.oldestSequence).min(), said > oldest else { return }
    try publishHead(of: replica)
  }

  /// Before anything of the own stream gets into the folder.
  private func noteExport(of replica: ReplicaID) throws {
    let (own, last) = try store.read { (try $0.replica, try $0.versionVector.sequence(of: replica)) }
    if replica == own, last > 0 { try store.noteExport(through: last) }
  }

  func exportRecords(of replica: ReplicaID) throws -> [ExportRecord] {
    let prefix = ExportRecord.prefix(storeID: folder.storeID, replica: replica)
    return try store.read { snapshot in
      var records: [ExportRecord] = []
      try snapshot.forEachAttachment(prefix: prefix) { _, value in
        records.append(try ExportRecord(value))
        return true
      }
      return records
    }
  }

  /// Files of this replica that this store never published come from another life of the replica: the store was
  /// restored from a backup, or copied. It takes a new id, goes on to publish under the old one what it wrote under it,
  /// and imports the old stream, with all its branches, like a stranger's. The other life, if it goes on, does
  /// the same.
  func renewReplicaIfStrangersWrote(report: inout SyncReport) throws {
    guard let replica = try strangersStream() else { return }
    try forgetCompaction(of: replica)
    let renewed = try store.renewReplica()
    report.warnings.append(
      "the store was restored from a backup or copied: it goes on as replica \(renewed) and imports what another "
        + "store wrote as replica \(replica)")
  }

  /// Publishes anew what a snapshot has replaced, as far as history has it: the snapshot's vector counts the
  /// transactions of both lives under one name, and without the files nobody sees where they parted.
  private func forgetCompaction(of replica: ReplicaID) throws {
    let records = try exportRecords(of: replica)
    guard let first = records.first, first.from > 1, let last = records.last?.to else { return }
    let known = try store.read { try outgoing(of: replica, from: 1, to: last, in: $0).count }
    guard UInt64(known) == last else { return }
    let stale = records.map { record in
      StoreAttachment(key: record.key(storeID: folder.storeID, replica: replica), value: nil)
    }
    _ = try store.commit(SaveRequest(attachments: stale))
  }

  /// Says once that the store has noticed by itself that it is a copy, whenever that was.
  private func tellOfRenewals(report: inout SyncReport) throws {
    let (own, untold) = try store.read { snapshot in
      let former = try snapshot.formerReplicas.filter { [.copied, .setBack].contains($0.reason) }
      return (
        try snapshot.replica, try former.filter { try snapshot.attachment(SyncAttachment.told($0.replica)) == nil }
      )
    }
    guard !untold.isEmpty else { return }
    for former in untold {
      report.warnings.append(
        "the store was copied, or restored from a backup: it goes on as replica \(own), and what was written as "
          + "replica \(former.replica) stays that one's")
    }
    let attachments = untold.map { StoreAttachment(key: SyncAttachment.told($0.replica), value: [1]) }
    _ = try store.commit(SaveRequest(attachments: attachments))
  }

  /// Whether this store wrote under an id that it does not have any more what is not in the folder yet.
  func hasUnexportedFormerStream() throws -> Bool {
    try store.read { snapshot in
      var hasMore = false
      for former in try snapshot.formerReplicas where !hasMore {
        let last = try ExportRecord.lastSequence(of: former.replica, storeID: folder.storeID, in: snapshot)
        try snapshot.forEachOutgoing(of: former.replica, after: last) { _ in
          hasMore = true
          return false
        }
      }
      return hasMore
    }
  }

  /// This replica's id if somebody else wrote under it.
  func strangersStream() throws -> ReplicaID? {
    guard store.configuration.ruleMutation != .restoreResumesSequence else { return nil }
    let replica = try store.read { try $0.replica }
    let records = try exportRecords(of: replica)
    return try strangeFiles(of: replica, published: Set(records.map(\.name))).isEmpty ? nil : replica
  }

  /// Intact change sets in the replica's own stream that are not among those published, in order.
  private func strangeFiles(of replica: ReplicaID, published: Set<ChangeSetName>) throws -> [StreamFile] {
    try folder.listing(of: replica).files.filter { file in
      guard !published.contains(file.name) else { return false }
      do {
        _ = try file.read(expecting: folder, replica: replica)
        return try !isOwn(file, of: replica)
      } catch let error as SyncError where error.code != .inputOutput {
        return false
      }
    }
  }

  /// The next transactions, about as many as make one file; nil when everything is exported.
  private func nextChangeSet(after last: ExportRecord?, replica: ReplicaID) throws -> ChangeSet? {
    let limit = options.changeSetBytes
    return try store.read { snapshot in
      var transactions: [OutgoingTransaction] = []
      // In a family that is new to the store: behind what history does not have any more, and a snapshot tells.
      var first: UInt64?
      var byteCount = 0
      try snapshot.forEachOutgoing(of: replica, after: last?.to ?? 0, asStored: true) { transaction in
        let payload = byteCount + transaction.encoded.count + ChangeSetHeader.lengthBytes * (transactions.count + 1)
        guard payload <= ChangeSetHeader.maximumPayloadBytes else {
          if transactions.isEmpty { throw tooLarge(transaction) }
          return false
        }
        first = first ?? transaction.dot.sequence
        transactions.append(transaction)
        byteCount += transaction.encoded.count
        return byteCount < limit && transactions.count < ChangeSetHeader.maximumTransactionCount
      }
      guard let first else { return nil }
      return ChangeSet(
        storeID: folder.storeID, replica: replica, firstSequence: first,
        previousHash: (last?.hash ?? .none).bytes, schemaDescription: try SchemaDescription.encode(snapshot.catalogue),
        transactions: transactions.map(\.encoded), holdsReferences: transactions.contains { !$0.references.isEmpty })
    }
  }

  /// The refusal of a save by a build that took any size.
  private func tooLarge(_ transaction: OutgoingTransaction) -> SyncError {
    SyncError(
      .unsuitableStore,
      "save \(transaction.dot.sequence) of this device says \(transaction.encoded.count) bytes to others, where one "
        + "file takes \(ChangeSetHeader.maximumPayloadBytes): load a dump of the store into a new one and synchronise "
        + "that")
  }

  /// Notes the range in the store, then publishes. A crash in between is made good by ``publishAgain``.
  private func publish(_ set: ChangeSet, _ file: ChangeSetCodec.File, report: inout SyncReport) throws -> ExportRecord {
    let schemaKey = SyncAttachment.schemas + ContentHash(of: set.schemaDescription).bytes.prefix(16)
    let record = ExportRecord(set, file: file, schemaKey: schemaKey)
    let attachment = record.attachment(storeID: folder.storeID, replica: set.replica)
    let references = try references(of: set)
    let version = try SchemaDescription.decode(set.schemaDescription, subject: record.name.text).schemaVersion
    _ = try store.commit { [values = store.externalFolder] snapshot in
      var attachments = [attachment]
      if let stamp = try snapshot.stamp(of: Dot(replica: set.replica, sequence: set.firstSequence)) {
        attachments += try WriterVersion.noting([WriterVersion(stamp.replica, version, since: stamp)], in: snapshot)
      }
      attachments += try ValueList.entries(of: references, by: set.replica, here: values, in: snapshot)
      if try snapshot.attachment(schemaKey) == nil {
        attachments.append(StoreAttachment(key: schemaKey, value: set.schemaDescription))
      }
      return (SaveRequest(attachments: attachments), ())
    }
    try deliver(references, into: &report)
    try publish(file.bytes, as: record, of: set.replica, report: &report)
    report.transactionsExported += set.transactions.count
    return record
  }

  /// Whether a file that was published is in the folder with every byte. Each file is read once, and again when it was
  /// written since.
  private func isPublished(_ record: ExportRecord, of replica: ReplicaID) throws -> Bool {
    let file = folder.file(record.name, of: replica)
    guard let signature = FileSignature.of(file),
      signature.byteCount == folder.byteCount(ofContent: record.fileBytes)
    else { return false }
    if wholeFiles.contains(file, signature) { return true }
    guard try isWhole(record, of: replica) else { return false }
    wholeFiles.note(file, signature)
    return true
  }

  private func publishAgain(
    _ record: ExportRecord, of replica: ReplicaID, report: inout SyncReport
  ) throws {
    guard let set = try joined([record], of: replica), let file = try file(of: set, named: record.hash) else {
      report.warnings.append(
        "\(record.name.text) is missing or damaged in the exchange folder and the history for it is gone; devices that "
          + "lack it need a copy from another device")
      return
    }
    try publish(file, as: record, of: replica, report: &report)
  }

  /// The bytes that were published, as this build or an earlier one wrote them; nil if they cannot be made any more.
  private func file(of set: ChangeSet, named hash: ContentHash) throws -> [UInt8]? {
    for form in [set] + [try inlined(set)].compactMap(\.self) {
      for isPacked in form.holdsReferences ? [true] : [true, false] where form.fitsFile {
        var set = form
        set.isPacked = isPacked
        let file = ChangeSetCodec.file(of: set)
        if file.hash == hash { return file.bytes }
      }
    }
    return nil
  }

  /// The same with large values inside, as earlier builds wrote it; nil where it names none, or one is not here.
  private func inlined(_ set: ChangeSet) throws -> ChangeSet? {
    guard set.holdsReferences else { return nil }
    var set = set
    do {
      set.transactions = try store.read { snapshot in try set.transactions.map { try snapshot.withValues($0) } }
    } catch let error as StoreError where error.code == .damaged {
      return nil
    }
    set.holdsReferences = false
    return set
  }

  private func publish(
    _ file: [UInt8], as record: ExportRecord, of replica: ReplicaID, report: inout SyncReport
  ) throws {
    try folder.publish(file, record.name, of: replica)
    report.filesExported += 1
    let last = try store.read { try $0.versionVector.sequence(of: replica) }
    tell(.exported(file: record.name.text, upTo: record.to, of: max(last, record.to)))
  }
}
