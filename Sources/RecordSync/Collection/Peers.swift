import RecordStore

/// The replicas of a family, as far as a store and its folder know.
struct Peers: Sendable {
  var own: ReplicaID
  var applied: VersionVector
  var all: Set<ReplicaID>
  /// The intact heads of each replica with a folder, newest first.
  var heads: [ReplicaID: [ReplicaHead]]
  /// Ids of which a head says another transaction than this store knows: two stores have them, and the files that
  /// would tell them apart have not come yet.
  private(set) var shared: Set<ReplicaID>
  var state: CollectionState

  /// Those that collection waits for.
  var awaited: Set<ReplicaID> { all.subtracting(state.retired).subtracting([own]) }

  /// Reads the heads that lie in the folder. A damaged one is not there.
  init(of store: RecordStore, in folder: ExchangeFolder) throws {
    (own, applied, state) = try store.read { snapshot in
      (try snapshot.replica, try snapshot.versionVector, try CollectionState(snapshot))
    }
    heads = [:]
    for replica in try folder.knownReplicas() { heads[replica] = try folder.intactHeads(of: replica) }
    all = Set(applied.entries.keys).union(heads.keys)
    for head in heads.values.joined() { all.formUnion(head.applied.entries.keys) }
    let published = heads
    shared = try store.read { snapshot in
      let forks = try snapshot.forkedStreams
      return try Set(
        published.filter { replica, heads in
          try forks.lastShared(of: replica) == nil
            && heads.contains { head in
              guard let last = head.applied.entries[replica] else { return false }
              return try snapshot.contradicts(last, of: replica)
            }
        }.keys)
    }
  }
}

// Two stores that write under one id, because one was copied or restored, give different stamps to one place.
extension StoreSnapshot {
  /// Whether this store has the very transaction with which an entry of a vector ends.
  func agrees(with entry: VersionVector.Entry, of replica: ReplicaID) throws -> Bool {
    try stamp(of: Dot(replica: replica, sequence: entry.sequence)) == entry.stamp
  }

  /// Whether this store has another transaction in the place with which an entry of a vector ends.
  func contradicts(_ entry: VersionVector.Entry, of replica: ReplicaID) throws -> Bool {
    try stamp(of: Dot(replica: replica, sequence: entry.sequence)) ?? entry.stamp != entry.stamp
  }

  /// How much of this store's own stream a vector says; nothing where another store wrote what it means.
  func ownSequence(in vector: VersionVector) throws -> UInt64 {
    guard let entry = vector.entries[try replica], try agrees(with: entry, of: replica) else { return 0 }
    return entry.sequence
  }
}
