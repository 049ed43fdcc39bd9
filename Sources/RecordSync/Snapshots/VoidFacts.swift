import RecordStore

/// The facts in a snapshot that are void here: about records that this store has forgotten, by authors that did not
/// know the collection.
///
/// ``CollectionState/leavingOutVoid(_:_:in:)`` judges a change set by what its author had seen. A snapshot holds facts
/// of many authors, so each stamp is judged by itself. What the store has seen already it has judged before.
struct VoidFacts {
  private let collections: [ForgottenRecords]
  private let seen: VersionVector
  private let forks: ForkedStreams
  /// As the snapshot tells them.
  private var contexts: CausalContexts

  /// `seen` and `forks` are those of the store that joins. Throws `damagedFile` if a context cannot be read.
  init(
    _ content: SnapshotContent, seen: VersionVector, _ forks: ForkedStreams, in snapshot: borrowing StoreSnapshot
  ) throws {
    var collections: [ForgottenRecords] = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.forgotten) { _, value in
      collections.append(try ForgottenRecords(value))
      return true
    }
    (self.collections, self.seen, self.forks) = (collections, seen, forks)
    contexts = CausalContexts(own: try snapshot.replica)
    guard !collections.isEmpty else { return }
    // The former come from change sets that the author has read, the latter from history and what was trimmed of it.
    try contexts.read(content.attachments)
    contexts.add(content.contexts)
  }

  /// The facts without those that are void; nil if nothing is left. `delete` is called with a delete that is void.
  func leavingOut(_ facts: RecordFacts, delete: (Stamp) -> Void) -> RecordFacts? {
    let cuts = cuts(naming: facts.id)
    guard !cuts.isEmpty else { return facts }
    var verdicts: [Stamp: Bool] = [:]
    for stamp in facts.stamps where verdicts[stamp] == nil { verdicts[stamp] = isVoid(stamp, cuts) }
    if let deleted = facts.deleted, verdicts[deleted] == true, !forks.covers(seen, deleted) { delete(deleted) }
    var kept = facts.without { verdicts[$0] ?? false }
    // The newest touch hides earlier ones: an author that knew the collection has touched what it wrote.
    if kept.touch == nil, facts.touch != nil {
      kept.touch = kept.registers.filter { !$0.isOnce }.map(\.stamp).max()
      if kept.touch != nil { kept.isInserted = facts.isInserted }
    }
    return kept.isBlank ? nil : kept
  }

  /// Whether an overwritten value of a record is void.
  func isVoid(_ past: RecordPastWrite) -> Bool {
    let cuts = cuts(naming: past.id)
    return !cuts.isEmpty && isVoid(past.write.stamp, cuts)
  }

  private func cuts(naming id: RecordID) -> [VersionVector] {
    collections.isEmpty ? [] : collections.filter { $0.contains(id) }.map(\.cut)
  }

  private func isVoid(_ stamp: Stamp, _ cuts: [VersionVector]) -> Bool {
    if forks.covers(seen, stamp) { return true }
    // By each of its names: where two stores have written at one moment, what either knew must hold.
    let contexts = forks.names(of: stamp).compactMap(contexts.vector)
    return cuts.contains { cut in
      guard !contexts.isEmpty else { return forks.covers(cut, stamp) }
      return contexts.contains { context in
        TombstoneCollection.isLate(Dot(replica: stamp.replica, sequence: 1), stamp, context: context, to: cut, forks)
      }
    }
  }
}
