import RecordStore
import StoreInspection

/// One column of listed records.
enum RecordColumn: Hashable {
  case entity
  case id
  case field(CatalogueField)
  /// A relationship that other records hold.
  case links(CatalogueRelationship)
}

/// Records as a table for people, as objects for programs.
struct RecordListing {
  private struct Row {
    let entity: String
    let record: RecordImage
    /// Related records by the relationship's name.
    let links: [String: [RecordID]]
  }

  private let columns: [RecordColumn]
  private let rows: [Row]

  init(_ columns: [RecordColumn], of query: RecordQuery, in snapshot: borrowing StoreSnapshot) throws {
    self.columns = columns
    var rows: [Row] = []
    for record in try snapshot.fetch(query) {
      var links: [String: [RecordID]] = [:]
      for case .links(let relationship) in columns {
        let ids = try snapshot.related(record.id, of: record.entity, relationship: relationship.name)
        links[relationship.name] = ids
      }
      rows.append(Row(entity: snapshot.catalogue.entities[record.entity].name, record: record, links: links))
    }
    self.rows = rows
  }

  func lines(for terminal: Terminal) -> [String] {
    var table = TextTable(columns.map { heading($0) })
    table.rows = rows.map { row in columns.map { cell($0, of: row) } }
    return table.lines(for: terminal)
  }

  /// Records as `tandem load --into` takes them, as far as the columns go.
  var json: [JSON] {
    rows.map { row in .object(columns.map { member($0, of: row) }) }
  }

  private func member(_ column: RecordColumn, of row: Row) -> JSON.Member {
    switch column {
    case .entity: .init(RecordLine.entityMember, .string(row.entity))
    case .id: .init(RecordLine.idMember, .string(row.record.id.description))
    case .field(let field): .init(field.name, row.record.value(of: field).programJSON)
    case .links(let relationship): .init(relationship.name, json(of: row.links[relationship.name] ?? [], relationship))
    }
  }

  private func json(of ids: [RecordID], _ relationship: CatalogueRelationship) -> JSON {
    let ids = ids.map { JSON.string($0.description) }
    return relationship.isToMany ? .array(ids) : ids.first ?? .null
  }

  private func heading(_ column: RecordColumn) -> TextTable.Column {
    switch column {
    case .entity: TextTable.Column(RecordLine.entityMember)
    case .id: TextTable.Column(RecordLine.idMember)
    case .field(let field):
      TextTable.Column(field.name, [.int, .uint, .double, .decimal].contains(field.type) ? .right : .left)
    case .links(let relationship): TextTable.Column(relationship.name)
    }
  }

  private func cell(_ column: RecordColumn, of row: Row) -> String {
    switch column {
    case .entity: row.entity
    case .id: row.record.id.description
    case .field(let field): DisplayText.value(row.record.value(of: field))
    case .links(let relationship):
      (row.links[relationship.name] ?? []).map(\.description).joined(separator: " ")
    }
  }
}
