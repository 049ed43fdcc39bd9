import Foundation
import RecordStore

extension ExchangeFolder {
  /// The newest intact head of a replica; damaged ones are passed over.
  func newestHead(of replica: ReplicaID) throws -> (name: HeadName, head: ReplicaHead)? {
    let folder = heads(of: replica)
    for name in try DurableFile.names(in: folder).compactMap(HeadName.init).sorted().reversed() {
      let bytes = try DurableFile.read(folder.appending(path: name.text), limit: ReplicaHead.maximumFileBytes)
      guard HeadName(counter: name.counter, content: bytes) == name else { continue }
      return (name, try ReplicaHead(bytes, subject: name.text))
    }
    return nil
  }

  /// The replica's heads that are intact and can be read, newest first.
  func intactHeads(of replica: ReplicaID) throws -> [ReplicaHead] {
    let folder = heads(of: replica)
    let names = try DurableFile.names(in: folder).compactMap(HeadName.init).sorted().reversed()
    return try names.compactMap { name in
      guard
        let bytes = try DurableFile.readIfPresent(
          folder.appending(path: name.text), limit: ReplicaHead.maximumFileBytes),
        HeadName(counter: name.counter, content: bytes) == name
      else { return nil }
      do {
        let head = try ReplicaHead(bytes, subject: name.text)
        return head.storeID == storeID && head.replica == replica ? head : nil
      } catch let error as SyncError where error.code != .inputOutput {
        // A head is a report: one that cannot be read says nothing.
        return nil
      }
    }
  }

  /// Publishes a head unless the newest one says the same, and keeps the newest two. Whether it was published.
  @discardableResult
  func publish(_ head: ReplicaHead) throws -> Bool {
    let newest = try newestHead(of: head.replica)
    guard newest?.head != head else {
      // Removed ones may have come back from another device's copy.
      try removeOldHeads(of: head.replica)
      return false
    }
    let bytes = head.encoded()
    let name = HeadName(counter: (newest?.name.counter ?? 0) + 1, content: bytes)
    try DurableFile.publish(bytes, named: name.text, in: heads(of: head.replica))
    try removeOldHeads(of: head.replica)
    return true
  }

  /// Keeps the newest two heads. Only for the replica's owner, and for a device's own copy of the folder.
  func removeOldHeads(of replica: ReplicaID) throws {
    let folder = heads(of: replica)
    let names = try DurableFile.names(in: folder).compactMap(HeadName.init).sorted()
    for name in names.dropLast(2) { try DurableFile.remove(folder.appending(path: name.text)) }
  }
}
