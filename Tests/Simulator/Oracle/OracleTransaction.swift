import RecordStore

/// A stamp as the oracle compares it: time, counter, replica, in this order.
struct OracleStamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  var time: UInt64
  var counter: UInt16
  var replica: UInt64

  init(_ stamp: Stamp) {
    time = stamp.time
    counter = stamp.counter
    replica = stamp.replica.value
  }

  init(time: UInt64, counter: UInt16, replica: UInt64) {
    self.time = time
    self.counter = counter
    self.replica = replica
  }

  static func < (left: OracleStamp, right: OracleStamp) -> Bool {
    (left.time, left.counter, left.replica) < (right.time, right.counter, right.replica)
  }

  var description: String { "\(time >> 48).\(time & 0xFFFF_FFFF_FFFF).\(counter).\(replica)" }
}

/// What one save says of one record.
struct OracleFacts: Hashable, Sendable {
  var entity: String
  var isInserted = false
  var isTouched = false
  var isDeleted = false
  /// The once key that inserted it; then the writes are those of the insert.
  var onceKey: String?
  var writes: [String: FieldValue] = [:]

  var saysNothing: Bool {
    !isInserted && !isTouched && !isDeleted && writes.isEmpty && onceKey == nil
  }
}

/// One save with what its author knew.
struct OracleTransaction: Hashable, Sendable {
  var replica: UInt64
  var sequence: UInt64
  var stamp: OracleStamp
  /// For each replica, how many of its transactions the author had seen; its own earlier ones too.
  var context: [UInt64: UInt64]
  var facts: [RecordID: OracleFacts]
  /// The key of an effect that happens once.
  var once: String?

  /// Whether the author had seen another transaction, or made it in this or an earlier one.
  func knew(_ other: OracleTransaction) -> Bool {
    other.sequence <= (other.replica == replica ? sequence : context[other.replica] ?? 0)
  }
}
