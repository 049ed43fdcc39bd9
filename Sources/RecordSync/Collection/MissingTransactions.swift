import RecordStore

/// The transactions that other replicas say that they know, and neither a store nor a file in its folder has.
///
/// Only heads tell: a stream that ends looks whole. A head of a retired replica tells nothing, for a person has said
/// that it is gone. A transaction in a file is not missing: it is taken at the next run, or its refusal is in the
/// report.
struct MissingTransactions {
  private struct Claim {
    var sequence: UInt64
    var stamp: Stamp
    var holder: ReplicaID
  }

  /// A sentence for each stream of which something is missing.
  private(set) var sentences: [String] = []
  /// Whose streams these are.
  private(set) var replicas: [ReplicaID] = []

  /// Reads the heads, and of a stream that lacks something its listing.
  init(of store: RecordStore, in folder: ExchangeFolder) throws {
    let peers = try Peers(of: store, in: folder)
    let claims = try MissingTransactions.claims(of: peers, in: store)
    guard !claims.isEmpty else { return }
    let names = try DeviceNames(of: store)
    for (replica, claim) in claims.sorted(by: { $0.key < $1.key }) {
      let have = peers.applied.sequence(of: replica)
      let reached = StreamListing.reached(from: have, try folder.listing(of: replica).files)
      guard reached < claim.sequence || claim.sequence <= have else { continue }
      replicas.append(replica)
      let first = min(reached + 1, claim.sequence)
      let range =
        first == claim.sequence ? "transaction \(first)" : "transactions \(first) to \(claim.sequence)"
      let holder = names[claim.holder].map { $0.isEmpty ? "" : " (\($0))" } ?? ""
      sentences.append(
        "\(range) of replica \(replica) \(first == claim.sequence ? "is" : "are") in no file here, and replica "
          + "\(claim.holder)\(holder) has said that it knows: wait until its files have arrived, or synchronise with it"
      )
    }
  }

  /// The last transaction of each stream that somebody knows and the store does not.
  private static func claims(of peers: Peers, in store: RecordStore) throws -> [ReplicaID: Claim] {
    try store.read { snapshot in
      let forks = try snapshot.forkedStreams
      var claims: [ReplicaID: Claim] = [:]
      // Most heads say the same: a look into the history for each would be one for each pair of replicas.
      var agreed = peers.applied.entries.mapValues { Set([$0]) }
      for (holder, heads) in peers.heads where !peers.state.retired.contains(holder) {
        for (replica, entry) in heads.flatMap(\.applied.entries) where entry.sequence > claims[replica]?.sequence ?? 0 {
          if agreed[replica]?.contains(entry) ?? false { continue }
          let isOlder = entry.sequence <= peers.applied.sequence(of: replica)
          if try isOlder && !snapshot.contradicts(entry, of: replica) {
            agreed[replica, default: []].insert(entry)
            continue
          }
          if forks.covers(peers.applied, entry.stamp) { continue }
          claims[replica] = Claim(sequence: entry.sequence, stamp: entry.stamp, holder: holder)
        }
      }
      return claims
    }
  }
}
