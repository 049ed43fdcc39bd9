import RecordStore

/// How much of history every known replica has seen, such that whatever may still come was written knowing it.
///
/// For each other replica a head is taken that says no more of its own stream than has arrived here: everything
/// that the replica wrote before it is known, everything after it was written knowing what it had applied. The cut
/// is what all those heads have in common. "Everybody has applied the delete" alone would not do: a replica may
/// have written an edit before it applied the delete, and the edit may not have arrived yet.
struct StableCut: Hashable, Sendable {
  /// Nil: nobody else is known, or something is waited for.
  var cut: VersionVector?
  /// What is waited for, by replica.
  var blockers: [ReplicaID: CollectionBlocker] = [:]

  /// `heads`: those that lie in the folder, of each replica. `isAcknowledgementEnough`: the rule made wrong on purpose.
  init(
    own: ReplicaID, applied: VersionVector, heads: [ReplicaID: [ReplicaHead]], known: Set<ReplicaID>,
    isAcknowledgementEnough: Bool = false
  ) {
    let others = known.subtracting([own])
    var met = applied
    for replica in others {
      let published = (heads[replica] ?? []).sorted { $0.lastSequence > $1.lastSequence }
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
  /// How many transactions were seen. Of two vectors that one replica had, the one with more covers the other.
  var total: UInt64 { entries.values.reduce(0) { $0 &+ $1.sequence } }
}

/// Why a replica keeps others from collecting.
public enum CollectionBlocker: Hashable, Sendable, Codable {
  /// It has said nothing of itself yet, or its head has not arrived.
  case noHead
  /// It has written more than has arrived here.
  case transactionsMissing(upTo: UInt64)
}
