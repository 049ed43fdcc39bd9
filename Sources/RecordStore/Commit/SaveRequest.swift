/// The work of one atomic save, as a plain value: built from a snapshot, carried out by
/// ``RecordStore/commit(_:)-(SaveRequest)``.
public struct SaveRequest: Hashable, Sendable {
  /// The name under which history keeps the save. The transactions of a merge keep their own.
  public var author: String?
  /// The work on records.
  package var work: Work
  /// Entities and fields that the records use and the catalogue does not know yet (from a newer device).
  package var catalogueAdditions: [EntityDefinition]
  /// Bytes that a higher layer keeps beside the records, written in the same commit; nil removes the key.
  public var attachments: [StoreAttachment]

  /// Whether what looks like a reference to a large value, in the fields of the work, is one: so it is in values that
  /// were read as they are stored.
  package var holdsReferences = false

  /// The work on records. Each kind carries what it can be asked for, and nothing else. Indirect, so that a request
  /// that is handed on counts one reference and not that of each array.
  package indirect enum Work: Hashable, Sendable {
    /// Somebody's changes on this device.
    case save(LocalWork)
    /// Another replica's transactions.
    case merge(MergeWork)
    /// The exchange's or a repair's work on facts.
    case maintenance(MaintenanceWork)
    /// The changes of records under another schema.
    case migration(MigrationWork)
  }

  /// A save of changes, or of attachments alone.
  ///
  /// - Parameters:
  ///   - author: The name under which history keeps the save.
  ///   - changes: In order: a later change of a record sees the earlier ones.
  ///   - attachments: Bytes beside the records.
  ///   - once: Makes the save happen once, anywhere, for ever. If the key is in the once ledger, nothing is changed
  ///     (see ``SaveResult/once``). Otherwise it enters the ledger in the same commit, and the ids of all inserts are
  ///     derived from it.
  public init(
    author: String? = nil, changes: [RecordChange] = [], attachments: [StoreAttachment] = [], once: OnceKey? = nil
  ) {
    self.init(author: author, .save(LocalWork(changes: changes, once: once)), attachments: attachments)
  }

  package init(
    author: String? = nil, _ work: Work, catalogueAdditions: [EntityDefinition] = [],
    attachments: [StoreAttachment] = []
  ) {
    self.author = author
    self.work = work
    self.catalogueAdditions = catalogueAdditions
    self.attachments = attachments
  }

  /// Makes a save inside a migration a system's write. What the migration itself asks for stays.
  mutating func belong(toMigrationWith newFields: NewFields?) throws {
    var migration =
      switch work {
      case .migration(let work): work
      case .save(let work): MigrationWork(work)
      case .merge, .maintenance:
        throw StoreError(.invalidRequest, "a migration saves changes alone: merge and repair before or after it")
      }
    migration.newFields = newFields
    work = .migration(migration)
  }

  /// The changes of a save or a migration; none of any other work.
  var local: LocalWork {
    switch work {
    case .save(let work): work
    case .migration(let work): work.save
    case .merge, .maintenance: LocalWork()
    }
  }

  /// The transactions of a merge; nil for other work, which makes one of this replica's own.
  var merged: [TransactionOrigin]? {
    if case .merge(let work) = work { work.transactions } else { nil }
  }

  /// Bytes of a higher layer that travel with the transaction to every other device.
  var notice: [UInt8]? {
    if case .maintenance(let work) = work { work.notice } else { nil }
  }
}
