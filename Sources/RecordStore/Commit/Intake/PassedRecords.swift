/// The records that a commit took without a look at their rules, while ``CommitSession`` settles the rest.
///
/// A rule may reach a record that was taken, or refuse it. Its change is *given back* then: it takes effect by the
/// rules, and ``CommitWriter`` writes the row. The record's index entries are in the trees by then, so the writer
/// starts from them.
///
/// Classes: the session asks them for records in the middle of its rules. They live as long as the session.
protocol PassedRecords: AnyObject {
  /// Whether a record is new, taken and not given back: readers see it.
  func shows(_ key: RecordKey) -> Bool
  /// Whether a record goes with a delete that was taken and not given back: the tables still have it.
  func hides(_ key: RecordKey) -> Bool
  /// Gives back the change that was taken of a record, or the delete with which it goes; nil if there is none, or it
  /// was given back.
  func giveBack(_ key: RecordKey) throws -> ReturnedChange?
}

/// A change that the rules get.
struct ReturnedChange {
  /// Its place in the request, of a local save.
  var place = 0
  let content: Content
  /// The record, if it is new: readers would see it as it was taken.
  let newRecord: RecordKey?
  /// The record's entries in the indexes; nil if there was nothing to write.
  let entered: RecordFacts?

  enum Content {
    /// A change of a local save.
    case change(RecordChange)
    /// The facts of a merge, in the order of its transactions.
    case facts([RecordFacts])
  }

  /// The change of a local save.
  var change: RecordChange? {
    if case .change(let change) = content { change } else { nil }
  }

  /// The record that it deletes, where it is a delete.
  var deleted: RecordKey? {
    guard case .delete(let entity, let id) = change else { return nil }
    return RecordKey(entity: entity, id: id)
  }
}
