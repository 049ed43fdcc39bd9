// CONTRACT STUB: to be implemented by the owners of the commit path and of Query.
package import LMDB

/// One consistent state of a store, lent to a closure.
public struct StoreSnapshot: ~Copyable {
  package let transaction: TransactionView
  public let catalogue: Catalogue
  package init(transaction: TransactionView, catalogue: Catalogue) {
    self.transaction = transaction
    self.catalogue = catalogue
  }
}

// Identity and time.
extension StoreSnapshot {
  public var storeID: RecordID { get throws { fatalError("stub") } }
  public var replica: ReplicaID { get throws { fatalError("stub") } }
  /// The number of the newest transaction in this store's history; 0 if there is none.
  public var lastTransactionNumber: UInt64 { get throws { fatalError("stub") } }
  /// Everything seen, own transactions included.
  public var versionVector: VersionVector { get throws { fatalError("stub") } }
}

// Records.
extension StoreSnapshot {
  /// A visible record, through aliases; nil if there is none.
  public func record(_ id: RecordID, of entity: EntityNumber) throws -> RecordImage? { fatalError("stub") }
  /// All facts of a record, visible or not, through aliases; nil if nothing is known of it.
  public func facts(_ id: RecordID, of entity: EntityNumber) throws -> RecordFacts? { fatalError("stub") }
  /// The id that stands for `id`: itself, or the canonical id of its alias class.
  public func canonical(_ id: RecordID) throws -> RecordID { fatalError("stub") }
  /// Ids of the visible records linked to `id` by a relationship, in id order.
  public func related(_ id: RecordID, of entity: EntityNumber, relationship: String) throws -> [RecordID] {
    fatalError("stub")
  }
  /// Every record of an entity, dead and waiting ones included, as facts in id order: for dumps and checks.
  public func forEachFacts(of entity: EntityNumber, _ body: (RecordFacts, _ isVisible: Bool) throws -> Void) throws {
    fatalError("stub")
  }
}

// Queries.
extension StoreSnapshot {
  public func fetch(_ query: RecordQuery) throws -> [RecordImage] { fatalError("stub") }
  public func identifiers(_ query: RecordQuery) throws -> [RecordID] { fatalError("stub") }
  public func count(_ query: RecordQuery) throws -> Int { fatalError("stub") }
  /// How the query would run, one step a line.
  public func explain(_ query: RecordQuery) throws -> String { fatalError("stub") }
}

// History and the outbox.
extension StoreSnapshot {
  /// Transactions with numbers above `number`, oldest first. Throws `historyTokenExpired` when some of them were trimmed.
  public func history(after number: UInt64, limit: Int? = nil) throws -> [HistoryTransaction] { fatalError("stub") }
  /// The history entry that a stamp names; nil if it was trimmed or never seen here.
  public func historyTransaction(with stamp: Stamp) throws -> HistoryTransaction? { fatalError("stub") }
  /// This replica's own transactions with sequence numbers above `sequence`, oldest first.
  public func forEachOutgoing(after sequence: UInt64, _ body: (OutgoingTransaction) throws -> Bool) throws {
    fatalError("stub")
  }
  public func attachment(_ key: [UInt8]) throws -> [UInt8]? { fatalError("stub") }
  /// Attachments whose keys begin with `prefix`, in key order, until `body` returns false.
  public func forEachAttachment(
    prefix: [UInt8], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
  ) throws {
    fatalError("stub")
  }
}
