/// A table of a SQLite file as its schema describes it.
struct TableShape {
  struct Column {
    let name: String
    let declaredType: String
    let isRequired: Bool
    /// 0: no part of the primary key.
    let keyPlace: Int
  }

  struct ForeignKey {
    let columns: [String]
    let table: String
    /// Empty: the primary key of the table.
    var targets: [String]
  }

  let name: String
  let hasRowID: Bool
  var columns: [Column] = []
  var foreignKeys: [ForeignKey] = []
  /// Columns whose values are unique together, the primary key left aside.
  var uniques: [[String]] = []
  /// Columns that the file computes.
  var computed: [String] = []

  var keyColumns: [String] { columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name) }

  func column(named name: String) -> Column? {
    columns.first { SQLiteName.folded($0.name) == SQLiteName.folded(name) }
  }
}

/// The tables of a SQLite file, and what is none.
struct DatabaseShape {
  static let maximumTables = 10_000

  var tables: [TableShape] = []
  /// Views, virtual tables and what belongs to these.
  var leftOut: [String] = []

  init(_ connection: SQLiteConnection) throws {
    let list = try connection.rows("PRAGMA main.table_list")
    guard list.count <= DatabaseShape.maximumTables else {
      throw BridgeError(
        .beyondLimits, "\(connection.path) has more than \(DatabaseShape.maximumTables) tables: import a part of it")
    }
    for row in list {
      guard case .text(let name) = row[1], case .text(let kind) = row[2],
        !SQLiteName.folded(name).hasPrefix("sqlite_")
      else { continue }
      switch kind {
      case "table": tables.append(try DatabaseShape.table(name, hasRowID: row[4] == .integer(0), connection))
      case "view", "virtual": leftOut.append("\(name): a \(kind == "view" ? "view" : "virtual table"), left out")
      // Tables in which a virtual one keeps its own.
      default: continue
      }
    }
    tables.sort { $0.name < $1.name }
    leftOut.sort()
  }

  func table(named name: String) -> TableShape? {
    tables.first { SQLiteName.folded($0.name) == SQLiteName.folded(name) }
  }

  private static func table(_ name: String, hasRowID: Bool, _ connection: SQLiteConnection) throws -> TableShape {
    var table = TableShape(name: name, hasRowID: hasRowID)
    for row in try connection.rows(
      "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?)", [.text(name)])
    {
      guard case .text(let column) = row[0], case .integer(let place) = row[3] else { continue }
      guard row[4] == .integer(0) else {
        table.computed.append(column)
        continue
      }
      table.columns.append(
        .init(
          name: column, declaredType: row[1].text.uppercased(), isRequired: row[2] == .integer(1) || place > 0,
          keyPlace: Int(place)))
    }
    try addForeignKeys(to: &table, connection)
    try addUniques(to: &table, connection)
    return table
  }

  private static func addForeignKeys(to table: inout TableShape, _ connection: SQLiteConnection) throws {
    let rows = try connection.rows(
      "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?) ORDER BY id, seq", [.text(table.name)])
    var keys: [SQLiteValue: TableShape.ForeignKey] = [:]
    for row in rows {
      let known = keys[row[0]] ?? .init(columns: [], table: row[1].text, targets: [])
      keys[row[0]] = .init(
        columns: known.columns + [row[2].text], table: known.table,
        targets: row[3] == .null ? known.targets : known.targets + [row[3].text])
    }
    table.foreignKeys = keys.values.sorted { $0.columns.lexicographicallyPrecedes($1.columns) }
  }

  private static func addUniques(to table: inout TableShape, _ connection: SQLiteConnection) throws {
    let indexes = try connection.rows(
      "SELECT name FROM pragma_index_list(?) WHERE \"unique\" AND NOT partial AND origin <> 'pk'", [.text(table.name)])
    for index in indexes {
      let columns = try connection.rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", [index[0]])
      // An expression has no name.
      if !columns.contains(where: { $0[0] == .null }) { table.uniques.append(columns.map { $0[0].text }) }
    }
    table.uniques.sort { $0.lexicographicallyPrecedes($1) }
  }
}

extension SQLiteValue {
  /// The text of a name in an answer of SQLite; empty for others.
  var text: String {
    if case .text(let text) = self { text } else { "" }
  }

  /// The number in an answer of SQLite; nil for others.
  var number: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
