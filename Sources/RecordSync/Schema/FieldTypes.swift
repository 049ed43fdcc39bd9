import RecordStore

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
