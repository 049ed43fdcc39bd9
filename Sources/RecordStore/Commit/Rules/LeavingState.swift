/// The session's knowledge of records that go along with deletes, while later changes of the save may still take
/// them from there.
struct LeavingState {
  /// Records to which a change after the deletes may give another place, or other records below them, instead of one
  /// that they cannot be without: deletes do not go on through them yet.
  var moving: Set<Int> = []
  /// Records that changes after the deletes link to further records: deletes go on through them once more.
  var relinked: Set<Int> = []
  /// Updates of records that deletes of the same save took along, until one gives the record another place.
  var updates: [Int: [FieldWrite]] = [:]
  /// Fields of records that go whose targets this save took out of them, though there must be one: deletes do not
  /// follow these.
  var released: [Int: Set<Int>] = [:]
  /// Records that may have let go of a one-to-one target, or lost it, since ``CommitSession/releaseDisplaced()``.
  var formerHolders: [Int] = []
  /// By the record to which this save gave a one-to-one target: from whom.
  var taken: [Int: [Loss]] = [:]

  struct Loss {
    let slot: Int
    let rule: ReferenceRule
  }
}
