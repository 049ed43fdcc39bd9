/// Another replica's transactions as they arrived, for a merge by the short way of ``PlainMerge``.
package struct EncodedArrivals: Hashable, Sendable {
  /// What a number of the author's catalogue is here.
  package struct Entity: Hashable, Sendable {
    package var number: EntityNumber
    /// The local ordinal for each of the author's; nil: not taken.
    package var ordinals: [Int?]

    package init(number: EntityNumber, ordinals: [Int?]) {
      self.number = number
      self.ordinals = ordinals
    }
  }

  /// All of one replica, in order.
  package var transactions: [EncodedTransaction]
  /// By the author's number.
  package var entities: [Entity?]
  /// A higher layer keeps attachments by record under this prefix, then the entity (u32) and the id, most significant
  /// byte first. Records that have one are among those that were ``MetRecord``.
  package var reportedPrefix: [UInt8]

  package init(transactions: [EncodedTransaction], entities: [Entity?], reportedPrefix: [UInt8]) {
    self.transactions = transactions
    self.entities = entities
    self.reportedPrefix = reportedPrefix
  }
}

/// A record of which an arriving transaction wrote a field that somebody had written unknown to its author, or that a
/// higher layer asked about: what the store knew of the fields, and what arrived, as values.
package struct MetRecord: Hashable, Sendable {
  package struct Arrival: Hashable, Sendable {
    /// The place of its transaction in the request.
    package let transaction: Int
    package let facts: RecordFacts
  }

  /// Of the store; registers are those that an arrival names.
  package let before: RecordFacts
  package let arrivals: [Arrival]
}
