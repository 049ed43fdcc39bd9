import Foundation
import RecordStore

extension ExchangeFolder {
  /// Where files of others arrive: everything but what `own` writes.
  func placesOfArrival(except own: Set<ReplicaID>) throws -> [URL] {
    let others = try knownReplicas().filter { !own.contains($0) }
    return [url, replicas, root]
      + others.flatMap { [folder(of: $0), stream(of: $0), heads(of: $0), snapshots(of: $0)] }
  }
}
