import Foundation
import RecordStore

/// Snapshots, which have many files: an attempt that was cut off goes on where it was.
extension ExchangeCopy {
  /// A snapshot of the source of which all chunks lie in either folder, and the target has no manifest.
  private struct LackingSnapshot {
    var snapshot: StoredSnapshot
    /// Chunks that the source has as the manifest says, and the target has not.
    var given: [Int] = []
    /// Those that neither has so.
    var absent: [Int] = []
  }

  /// The newest two snapshots, chunk by chunk, the manifest last: an attempt that was cut off goes on where it was. One
  /// that is not whole yet is copied later.
  func copySnapshots(of replica: ReplicaID, _ outcome: inout Outcome) throws {
    let lacking = try lackingSnapshots(of: replica)
    try removeReplacedChunks(of: replica, isOffered: !lacking.isEmpty)
    for lack in lacking {
      let snapshot = lack.snapshot
      for index in lack.given {
        try Task.checkCancellation()
        let name = SnapshotName.chunk(index)
        guard let bytes = try snapshot.part(name) else {
          throw DurableFile.missing(snapshot.folder.appending(path: name))
        }
        try target.publish(bytes, name, of: snapshot.name, replica)
      }
      // A chunk that does not belong there is fetched anew once it is gone.
      for index in lack.absent { try removeChunk(index, of: snapshot) }
      guard lack.absent.isEmpty else { continue }
      try target.publish(snapshot.manifest.encoded(), SnapshotName.manifest, of: snapshot.name, replica)
      outcome.copied += 1
    }
    if keepsChunks { try keepChunks(of: replica, but: Set(lacking.map(\.snapshot.name))) }
  }

  private func lackingSnapshots(of replica: ReplicaID) throws -> [LackingSnapshot] {
    let here = try target.intactSnapshots(of: replica)
    // An older one is there because its owner has not removed it from this copy yet.
    return try source.intactSnapshots(of: replica).sorted { $0.rank < $1.rank }.suffix(2)
      .filter { !$0.isReplaced(byOneOf: here) }.compactMap(lack)
  }

  private func lack(of snapshot: StoredSnapshot) throws -> LackingSnapshot? {
    let (manifest, name, owner) = (snapshot.manifest, snapshot.name, snapshot.owner)
    // Before all are read.
    let areThere = manifest.chunks.indices.allSatisfy { index in
      [source, target].contains { FileSignature.of($0.file(ofChunk: index, of: name, owner)) != nil }
    }
    guard areThere else { return nil }
    var lack = LackingSnapshot(snapshot: snapshot)
    for index in manifest.chunks.indices {
      try Task.checkCancellation()
      if try target.wholeChunk(index, of: manifest, name, owner) != nil { continue }
      if try source.wholeChunk(index, of: manifest, name, owner) != nil {
        lack.given.append(index)
      } else {
        guard keepsChunks else { return nil }
        lack.absent.append(index)
      }
    }
    return lack
  }

  private func removeChunk(_ index: Int, of snapshot: StoredSnapshot) throws {
    let file = target.file(ofChunk: index, of: snapshot.name, snapshot.owner)
    if try DurableFile.size(of: file) != nil { try DurableFile.remove(file) }
  }

  /// Takes chunks of snapshots that are not whole yet, or whose manifest has not come. Each proves by itself that it is
  /// as it was written; the manifest tells later whether it belongs there. They are no more than the place lists.
  private func keepChunks(of replica: ReplicaID, but others: Set<SnapshotName>) throws {
    let here = try target.intactSnapshots(of: replica)
    let replaced = try source.intactSnapshots(of: replica).filter { $0.isReplaced(byOneOf: here) }.map(\.name)
    for name in try source.snapshotNames(of: replica) where !others.contains(name) && !replaced.contains(name) {
      guard try target.manifestBytes(of: name, replica) == nil else { continue }
      let parts = try DurableFile.names(in: source.folder(name, of: replica))
      for index in parts.compactMap(SnapshotName.index(ofChunk:)) {
        try Task.checkCancellation()
        guard try target.provenChunk(index, of: name, replica) == nil,
          let bytes = try source.provenChunk(index, of: name, replica)
        else { continue }
        try target.publish(bytes, SnapshotName.chunk(index), of: name, replica)
      }
    }
  }

  /// Removes from a device's own copy the chunks of snapshots that nobody waits for any more: of those that are older
  /// than a whole one here, and of those that a folder at hand has no more, where it offers a newer one.
  private func removeReplacedChunks(of replica: ReplicaID, isOffered: Bool) throws {
    // Owners remove by themselves what they did not finish.
    guard prunable == nil, try !ExchangeCopy.ids(of: stores.target).contains(replica) else { return }
    let here = try target.intactSnapshots(of: replica)
    guard try here.count < target.snapshotNames(of: replica).count else { return }
    let older = try source.intactSnapshots(of: replica).filter { $0.isReplaced(byOneOf: here) }.map(\.name)
    // Files that a transport has fetched are only a part of those at its place.
    let there = isOffered && !keepsChunks ? Set(try source.snapshotNames(of: replica)) : nil
    try target.removeUnfinishedSnapshots(of: replica) { name in
      older.contains(name) || there.map { !$0.contains(name) } ?? false
    }
  }

  func leavesRoom(forSnapshotsOf replica: ReplicaID) throws -> Bool {
    guard let budget else { return true }
    do {
      return try lackingSnapshots(of: replica).allSatisfy { lack in
        let byteCount = lack.given.reduce(0) { $0 + lack.snapshot.manifest.chunks[$1].byteCount }
        return budget.admits(lack.snapshot.path, of: place, byteCount: byteCount, direction)
      }
    } catch let error as SyncError where error.code == .unusableFile || error.code == .notADirectory {
      // Named where it is copied.
      return true
    }
  }
}
