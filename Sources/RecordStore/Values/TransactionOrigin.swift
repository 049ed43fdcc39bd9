/// Where a transaction comes from: all of it but its records.
package struct TransactionOrigin: Hashable, Sendable {
  /// The replica that made it, and its place in that replica's stream.
  package var dot: Dot
  /// When it was made, by the clock of its replica.
  package var stamp: Stamp
  /// The name that its maker gave itself, for history.
  package var author: String?
  /// The vector that its maker had seen, its own earlier transactions left out.
  package var context: VersionVector
  /// The key of a once transaction.
  package var once: OnceKey?
  /// See ``TransactionFacts/forkedFrom``.
  package var forkedFrom: ReplicaID?

  /// The stamp that the records carry.
  var written: Stamp { Stamp(time: stamp.time, counter: stamp.counter, replica: forkedFrom ?? stamp.replica) }

  /// Creates an origin from its parts.
  package init(dot: Dot, stamp: Stamp, author: String?, context: VersionVector, once: OnceKey? = nil) {
    self.dot = dot
    self.stamp = stamp
    self.author = author
    self.context = context
    self.once = once
  }
}
