import RecordStore

/// Counts what a file has in another form or not at all.
struct ExportNotes {
  private var counts: [String: Int] = [:]
  private var names: [String] = []
  private(set) var sentences: [String] = []

  /// Notes the parts of the store that no file of another program shows.
  init(_ snapshot: borrowing StoreSnapshot) throws {
    for entity in snapshot.catalogue.entities {
      let count = try snapshot.count(RecordQuery(entity: entity.number, includesSubentities: false))
      guard count > 0 else { continue }
      guard entity.isDeclared else {
        sentences.append("\(entity.name): left out, because the store's schema does not declare the entity")
        continue
      }
      let fields = entity.fields.filter { !$0.isDeclared }.map(\.name)
      if !fields.isEmpty {
        sentences.append(
          "\(entity.name): left out \(fields.joined(separator: ", ")), which the store's schema does not declare")
      }
    }
  }

  /// Notes a value that is text in a column of numbers.
  mutating func note(_ written: SQLiteValue, of field: CatalogueField, in entity: CatalogueEntity) {
    guard case .text = written, field.type == .double || field.type == .uint else { return }
    let name = "\(entity.name).\(field.name)"
    if counts[name] == nil { names.append(name) }
    counts[name, default: 0] += 1
  }

  var all: [String] {
    sentences
      + names.map { name in
        "\(name): \(counts[name] ?? 0) values that SQLite's numbers do not have, written as text"
      }
  }
}
