import RecordStore

/// One decision to forget dead records, as it travels: which records, what its author had seen, and the cut of
/// history that everybody knew.
///
/// A store that has merged all that ``covered`` covers forgets what it covers of the records, and only that. The
/// Collection article says why all replicas stay equal.
struct TombstoneCollection: Hashable, Sendable {
  /// The name of the transaction that carries it.
  var stamp: Stamp
  /// Everything that its author had seen, itself included.
  var covered: VersionVector
  /// The vector that all known replicas had seen; whatever they wrote or write outside of ``covered`` comes after it.
  var cut: VersionVector
  /// In the numbering of this store.
  var records: [Forgetting.Record]

  /// Whether a transaction was made without knowing the cut, or is within it: it may tell of what was forgotten.
  static func isLate(
    _ dot: Dot, _ stamp: Stamp, context: VersionVector, to cut: VersionVector, _ forks: ForkedStreams
  ) -> Bool {
    var known = context
    known.entries[dot.replica] = .init(sequence: dot.sequence, stamp: stamp)
    return forks.covers(cut, stamp) || !cut.entries.values.allSatisfy { forks.covers(known, $0.stamp) }
  }

  /// Whether everything that its author had seen has arrived, and under the same names.
  func isDue(in snapshot: borrowing StoreSnapshot) throws -> Bool {
    let (applied, forks) = (try snapshot.versionVector, try snapshot.forkedStreams)
    return try covered.entries.allSatisfy { replica, entry in
      if forks.names(replica) { return forks.covers(applied, entry.stamp) }
      // Another stamp under that name is of another life, and the files that the author has seen are under way.
      return try entry.sequence <= applied.sequence(of: replica) && !snapshot.contradicts(entry, of: replica)
    }
  }
}

extension VersionVector {
  mutating func join(_ other: VersionVector) {
    for (replica, entry) in other.entries where entry.sequence > sequence(of: replica) { entries[replica] = entry }
  }

  /// The part that both have seen.
  func meet(_ other: VersionVector) -> VersionVector {
    var met = VersionVector()
    for (replica, entry) in entries {
      guard let rival = other.entries[replica] else { continue }
      met.entries[replica] = entry.sequence <= rival.sequence ? entry : rival
    }
    return met
  }
}
