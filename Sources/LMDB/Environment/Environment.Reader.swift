import CLMDB

extension Environment {
  /// A slot of the reader table, which all processes share.
  public struct Reader: Sendable, Hashable {
    /// The number under which LMDB knows the process: its id in its own namespace, or one that `ReaderNumber` drew.
    public var number: Int32
    /// The process as this one sees it; nil where it lives in a namespace that this process cannot see.
    public var processID: Int32?
    /// The commit that the reader sees, whose pages cannot be used again; nil while the slot is idle.
    public var transactionID: UInt64?

    /// Creates a slot from its parts.
    public init(number: Int32, processID: Int32?, transactionID: UInt64?) {
      self.number = number
      self.processID = processID
      self.transactionID = transactionID
    }
  }

  /// The slots that are taken, over all processes, after those of dead processes were cleared. Costs a walk over the
  /// table and, on Linux, the list of the system's locks.
  ///
  /// - Throws: ``LMDBError``.
  public func readers() throws -> [Reader] {
    try checkStaleReaders()
    let slots = try ReaderNumber.slots(of: handle.pointer)
    let holders = identity.lock.map(ReaderLockHolders.init)
    return slots.map { slot in
      Reader(
        number: slot.number, processID: holders?.processID(of: slot.number) ?? nil, transactionID: slot.transactionID)
    }
  }
}
