import RecordStore

/// One decision to forget dead records, as it travels: which records, what its author had seen, and the cut of
/// history that everybody knew.
///
/// Whoever has merged all that ``covered`` covers forgets what it covers of the records, and only that. The
/// Collection article says why all replicas stay equal.
struct TombstoneCollection: Hashable, Sendable {
  /// Of the transaction that carries it: its name.
  var stamp: Stamp
  /// Everything that its author had seen, itself included.
  var covered: VersionVector
  /// What all known replicas had seen; whatever they wrote or write outside of ``covered`` comes after it.
  var cut: VersionVector
  /// In the numbering of this store.
  var records: [Forgetting.Record]

  /// Whether a transaction that `covered` does not cover was made without knowing the cut.
  static func isLate(_ dot: Dot, context: VersionVector, to cut: VersionVector) -> Bool {
    cut.entries.contains { replica, entry in
      replica != dot.replica && context.sequence(of: replica) < entry.sequence
    }
  }
}

extension VersionVector {
  /// Whether everything in `other` is covered, replicas that are left out aside.
  func covers(_ other: VersionVector, except left: Set<ReplicaID> = []) -> Bool {
    other.entries.allSatisfy { left.contains($0.key) || $0.value.sequence <= sequence(of: $0.key) }
  }

  mutating func join(_ other: VersionVector) {
    for (replica, entry) in other.entries where entry.sequence > sequence(of: replica) { entries[replica] = entry }
  }

  /// What both have seen.
  func meet(_ other: VersionVector) -> VersionVector {
    var met = VersionVector()
    for (replica, entry) in entries {
      guard let rival = other.entries[replica] else { continue }
      met.entries[replica] = entry.sequence <= rival.sequence ? entry : rival
    }
    return met
  }
}
