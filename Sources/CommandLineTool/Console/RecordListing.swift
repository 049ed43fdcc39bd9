import RecordStore
import StoreInspection

/// One column of listed records.
enum RecordColumn: Hashable {
  case entity
  case id
  case field(CatalogueField)
  /// A relationship that other records hold.
  case links(CatalogueRelationship)

  var name: String {
    switch self {
    case .entity: RecordLine.entityMember
    case .id: RecordLine.idMember
    case .field(let field): field.name
    case .links(let relationship): relationship.name
    }
  }
}

/// Records as rows.
struct RecordListing: Listing {
  private struct Row {
    let entity: String
    let record: RecordImage
    /// Related records by the relationship's name.
    let links: [String: [RecordID]]
  }

  private let recordColumns: [RecordColumn]
  private let rows: [Row]
  private let names: TargetNames

  /// `forPeople`: related records are shown with their names, and a value that is not on this device by words. For
  /// programs such a value of a column is an error, as it is not null.
  init(
    _ columns: [RecordColumn], of query: RecordQuery, forPeople: Bool, in snapshot: borrowing StoreSnapshot
  ) throws {
    recordColumns = columns
    var rows: [Row] = []
    var names = TargetNames(isWanted: forPeople)
    let ordinals = Set(
      columns.compactMap { column -> Int? in
        if case .field(let field) = column { field.ordinal } else { nil }
      })
    try snapshot.forEachRow(query) { row in
      if !forPeople { try Self.requireValues(of: row, at: ordinals, in: snapshot) }
      let record = try row.image()
      var links: [String: [RecordID]] = [:]
      for case .links(let relationship) in columns {
        let ids = try snapshot.members(of: record.id, record.entity, relationship: relationship)
        links[relationship.name] = ids
        for id in ids { try names.note(id, of: relationship.destination, in: snapshot) }
      }
      for case .field(let field) in columns {
        try names.note(record.value(of: field), field, in: snapshot)
      }
      rows.append(Row(entity: snapshot.catalogue.entities[record.entity].name, record: record, links: links))
      return true
    }
    (self.rows, self.names) = (rows, names)
  }

  private static func requireValues(
    of row: QueryRow, at ordinals: Set<Int>, in snapshot: borrowing StoreSnapshot
  ) throws {
    do {
      try snapshot.requireValues(of: row, at: ordinals)
    } catch let error as StoreError where error.code == .damaged {
      throw CommandFailure("\(error.message), or name other fields by --fields")
    }
  }

  var rowCount: Int { rows.count }

  var columns: [TextTable.Column] {
    recordColumns.map { column in
      guard case .field(let field) = column else { return TextTable.Column(column.name) }
      return TextTable.Column(field.name, field.type.isNumber ? .right : .left)
    }
  }

  /// A record as `tandem load --into` takes it, as far as the columns go.
  func json(_ row: Int) -> JSON {
    .object(recordColumns.map { JSON.Member($0.name, json($0, of: rows[row])) })
  }

  func plain(_ row: Int) -> [String?] {
    recordColumns.map { column in
      guard case .links = column else { return json(column, of: rows[row]).cellText }
      return json(column, of: rows[row]).arrayValue?.compactMap(\.stringValue).joined(separator: " ")
        ?? json(column, of: rows[row]).cellText
    }
  }

  func shown(_ row: Int) -> [String] { recordColumns.map { shown($0, of: rows[row]) } }

  private func json(_ column: RecordColumn, of row: Row) -> JSON {
    switch column {
    case .entity: return .string(row.entity)
    case .id: return .string(row.record.id.description)
    case .field(let field): return row.record.value(of: field).programJSON
    case .links(let relationship):
      let ids = (row.links[relationship.name] ?? []).map { JSON.string($0.description) }
      return relationship.isToMany ? .array(ids) : ids.first ?? .null
    }
  }

  private func shown(_ column: RecordColumn, of row: Row) -> String {
    switch column {
    case .entity: row.entity
    case .id: row.record.id.description
    case .field(let field):
      row.record.isMissing(field) ? DisplayText.missingValue : names.text(of: row.record.value(of: field))
    case .links(let relationship):
      (row.links[relationship.name] ?? []).map { names.text(of: .reference($0)) }.joined(separator: ", ")
    }
  }
}

extension JSON {
  /// A value as a cell for programs: text as it is, else JSON; nil without a value.
  var cellText: String? { self == .null ? nil : stringValue ?? description }
}

extension FieldType {
  var isNumber: Bool { [.int, .uint, .double, .decimal].contains(self) }
}
