import Foundation
import RecordStore

extension SyncEngine {
  /// Sets up a folder that was used before and is gone, because somebody emptied it, with all that this store knows,
  /// and synchronises.
  ///
  /// ``sync()`` refuses such a folder, for mostly it is only unmounted: call this when a person says so. Other devices
  /// need nothing but to synchronise. Transactions that they have, too, are merged and not doubled; so are the old
  /// files, should they come back. Also right for a new folder, in which ``sync()`` publishes only what this store has
  /// written itself.
  ///
  /// Cost: that of ``sync()``, one look at every file of the folder, and a snapshot where change sets do not hold all.
  ///
  /// - Throws: As ``sync()``. A run that is killed or cancelled is to be begun again while the folder is refused.
  public func beginAnew() throws -> SyncReport {
    var report = try running(.export, opening: false) { report in
      try requireSeparateFolder()
      try confirmFamily()
      try store.confirmIdentity()
      try exportTransactions(into: &report)
      try writeWhatIsLacking(into: &report)
      try publishHead()
      // Last: until it is there, every device takes the folder for one that is gone.
      if try !folder.isPresent() { try folder.create() }
    }
    report.add(try sync())
    return report
  }

  /// Makes the folder hold all that this store knows.
  func completeFolder() throws -> SyncReport {
    try running(.export) { report in
      try exportTransactions(into: &report)
      try writeWhatIsLacking(into: &report)
      try publishHead()
    }
  }

  func writeWhatIsLacking(into report: inout SyncReport) throws {
    guard try !holdsAllKnown(verifyingFiles: true) else { return }
    try settleCollections(report: &report)
    try writeSnapshot(report: &report)
    guard try !holdsAllKnown(verifyingFiles: true) else { return }
    report.waiting.append(
      "not all that this store knows could be written into \(folder.root.path), for it waits for files of others itself"
    )
  }

  /// Whether a device that begins with this folder gets all that this store knows. `verifyingFiles`: reads all of them;
  /// else change sets count by their names.
  func holdsAllKnown(verifyingFiles: Bool) throws -> Bool {
    let known = try store.read { try $0.versionVector.entries.mapValues(\.sequence) }
    var files: [ReplicaID: [StreamFile]] = [:]
    for replica in known.keys {
      files[replica] = try folder.listing(of: replica).files.filter {
        try !verifyingFiles || $0.readIfIntact(expecting: folder, replica: replica) != nil
      }
    }
    func leads(from start: VersionVector) -> Bool {
      known.allSatisfy { replica, last in
        StreamListing.reached(from: start.sequence(of: replica), files[replica] ?? []) >= last
      }
    }
    if leads(from: VersionVector()) { return true }
    return try folder.intactSnapshots().contains { try leads(from: $0.manifest.vector) && $0.isWhole() }
  }
}
