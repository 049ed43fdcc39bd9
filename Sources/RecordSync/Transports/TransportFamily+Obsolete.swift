import Foundation
import RecordStore

extension TransportFamily {
  /// The device's own change sets and snapshots in its copy, by the paths that they have at the transport.
  func ownPaths(of replica: ReplicaID) throws -> Set<String> {
    let files = try own.listing(of: replica).files.map { path(remote.file($0.name, of: replica)) }
    return Set(files + (try own.intactSnapshots(of: replica).map { path(remote.folder($0.name, of: replica)) }))
  }

  /// Listed files of the device's own that nobody needs any more, because its own copy has replaced them.
  ///
  /// A file goes only if it was in the own copy before this run (`before`), or was fetched and found to be replaced, so
  /// that it is known to be this store's; if the own copy does not have it any more; and if what stands for it is in
  /// the own copy, and so has just been brought: a larger change set, or the snapshot of which the own head tells.
  func obsoleteFiles(of replica: ReplicaID, before: Set<String>, isReplaced: (Arrival) -> Bool) throws -> [String] {
    let kept = try own.listing(of: replica)
    guard kept.refused.isEmpty, !kept.files.isEmpty else { return [] }
    let oldest = try own.newestHead(of: replica)?.head.oldestSequence ?? 1
    let here = try ownPaths(of: replica)
    let lacking = try streamArrivals(of: replica, after: .max) + snapshotArrivals(of: replica)
    let candidates = lacking.filter { arrival in
      !here.contains(arrival.path) && (before.contains(arrival.path) || isReplaced(arrival))
    }
    let gone = try candidates.filter { candidate in
      switch candidate.content {
      case .changeSet(let name):
        guard let name else { return false }
        return name.to < oldest || kept.files.contains { $0.from <= name.from && name.to <= $0.to }
      case .snapshot: return try !own.intactSnapshots(of: replica).isEmpty
      case .head: return false
      }
    }
    return try gone.flatMap(\.files) + obsoleteHeads(of: replica)
  }

  /// All but the newest two.
  private func obsoleteHeads(of replica: ReplicaID) throws -> [String] {
    let listed = headNames(of: replica)
    let newest = Set(listed + (try own.headNames(of: replica))).sorted().suffix(2)
    return listed.filter { !newest.contains($0) }.map { path(remote.file($0, of: replica)) }
  }
}
