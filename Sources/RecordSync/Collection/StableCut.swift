import RecordStore

/// How much of history every known replica has seen, such that whatever may still come was written knowing it.
///
/// For each other replica a head is taken that says no more of its own stream than has arrived here: everything
/// that the replica wrote before it is known, everything after it was written knowing what it had applied. The cut
/// is what all those heads have in common. "Everybody has applied the delete" alone would not do: a replica may
/// have written an edit before it applied the delete, and the edit may not have arrived yet.
///
/// The writes of two stores under one id are no word of either: while a head shows that somebody else has the id of a
/// replica too, there is no cut.
struct StableCut: Hashable, Sendable {
  /// Nil: nobody else is known, or something is waited for.
  var cut: VersionVector?
  /// The reasons to wait, by replica.
  var blockers: [ReplicaID: CollectionBlocker] = [:]

  /// `heads`: those that lie in the folder, of each replica. `shared`: ids that two stores have, as far as that shows.
  /// `isAcknowledgementEnough`: the rule made wrong on purpose.
  init(
    own: ReplicaID, applied: VersionVector, heads: [ReplicaID: [ReplicaHead]], known: Set<ReplicaID>,
    shared: Set<ReplicaID> = [], isAcknowledgementEnough: Bool = false
  ) {
    let others = known.subtracting([own])
    var met = applied
    for replica in others.union(shared.intersection([own])) {
      let published = (heads[replica] ?? []).sorted { $0.lastSequence > $1.lastSequence }
      guard !shared.contains(replica) else {
        blockers[replica] = .transactionsMissing(upTo: published.first?.lastSequence ?? 0)
        continue
      }
      let usable = published.filter {
        isAcknowledgementEnough || $0.lastSequence <= applied.sequence(of: replica)
      }
      guard let best = usable.max(by: { $0.applied.total < $1.applied.total }) else {
        blockers[replica] =
          published.last.map { .transactionsMissing(upTo: $0.lastSequence) } ?? .noHead
        continue
      }
      met = met.meet(best.applied)
    }
    cut = others.isEmpty || !blockers.isEmpty ? nil : met
  }
}

extension VersionVector {
  /// Without streams whose id does not tell which branch was seen: their branches do, under ids of their own.
  func withoutForked(_ forks: ForkedStreams) -> VersionVector {
    VersionVector(entries: entries.filter { forks.lastShared(of: $0.key) == nil })
  }

  /// How many transactions were seen. The one with more, among two vectors of one replica, covers the other.
  var total: UInt64 { entries.values.reduce(0) { $0 &+ $1.sequence } }
}

/// Why a replica keeps others from collecting.
enum CollectionBlocker: Hashable, Sendable {
  /// It has said nothing of itself yet, or its head has not arrived.
  case noHead
  /// It has written more than has arrived here.
  case transactionsMissing(upTo: UInt64)
}
