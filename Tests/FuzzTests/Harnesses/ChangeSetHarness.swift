@testable import RecordSync

extension Harness {
  /// A change-set file.
  static let changeSet = Harness("change-set", errors: [SyncError.self]) { bytes in
    let set = try ChangeSetCodec.decode(bytes.sealedChangeSet)
    try promise(set.lastSequence >= set.firstSequence, "a change set ends before it begins")
    let again = try ChangeSetCodec.decode(ChangeSetCodec.encode(set))
    try promise(again == set, "a change set that was read again is another")
  }
}
