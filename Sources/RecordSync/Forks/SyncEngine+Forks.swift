import RecordStore

extension SyncEngine {
  /// Takes in all branches of a stream that was forked; false if it was not. All its files are read to find where they
  /// part; against a bound on bytes each counts of which something is merged.
  func importFork(
    _ files: [StreamFile], of stream: ReplicaID, report: inout SyncReport
  ) throws -> Bool {
    guard StreamListing.overlap(files), store.configuration.ruleMutation != .noForkCheck else { return false }
    var sets: [(set: ChangeSet, hash: [UInt8])] = []
    var sources: [(StreamFile, ChangeSet)] = []
    var reach = try clockReach()
    for file in files {
      let read = try unlessRefused(file, after: 0, report: &report) {
        let set = try file.read(expecting: folder, replica: stream)
        _ = try transactions(of: set, in: file, after: 0, &reach)
        return set
      }
      guard let set = read else { continue }
      sources.append((file, set))
      sets.append((set, ChangeSetCodec.file(of: set).hash.bytes))
    }
    guard let fork = StreamFork(of: StreamFork.Chain.all(of: sets), stream: stream) else { return false }
    let shared = files.filter { $0.to <= fork.lastShared }
    try importStream(shared, of: stream, report: &report)
    var counted: Set<String> = []
    try importShared(sources, upTo: fork.lastShared, of: stream, &counted, report: &report)
    // The branches go on from what they share.
    if ByteBudget.current?.isClosed(.taken) ?? false { return true }
    try note(fork, sets.map(\.set))
    for branch in fork.branches { try importBranch(branch, of: stream, sources, &counted, report: &report) }
    if ByteBudget.current?.isClosed(.taken) ?? false { return true }
    report.warnings.append(
      "the store of replica \(stream) was copied or restored, and both went on from transaction "
        + "\(fork.lastShared): both are taken, as replicas "
        + fork.branches.map(\.replica.description).joined(separator: " and "))
    return true
  }

  /// A file may hold both what the branches share and where they part.
  private func importShared(
    _ files: [(StreamFile, ChangeSet)], upTo last: UInt64, of stream: ReplicaID, _ counted: inout Set<String>,
    report: inout SyncReport
  ) throws {
    for (file, set) in files.sorted(by: { $0.1.firstSequence < $1.1.firstSequence })
    where set.firstSequence <= last && set.lastSequence > last {
      let known = try store.read { try $0.versionVector.entries[stream] }
      let have = known?.sequence ?? 0
      guard have < last, set.firstSequence <= have + 1 else { continue }
      let author = try SchemaDescription.decode(set.schemaDescription, subject: file.path)
      let transactions = try unlessRefused(file, after: have, report: &report) {
        try ImportBatch.read(set, author: author, after: have, above: known?.stamp ?? .zero, subject: file.path)
      }
      var batch = ImportBatch(replica: stream, author: author)
      guard transactions != nil, try admits(file, &counted, for: &batch) else { continue }
      for transaction in transactions ?? [] where transaction.head.dot.sequence <= last { batch.append(transaction) }
      try merge(&batch, of: last, report: &report)
    }
  }

  /// Runs before the merges, which ask what each of the stream's authors knew of the others.
  private func note(_ fork: StreamFork, _ sets: [ChangeSet]) throws {
    let notes = try store.read { snapshot in
      try fork.branches.map { branch in
        let shared = Dot(replica: fork.stream, sequence: fork.lastShared)
        let stamp = try branch.previous.map { try transaction($0, of: fork.stream, sets).transaction.head.stamp }
        return ForkedStreams.attachment(
          stream: fork.stream, branch: branch.replica, lastShared: try stamp ?? snapshot.stamp(of: shared) ?? .zero)
      }.filter { try snapshot.attachment($0.key) != $0.value }
    }
    guard !notes.isEmpty else { return }
    _ = try store.commit(SaveRequest(attachments: notes))
  }

  private func importBranch(
    _ branch: StreamFork.Branch, of stream: ReplicaID, _ files: [(StreamFile, ChangeSet)],
    _ counted: inout Set<String>, report: inout SyncReport
  ) throws {
    let known = try store.read { try $0.versionVector.entries[branch.replica] }
    let have = known?.sequence ?? 0
    var newest = known?.stamp ?? .zero
    let last = UInt64(branch.transactions.count)
    guard have < last else { return }
    var batch = ImportBatch(replica: branch.replica, author: Catalogue())
    for (index, entry) in branch.transactions.enumerated() where UInt64(index) >= have {
      let (own, author) = try transaction(entry, of: stream, files.map(\.1))
      if batch.author != author {
        try merge(&batch, of: last, report: &report)
        batch.author = author
      }
      let transaction = own.asBranch(Dot(replica: branch.replica, sequence: UInt64(index) + 1), of: stream)
      guard transaction.head.stamp > newest else {
        let path = files[entry.file].0.path
        refuse(SyncReport.Refusal(file: path, reason: ImportBatch.fallingTimes(path).message), in: &report)
        break
      }
      guard try admits(files[entry.file].0, &counted, for: &batch) else { break }
      newest = transaction.head.stamp
      batch.append(transaction)
      if batch.isFull(options.recordsPerCommit) { try merge(&batch, of: last, report: &report) }
    }
    try merge(&batch, of: last, report: &report)
  }

  /// Whether something of a file may be merged in this run. A file counts once.
  private func admits(_ file: StreamFile, _ counted: inout Set<String>, for batch: inout ImportBatch) throws -> Bool {
    guard ByteBudget.current != nil, !counted.contains(file.path) else { return true }
    let byteCount = try DurableFile.size(of: file.url) ?? 0
    guard admits(file.path, byteCount: byteCount, .taken) else { return false }
    counted.insert(file.path)
    batch.countedBytes.append(byteCount)
    return true
  }

  private func transaction(
    _ entry: StreamFork.Chain.Entry, of stream: ReplicaID, _ sets: [ChangeSet]
  ) throws -> (transaction: EncodedTransaction, author: Catalogue) {
    let subject = "a file of replica \(stream)"
    let author = try SchemaDescription.decode(sets[entry.file].schemaDescription, subject: subject)
    let types = FieldTypes(author, subject: subject)
    let holdsReferences = sets[entry.file].holdsReferences
    return (try EncodedTransaction(entry.bytes, holdsReferences: holdsReferences, fieldType: types.type), author)
  }
}
