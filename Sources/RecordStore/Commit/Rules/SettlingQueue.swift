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
  /// Those above which all deleted records are on the queue, or have been since this settling began: with those above
  /// visible ones (true), and without. So a chain is walked up once, and not for each of its records.
  var walked: [Bool: Set<Int>] = [:]
  /// The newest activity of a record and of all living ones below it that it takes along, for records without a rule of
  /// deny below them, since facts last changed.
  var touches: [Int: Stamp] = [:]
  /// The circles of losses that records were found in, or not, since facts last changed.
  var circles: [Int: CommitSession.LossCircle?] = [:]

  /// Facts of a record have changed. `leadsOn`: to the same records as before, or the record is new.
  mutating func forgetLooks(leadsOn: Bool = false) {
    hidden.removeAll()
    touches.removeAll()
    if isSettling || !leadsOn { walked.removeAll() }
  }
}
