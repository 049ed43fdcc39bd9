/// One of this replica's own transactions as other devices need it: only facts, no effects.
///
/// ``encoded`` is what the codec wrote at commit; it is copied unchanged into change sets, so that
/// exporting the same transaction twice gives the same bytes.
package struct OutgoingTransaction: Hashable, Sendable {
  /// The transaction's name.
  package var dot: Dot
  /// The transaction's time by the hybrid clock.
  package var stamp: Stamp
  /// The bytes that `TransactionCodec` wrote.
  package var encoded: [UInt8]
  /// The large values to which it refers; none where it holds them itself.
  package var references: Set<ExternalReference> = []
}

/// The decoded form: what the transaction says of each record, in the numbering of its author's catalogue.
package struct TransactionFacts: Hashable, Sendable {
  /// The transaction's name.
  package var dot: Dot
  /// The transaction's time by the hybrid clock.
  package var stamp: Stamp
  /// The name that the saving code gave itself; nil without one.
  package var author: String?
  /// The vector that its author had seen, own transactions left out.
  package var context: VersionVector
  /// The key of a once transaction.
  package var once: OnceKey?
  /// Each register, touch and delete in it carries the transaction's stamp.
  package var records: [RecordFacts]
  /// Bytes of a higher layer that travel along, such as what synchronisation says of collections.
  package var notice: [UInt8]?
  /// The stream, where the transaction is merged as one of a forked stream's branch. The records keep its stamps.
  package var forkedFrom: ReplicaID?
  /// The stamp that the records carry.
  var written: Stamp { Stamp(time: stamp.time, counter: stamp.counter, replica: forkedFrom ?? stamp.replica) }
  /// Creates facts from their parts.
  package init(
    dot: Dot, stamp: Stamp, author: String?, context: VersionVector, once: OnceKey? = nil, records: [RecordFacts],
    notice: [UInt8]? = nil
  ) {
    self.dot = dot
    self.stamp = stamp
    self.author = author
    self.context = context
    self.once = once
    self.records = records
    self.notice = notice
  }
}
