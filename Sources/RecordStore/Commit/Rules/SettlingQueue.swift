/// The records of a ``CommitSession`` that must be looked at again, by their slots.
struct SettlingQueue {
  /// Those whose visibility and dangling references must be worked out.
  var slots: [Int] = []
  var isSettling = false
  /// Invisible targets, and the slots that were settled without them.
  var waiting: [RecordID: [Int]] = [:]
  /// Those with a later claim of another record on what they claim.
  var contested: Set<Int> = []
  /// The circles of losses that records were found in, or not, since facts last changed.
  var circles: [Int: CommitSession.LossCircle?] = [:]
}
