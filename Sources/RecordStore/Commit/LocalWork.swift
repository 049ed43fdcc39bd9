/// Changes of records on this device: ``changes``, then ``edits``, then ``drafts``.
package struct LocalWork: Hashable, Sendable {
  /// In order: a later change of a record sees the earlier ones.
  package var changes: [RecordChange]
  /// New values of fields.
  package var edits = RecordEdits()
  /// New records, as bytes.
  package var drafts = RecordDrafts()
  /// The key of a once transaction; see ``SaveRequest/init(author:changes:attachments:once:)``.
  package var once: OnceKey?
  /// Unique keys for which an insert of a value that exists already is refused, whatever the store's policy is.
  package var refusedDuplicates: Set<UniqueKey> = []
  /// An update of a record that this store has never heard of is kept, and waits for its insert, instead of being
  /// refused: for scenarios, which say what happens before a file arrives.
  package var keepsUpdatesOfUnknownRecords = false
  /// An update may meet a record that goes along with a delete earlier in the request. If one of the request's updates
  /// gives the record another place to be, it stays, with all of them; else they are left out. Otherwise they are
  /// refused.
  package var dropsUpdatesOfLeaving = false

  package init(changes: [RecordChange] = [], once: OnceKey? = nil) {
    self.changes = changes
    self.once = once
  }

  /// A uniqueness constraint by the ordinals of its fields, in its order.
  package struct UniqueKey: Hashable, Sendable {
    package var entity: EntityNumber
    package var ordinals: [Int]
    package init(entity: EntityNumber, ordinals: [Int]) {
      self.entity = entity
      self.ordinals = ordinals
    }
  }

  /// Whether no record would be inserted, changed or deleted.
  package var hasNoChanges: Bool { changeCount == 0 }

  /// How many changes it has, in whichever form.
  var changeCount: Int { changes.count + edits.entries.count + drafts.count }

  /// Whether records would get new values.
  var hasUpdates: Bool {
    !edits.isEmpty
      || changes.contains { change in
        if case .update = change { true } else { false }
      }
  }
}
