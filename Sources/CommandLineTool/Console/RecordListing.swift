import RecordStore
import StoreInspection

/// One column of listed records.
enum RecordColumn: Hashable {
  case id
  case field(CatalogueField)
}

/// Records as a table for people, as objects for programs.
struct RecordListing {
  let columns: [RecordColumn]
  let records: [RecordImage]

  func lines(for terminal: Terminal) -> [String] {
    var table = TextTable(columns.map { heading($0) })
    table.rows = records.map { record in columns.map { cell($0, of: record) } }
    return table.lines(for: terminal)
  }

  /// Values as in dumps: exact, in plain JSON.
  var json: [JSON] {
    records.map { record in
      .object(
        columns.map { column in
          switch column {
          case .id: .init("@id", .string(record.id.description))
          case .field(let field): .init(field.name, record.value(of: field).json)
          }
        })
    }
  }

  private func heading(_ column: RecordColumn) -> TextTable.Column {
    switch column {
    case .id: TextTable.Column("@id")
    case .field(let field):
      TextTable.Column(field.name, [.int, .uint, .double, .decimal].contains(field.type) ? .right : .left)
    }
  }

  private func cell(_ column: RecordColumn, of record: RecordImage) -> String {
    switch column {
    case .id: record.id.description
    case .field(let field): DisplayText.value(record.value(of: field))
    }
  }
}
