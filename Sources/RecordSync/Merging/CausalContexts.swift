import RecordStore

/// The vectors that each replica had seen when it wrote: answers whether the author of one write knew another.
///
/// A replica's context changes only when it imports, so only the changes are kept: an attachment for each,
/// at most ``limit`` a replica. An unknown transaction counts as unseen: rather an entry too many in the conflict log.
struct CausalContexts: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    /// The first transaction with this context.
    var since: Stamp
    var vector: VersionVector
  }
  static let limit = 4096

  /// The replica of this store: a write that arrives now was unknown to all its own.
  let own: ReplicaID
  /// The vector of this store when it made a write of its own, as far as somebody asked; nil: its history was trimmed.
  private var ownContexts: [Stamp: VersionVector?] = [:]
  /// In order of stamp.
  private(set) var entries: [ReplicaID: [Entry]] = [:]
  /// The replicas whose contexts were read; nil: all that there are.
  var replicasRead: Set<ReplicaID>?

  /// Streams that stores with one replica id wrote.
  var forks: ForkedStreams?

  init(own: ReplicaID) { self.own = own }

  /// Whether the author of `winner` had seen `loser`. Without ``note(own:context:)`` a winner of this replica counts as
  /// older than the other's arrival.
  func didSee(_ winner: Stamp, _ loser: Stamp) -> Bool {
    if loser == .zero { return true }
    if winner.replica == loser.replica { return loser <= winner && !(forks?.areApart(loser, winner) ?? false) }
    if winner.replica == own {
      guard let context = ownContexts[winner] else { return false }
      // Trimmed history has long been everywhere; the order of stamps must do.
      return context.map { covers($0, loser) } ?? (loser < winner)
    }
    guard let forks else { return vector(of: winner)?.covers(loser) ?? false }
    let contexts = forks.names(of: winner).compactMap(vector)
    return !contexts.isEmpty && contexts.allSatisfy { covers($0, loser) }
  }

  private func covers(_ context: VersionVector, _ stamp: Stamp) -> Bool {
    forks?.covers(context, stamp) ?? context.covers(stamp)
  }

  /// The vector that the author of another replica's transaction had seen; nil if it is not known any more.
  func vector(of stamp: Stamp) -> VersionVector? {
    guard let known = contexts(of: stamp.replica) else { return nil }
    let after = known.partitionIndex { $0.since > stamp }
    return after > 0 ? known[after - 1].vector : nil
  }

  /// The first transaction of a replica after `stamp` whose context is as asked; nil if there is none.
  func first(of replica: ReplicaID, after stamp: Stamp, where isMet: (VersionVector) -> Bool) -> Stamp? {
    contexts(of: replica)?.first { $0.since > stamp && isMet($0.vector) }?.since
  }

  private func contexts(of replica: ReplicaID) -> [Entry]? {
    assert(replicasRead?.contains(replica) ?? true, "the contexts of replica \(replica) were not read")
    return entries[replica]
  }

  mutating func note(own stamp: Stamp, context: VersionVector?) { ownContexts[stamp] = .some(context) }

  func isNoted(own stamp: Stamp) -> Bool { ownContexts.keys.contains(stamp) }

  /// Notes a transaction's context; returns the attachment to write if it differs from the one before.
  mutating func note(_ transaction: TransactionFacts) -> [StoreAttachment] {
    let replica = transaction.dot.replica
    guard contexts(of: replica)?.last?.vector != transaction.context else { return [] }
    entries[replica, default: []].append(Entry(since: transaction.stamp, vector: transaction.context))
    var writer = FileWriter()
    writer.put(transaction.context)
    var changes = [
      StoreAttachment(key: CausalContexts.key(transaction.stamp), value: writer.bytes)
    ]
    if let oldest = entries[replica]?.first, entries[replica]?.count ?? 0 > CausalContexts.limit {
      entries[replica]?.removeFirst()
      changes.append(StoreAttachment(key: CausalContexts.key(oldest.since), value: nil))
    }
    return changes
  }

  mutating func read(key: [UInt8], value: [UInt8]) throws {
    var reader = FileReader(key.dropFirst(SyncAttachment.contexts.count), subject: "a causal context")
    let replica = ReplicaID(try reader.integer(UInt64.self).byteSwapped)
    let since = Stamp(
      time: try reader.integer(UInt64.self).byteSwapped, counter: try reader.integer(UInt16.self).byteSwapped,
      replica: replica)
    reader = FileReader(value, subject: "a causal context")
    entries[replica, default: []].append(Entry(since: since, vector: try reader.versionVector()))
  }

  /// Reads those among attachments that are contexts.
  mutating func read(_ attachments: [StoreAttachment]) throws {
    for attachment in attachments where attachment.key.starts(with: SyncAttachment.contexts) {
      try read(key: attachment.key, value: attachment.value ?? [])
    }
  }

  /// Adds contexts that a store keeps beside those that it has read, in any order.
  mutating func add(_ contexts: [CausalContext]) {
    for context in contexts {
      entries[context.since.replica, default: []].append(Entry(since: context.since, vector: context.context))
    }
    for replica in Set(contexts.map(\.since.replica)) { entries[replica]?.sort { $0.since < $1.since } }
  }

  /// Keys of one replica's contexts begin with it.
  static func prefix(of replica: ReplicaID) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: SyncAttachment.contexts)
    writer.put(replica.value.byteSwapped)
    return writer.bytes
  }

  /// Most significant byte first, so that keys lie in order of stamp.
  private static func key(_ stamp: Stamp) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: prefix(of: stamp.replica))
    writer.put(stamp.time.byteSwapped)
    writer.put(stamp.counter.byteSwapped)
    return writer.bytes
  }
}
