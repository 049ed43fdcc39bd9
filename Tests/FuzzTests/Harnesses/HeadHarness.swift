@testable import RecordSync

extension Harness {
  /// A replica's head.
  static let head = Harness("head", errors: [SyncError.self]) { bytes in
    let head = try ReplicaHead(bytes.sealedAtEnd, subject: "a fuzzed head")
    let written = head.encoded()
    try promise(try ReplicaHead(written, subject: "it") == head, "a head that was written and read again is another")
  }
}
