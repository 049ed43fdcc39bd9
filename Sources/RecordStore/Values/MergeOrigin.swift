/// The transactions that a merge brings, all of one replica, contiguous.
public struct MergeOrigin: Hashable, Sendable {
  public struct Transaction: Hashable, Sendable {
    public var dot: Dot
    public var stamp: Stamp
    public var author: String?
    /// What its author had seen when making it, its own earlier transactions left out.
    public var context: VersionVector
    /// The key of a once transaction.
    public var once: OnceKey?
    /// See ``TransactionFacts/forkedFrom``.
    public var forkedFrom: ReplicaID?
    /// The stamp that the records carry.
    var written: Stamp { Stamp(time: stamp.time, counter: stamp.counter, replica: forkedFrom ?? stamp.replica) }
    public init(dot: Dot, stamp: Stamp, author: String?, context: VersionVector, once: OnceKey? = nil) {
      self.dot = dot
      self.stamp = stamp
      self.author = author
      self.context = context
      self.once = once
    }
  }
  /// Rising by one; the first follows what the store has of that replica, else the commit throws `invalidRequest`.
  public var transactions: [Transaction]
  public init(transactions: [Transaction]) { self.transactions = transactions }
}
