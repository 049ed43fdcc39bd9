package import RecordStore

/// A record whose values have their types already: of a file that is no dump.
///
/// It says what readers shall see; a field that it leaves out keeps its value.
package struct TypedRecord: Sendable {
  package var entity: String
  package var id: RecordID
  /// The names of fields, shared by the records of one table.
  package var names: [String]
  package var values: [FieldValue]
  /// All records that a relationship leads to, by its name.
  package var links: [(relationship: String, ids: [RecordID])]
  package var place: InputPlace

  package init(
    entity: String, id: RecordID, names: [String], values: [FieldValue],
    links: [(relationship: String, ids: [RecordID])] = [], place: InputPlace
  ) {
    (self.entity, self.id, self.names, self.values) = (entity, id, names, values)
    (self.links, self.place) = (links, place)
  }
}

/// The place of a record in the input, for messages: `line 3`, `row 3 of 'book'`.
package struct InputPlace: Hashable, Sendable, CustomStringConvertible {
  package var number: Int
  /// Nil for lines of a text.
  package var table: String?

  package init(line number: Int) { self.number = number }

  package init(row number: Int, of table: String) {
    self.number = number
    self.table = table
  }

  package var description: String { table.map { "row \(number) of '\($0)'" } ?? "line \(number)" }
}
