import RecordStore

/// The replicas of a family, as far as a store and its folder know.
struct Peers: Sendable {
  var own: ReplicaID
  var applied: VersionVector
  var all: Set<ReplicaID>
  /// Of each replica with a folder, the intact ones, newest first.
  var heads: [ReplicaID: [ReplicaHead]]
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
  }
}
