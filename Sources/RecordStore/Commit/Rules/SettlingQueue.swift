/// The records of a ``CommitSession`` that must be looked at again, by their slots.
struct SettlingQueue {
  /// Those whose visibility and dangling references must be worked out.
  var slots: [Int] = []
  var isSettling = false
  /// Invisible targets, and the slots that were settled without them.
  var waiting: [RecordID: [Int]] = [:]
  /// Those with a later claim of another record on what they claim.
  var contested: Set<Int> = []
  /// Those that hide for what they cannot be without, since anything last changed that could show them: a record below
  /// one of them need not look further.
  var hidden: Set<Int> = []
  /// Between two settlings, those above which all deleted records are on the queue: with those above visible ones
  /// (true), and without. So a chain of new records is walked up once, and not for each of them.
  var walked: [Bool: Set<Int>] = [:]
  /// The circles of losses that records were found in, or not, since facts last changed.
  var circles: [Int: CommitSession.LossCircle?] = [:]

  /// Facts of a record have changed.
  mutating func forgetLooks() {
    hidden.removeAll()
    walked.removeAll()
  }
}
