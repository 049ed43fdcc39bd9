import Foundation
import RecordStore

extension ExchangeFolder {
  /// The newest head of a replica that is intact and can be read.
  func newestHead(of replica: ReplicaID) throws -> (name: HeadName, head: ReplicaHead)? {
    for name in try headNames(of: replica).reversed() {
      if let head = try intactHead(name, of: replica) { return (name, head) }
    }
    return nil
  }

  /// The replica's heads that are intact and can be read, newest first.
  func intactHeads(of replica: ReplicaID) throws -> [ReplicaHead] {
    try headNames(of: replica).reversed().compactMap { try intactHead($0, of: replica) }
  }

  /// In rising order.
  func headNames(of replica: ReplicaID) throws -> [HeadName] {
    do {
      return try DurableFile.names(in: heads(of: replica)).compactMap(headName).sorted()
    } catch let error as SyncError where error.code == .unusableFile {
      // Named by ``unusableHeads(of:)``.
      return []
    }
  }

  /// Items in the place of a replica's newest heads, or of their folder, that cannot be read.
  func unusableHeads(of replica: ReplicaID) throws -> [SyncReport.Refusal] {
    let folder = heads(of: replica)
    do {
      return try DurableFile.names(in: folder).compactMap(headName).sorted().suffix(2).compactMap { name in
        let file = file(name, of: replica)
        do {
          _ = try readIfPresent(file, as: .head(replica, name), limit: ReplicaHead.maximumFileBytes)
          return nil
        } catch let error as SyncError where error.code != .inputOutput {
          return SyncReport.Refusal(file: "r/\(replica)/h/\(file.lastPathComponent)", reason: error.message)
        }
      }
    } catch let error as SyncError where error.code == .unusableFile {
      return [SyncReport.Refusal(file: "r/\(replica)/h", reason: error.message)]
    }
  }

  /// A head is a report: one that cannot be read, or that speaks for another replica, says nothing.
  private func intactHead(_ name: HeadName, of replica: ReplicaID) throws -> ReplicaHead? {
    guard let memory = FolderMemory.current else { return try readHead(name, of: replica) }
    return try memory.head(at: file(name, of: replica)) { try readHead(name, of: replica) }
  }

  private func readHead(_ name: HeadName, of replica: ReplicaID) throws -> ReplicaHead? {
    do {
      guard let bytes = try headBytes(name, of: replica) else { return nil }
      let head = try ReplicaHead(bytes, subject: name.text)
      return head.storeID == storeID && head.replica == replica ? head : nil
    } catch let error as SyncError where error.code != .inputOutput {
      return nil
    }
  }

  /// The file's bytes, if they are those that its name tells of.
  func headBytes(_ name: HeadName, of replica: ReplicaID) throws -> [UInt8]? {
    do {
      let bytes = try readIfPresent(
        file(name, of: replica), as: .head(replica, name), limit: ReplicaHead.maximumFileBytes)
      return bytes.flatMap { HeadName(counter: name.counter, content: $0) == name ? $0 : nil }
    } catch let error as SyncError where error.code != .inputOutput {
      // Named by ``unusableHeads(of:)``.
      return nil
    }
  }

  /// Publishes a head unless the newest one says the same, or was published so lately that a watch waits with the next
  /// (``HeadPace``), and keeps the newest two. Whether it was published.
  ///
  /// Only for the replica's owner: it counts on from whatever lies there, garbage under a right hash included, so that
  /// its own head is the newest, and removes what no owner has counted to.
  @discardableResult
  func publish(_ head: ReplicaHead) throws -> Bool {
    try removeForgedHeads(of: head.replica)
    if let newest = try newestHead(of: head.replica),
      newest.head == head || HeadPace.holdsBack(head, behind: newest.head, in: file(newest.name, of: head.replica))
    {
      // Removed ones may have come back from another device's copy.
      try removeOldHeads(of: head.replica)
      return false
    }
    let bytes = head.encoded()
    // Another engine of the store may have published one meanwhile.
    FolderMemory.forget(heads(of: head.replica))
    let greatest = try headNames(of: head.replica).last?.counter ?? 0
    let name = HeadName(counter: greatest + 1, content: bytes)
    try publish(bytes, name, of: head.replica)
    try removeOldHeads(of: head.replica)
    return true
  }

  func publish(_ head: [UInt8], _ name: HeadName, of replica: ReplicaID) throws {
    try publish(head, at: file(name, of: replica), as: .head(replica, name))
  }

  /// Removes heads whose counter is so great that the next ones would end the range.
  private func removeForgedHeads(of replica: ReplicaID) throws {
    let folder = heads(of: replica)
    for name in try DurableFile.names(in: folder) {
      guard let counter = HeadName.counter(of: name), counter > HeadName.greatestCounter / 2 else { continue }
      try DurableFile.remove(folder.appending(path: name))
    }
  }

  /// Keeps the newest two heads. Only for the replica's owner, and for a device's own copy of the folder.
  func removeOldHeads(of replica: ReplicaID) throws {
    for name in try headNames(of: replica).dropLast(2) {
      try DurableFile.remove(file(name, of: replica))
    }
  }
}
