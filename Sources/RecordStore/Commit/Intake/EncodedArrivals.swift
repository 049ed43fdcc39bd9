import LMDB

/// Another replica's transactions as they arrived, in bytes; see ``ArrivalIntake``.
package struct EncodedArrivals: Hashable, Sendable {
  /// A number of the author's catalogue in this store's terms.
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
  /// By the author's number; what is nil here is not taken.
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

extension EncodedArrivals {
  /// The word of a transaction on the record at an offset of its bytes, as values in this store's numbering.
  ///
  /// - Precondition: the record's entity is taken.
  func arrival(at offset: Int, of transaction: Int, _ catalogue: Catalogue) throws -> RecordArrival {
    let encoded = transactions[transaction]
    let facts = try encoded.bytes.withRawBytes { (bytes) throws in
      var reader = ByteReader(bytes.slice(offset..<bytes.count), subject: "a transaction")
      let record = try EncodedRecord(from: &reader)
      guard let entity = entities[record.entity] else { preconditionFailure("places name entities that are taken") }
      let fields = catalogue.entities[entity.number].fields
      var facts = try TransactionCodec.facts(
        of: record, stamp: encoded.head.written, once: encoded.head.once, from: &reader
      ) { ordinal in
        guard ordinal < entity.ordinals.count, let local = entity.ordinals[ordinal] else { return nil }
        return (local, fields[local].type)
      }
      facts.entity = entity.number
      facts.registers.sort { $0.ordinal < $1.ordinal }
      return facts
    }
    return RecordArrival(transaction: transaction, facts: facts)
  }
}

/// The word of one of a merge's transactions on a record.
package struct RecordArrival: Hashable, Sendable {
  /// The place of the transaction in the request.
  package let transaction: Int
  package internal(set) var facts: RecordFacts
}

/// A record of which an arriving transaction wrote a field that somebody had written unknown to its author, or that a
/// higher layer asked about: what the store knew of the fields, and what arrived, as values.
package struct MetRecord: Hashable, Sendable {
  /// The facts of the store; registers are those that an arrival names.
  package let before: RecordFacts
  package let arrivals: [RecordArrival]
}
