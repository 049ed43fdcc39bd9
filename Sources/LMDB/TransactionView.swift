// CONTRACT STUB: to be implemented by the owner of this module.

/// The reading side of a read or write transaction, so that one piece of code serves both.
///
/// Copyable but not Sendable: valid until its transaction ends, on the thread it was lent to.
public struct TransactionView {
  /// The snapshot's transaction id: the id of the last commit it sees.
  public var id: UInt64 { fatalError("stub") }
  public func get(_ database: Database, key: RawBytes) throws -> RawBytes? { fatalError("stub") }
  public func get(_ database: Database, key: [UInt8]) throws -> RawBytes? { fatalError("stub") }
  public func cursor(_ database: Database) throws -> Cursor { fatalError("stub") }
  public func statistics(_ database: Database) throws -> DatabaseStatistics { fatalError("stub") }
}

public struct DatabaseStatistics: Sendable, Hashable {
  public var entries: Int
  public var depth: Int
  public var branchPages: Int
  public var leafPages: Int
  public var overflowPages: Int
  public var pageSizeBytes: Int
}

/// A read transaction: one snapshot, pinned until the closure that borrows it returns.
public struct ReadTransaction: ~Copyable {
  public var view: TransactionView { fatalError("stub") }
}

/// The write transaction: at most one at a time over all processes.
public struct WriteTransaction: ~Copyable {
  public var view: TransactionView { fatalError("stub") }

  public enum PutMode: Sendable {
    case upsert
    /// Throws `keyExists` and changes nothing when the key is there.
    case insert
    /// The key must be greater than every key of the database; pages fill completely.
    case append
  }
  public func put(_ database: Database, key: RawBytes, value: RawBytes, mode: PutMode = .upsert) throws {
    fatalError("stub")
  }
  public func put(_ database: Database, key: [UInt8], value: [UInt8], mode: PutMode = .upsert) throws {
    fatalError("stub")
  }
  /// Makes room for a value of `count` bytes and lets `body` write it straight into the page.
  public func reserve(
    _ database: Database, key: RawBytes, count: Int, mode: PutMode = .upsert,
    _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws { fatalError("stub") }
  /// Whether there was such a key.
  @discardableResult
  public func delete(_ database: Database, key: RawBytes) throws -> Bool { fatalError("stub") }
  @discardableResult
  public func delete(_ database: Database, key: [UInt8]) throws -> Bool { fatalError("stub") }
  public func removeAll(from database: Database) throws { fatalError("stub") }
  /// Creates or opens a database; its handle is valid elsewhere once this transaction has committed.
  public func createDatabase(named name: String) throws -> Database { fatalError("stub") }
  /// A transaction inside this one: kept when `body` returns, undone when it throws.
  public func nested<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    fatalError("stub")
  }
}

/// A position in a database. Closes when it goes out of scope, which must be before its transaction ends.
public struct Cursor: ~Copyable {
  public struct Entry {
    public var key: RawBytes
    public var value: RawBytes
  }
  public borrowing func first() throws -> Entry? { fatalError("stub") }
  public borrowing func last() throws -> Entry? { fatalError("stub") }
  /// The first entry whose key is not less than `key`.
  public borrowing func seek(_ key: RawBytes) throws -> Entry? { fatalError("stub") }
  public borrowing func seek(_ key: [UInt8]) throws -> Entry? { fatalError("stub") }
  public borrowing func next() throws -> Entry? { fatalError("stub") }
  public borrowing func previous() throws -> Entry? { fatalError("stub") }
}
