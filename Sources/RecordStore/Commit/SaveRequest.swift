/// What one atomic save shall do, as a plain value: built from a snapshot, carried out by
/// ``RecordStore/commit(_:)-(SaveRequest)``.
public struct SaveRequest: Hashable, Sendable {
  /// Who saves; kept in history.
  public var author: String?
  /// In order: a later change of a record sees the earlier ones.
  public var changes: [RecordChange]
  /// Set when the request carries another replica's transactions. Then `changes` hold only `.facts`.
  public var merge: MergeOrigin?
  /// Entities and fields that the changes use and the catalogue does not know yet (from a newer device).
  public var catalogueAdditions: [EntityDefinition]
  /// Bytes that a higher layer keeps beside the records, written in the same commit; nil removes the key.
  public var attachments: [StoreAttachment]
  /// Makes a local save happen once, anywhere, for ever: if the key is in the once ledger, nothing is changed (see
  /// ``SaveResult/once``), else it is entered in the same commit, and the ids of all inserts are derived from it.
  public var once: OnceKey?

  /// The transactions of ``merge`` as they arrived, instead of changes.
  package var arrivals: EncodedArrivals?
  /// New values of fields; they come after ``changes``.
  package var edits = RecordEdits()
  /// New records, as bytes instead of changes; they come after ``edits``.
  package var drafts = RecordDrafts()
  /// An update of a record that this store has never heard of is kept, and waits for its insert, instead of being
  /// refused: for scenarios, which say what happens before a file arrives.
  package var keepsUpdatesOfUnknownRecords = false
  /// An update may meet a record that goes along with a delete earlier in the request. If one of the request's updates
  /// gives the record another place to be, it stays, with all of them; else they are left out. Otherwise they are
  /// refused.
  package var dropsUpdatesOfLeaving = false
  /// Unique keys for which an insert of a value that exists already is refused, whatever the store's policy is.
  package var refusedDuplicates: Set<UniqueKey> = []
  /// Bytes of a higher layer that travel with the transaction to every other device.
  package var notice: [UInt8]?
  /// Facts that go, after the changes.
  package var forgettings: [Forgetting] = []
  /// Facts that this replica says again, after the changes; not in a merge.
  package var restatements: [Restatement] = []
  /// Facts of a lost store that this replica says again, after the changes.
  package var repetition: Repetition?
  /// Nobody's edit: updates set values, but give no life to a record that somebody else deletes.
  var isSystem = false
  /// Of a migration: fields that it brought, and when it began. What other devices have written to them since they
  /// migrated stays.
  var newFields: NewFields?
  /// Records that are given life, after the changes.
  var touches: [Touch] = []

  public init(
    author: String? = nil, changes: [RecordChange] = [], merge: MergeOrigin? = nil,
    catalogueAdditions: [EntityDefinition] = [], attachments: [StoreAttachment] = [], once: OnceKey? = nil
  ) {
    self.author = author
    self.changes = changes
    self.merge = merge
    self.catalogueAdditions = catalogueAdditions
    self.attachments = attachments
    self.once = once
  }

  /// Nothing to do: no transaction of history, no commit.
  public var isEmpty: Bool {
    hasNoChanges && merge == nil && catalogueAdditions.isEmpty && attachments.isEmpty
      && once == nil && notice == nil && forgettings.isEmpty && restatements.isEmpty && repetition == nil
      && touches.isEmpty
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
  package var hasNoChanges: Bool { changes.isEmpty && edits.isEmpty && drafts.count == 0 }

  /// Whether records would get new values.
  var hasUpdates: Bool {
    !edits.isEmpty
      || changes.contains { change in
        if case .update = change { true } else { false }
      }
  }

  /// A record that is given life.
  struct Touch: Hashable, Sendable {
    var key: RecordKey
    /// The fields whose values it says again, as the newest.
    var saysAgain: [Int] = []
    /// Deleted records that will be one with it. What went with them stays away, and what refers to them lets go.
    var deletedEquals: [RecordID] = []
    init(_ key: RecordKey) { self.key = key }
  }
}
