import RecordStore

/// A transaction on its way from a file into the store.
enum ArrivingTransaction: Sendable {
  case encoded(EncodedTransaction)
  /// Of a forked stream's branch, where it goes by another name than in its file.
  case renamed(TransactionFacts)

  /// Without records, where they are still encoded.
  var head: TransactionFacts {
    switch self {
    case .encoded(let transaction): transaction.head
    case .renamed(let facts): facts
    }
  }

  var recordCount: Int {
    switch self {
    case .encoded(let transaction): transaction.recordCount
    case .renamed(let facts): facts.records.count
    }
  }

  /// With all records as values. `author`: the catalogue that their numbers are of.
  func facts(author: FieldTypes) throws -> TransactionFacts {
    switch self {
    case .encoded(let transaction): try transaction.decoded(fieldType: author.type)
    case .renamed(let facts): facts
    }
  }
}

/// The types of a catalogue's fields by number, without the rest of what the catalogue says of them.
struct FieldTypes: Sendable {
  private let types: [[FieldType]]
  private let subject: String

  /// `subject` names what the numbers stand in, for messages.
  init(_ catalogue: Catalogue, subject: String) {
    types = catalogue.entities.map { $0.fields.map(\.type) }
    self.subject = subject
  }

  func type(_ entity: EntityNumber, _ ordinal: Int) throws -> FieldType {
    guard entity < types.count, ordinal < types[entity].count else {
      throw SyncError(.damagedFile, "\(subject) names a field that its schema description does not have")
    }
    return types[entity][ordinal]
  }
}
