/// The session's side of a commit that is divided between it and an intake.
struct DividedWork {
  /// The changes that were taken without a look at their rules; nil if they look at all of it.
  var passed: (any PassedRecords)?
  /// The index entries of records that were given back, by a commit that is not done.
  var entered: [RecordKey: RecordFacts] = [:]
  /// Changes that are still to take effect, rising by their place.
  var pending: ArraySlice<ReturnedChange> = []
  /// The place in the request of the change that takes effect; behind all of them, once they have.
  var place = 0
  /// The place up to which changes have taken effect. A change that is given back with a lesser one takes effect at
  /// once, also while another change does that was given back.
  var reached = 0
}
