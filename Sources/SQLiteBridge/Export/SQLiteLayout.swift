import RecordStore

/// The tables and columns that stand for a store's entities: the same for the same catalogue, for ever (format 1).
///
/// One table for each declared entity, named after it, with `record_id` and a column for each declared field; a table
/// for each many-to-many relationship, named `<entity>_<relationship>`, with two columns. Entities stand in the order
/// of their names, and fields too, so that which of two colliding names gets a number hangs on names alone.
struct SQLiteLayout {
  static let format: Int64 = 1
  /// Marks the file, in its header: `Tndm`.
  static let applicationID: Int64 = 0x546E_646D
  /// One row: the format, and the catalogue as JSON.
  static let catalogueTable = "tandem_export"

  struct Column {
    let name: String
    let field: CatalogueField
  }

  struct Table {
    let name: String
    let entity: CatalogueEntity
    let idColumn: String
    let columns: [Column]
  }

  struct Join {
    let name: String
    let entity: EntityNumber
    let relationship: String
    /// Places in `tables`, and ordinals of the join entity's fields.
    let left: (table: Int, ordinal: Int, column: String)
    let right: (table: Int, ordinal: Int, column: String)
  }

  let tables: [Table]
  let joins: [Join]

  init(_ catalogue: Catalogue) {
    var names = NameRegister()
    _ = names.name(SQLiteLayout.catalogueTable)
    let entities = catalogue.entities.filter { $0.isDeclared && !$0.isJoin }.sorted { $0.name < $1.name }
    let tables = entities.map { SQLiteLayout.table(for: $0, named: names.name($0.name)) }
    var joins: [Join] = []
    for (place, entity) in entities.enumerated() {
      for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
        guard case .join(let join, 0, let far) = relationship.storage,
          let other = entities.firstIndex(where: { $0.name == relationship.destination }),
          // A relationship that is its own inverse stands for both sides.
          !joins.contains(where: { $0.entity == join })
        else { continue }
        var columns = NameRegister()
        joins.append(
          Join(
            name: names.name("\(entity.name)_\(relationship.name)"), entity: join, relationship: relationship.name,
            left: (place, 0, columns.name(entity.name)), right: (other, far, columns.name(relationship.name))))
      }
    }
    (self.tables, self.joins) = (tables, joins)
  }

  private static func table(for entity: CatalogueEntity, named name: String) -> Table {
    var columns = NameRegister()
    let fields = entity.fields.filter(\.isDeclared).sorted { $0.name < $1.name }
    let idColumn = fields.contains { SQLiteName.folded($0.name) == "record_id" } ? "tandem_record_id" : "record_id"
    let taken = columns.name(idColumn)
    return Table(
      name: name, entity: entity, idColumn: taken,
      columns: fields.map { field in
        // A mark of fields that no query shows: the other side of a to-many without an inverse.
        Column(name: columns.name(String(field.name.drop { $0 == "~" })), field: field)
      })
  }

  /// The statements that make the tables, empty.
  func statements() -> [String] {
    tables.map { table in
      let columns = table.columns.map { "\n  " + definition(of: $0) }
      return "CREATE TABLE \(SQLiteName.quoted(table.name)) (\n  \(SQLiteName.quoted(table.idColumn)) TEXT PRIMARY KEY"
        + " NOT NULL" + columns.map { "," + $0 }.joined() + "\n)"
    }
      + joins.map { join in
        "CREATE TABLE \(SQLiteName.quoted(join.name)) (\n  \(side(join.left)),\n  \(side(join.right)),\n  "
          + "PRIMARY KEY (\(SQLiteName.quoted(join.left.column)), \(SQLiteName.quoted(join.right.column)))\n)"
      }
  }

  /// The statements that make the indexes; run when all rows are there.
  func indexStatements() -> [String] {
    var names = NameRegister()
    for table in tables { _ = names.name(table.name) }
    for join in joins { _ = names.name(join.name) }
    var statements: [String] = []
    func index(_ table: String, _ columns: [String], isUnique: Bool) {
      let name = names.name("\(table)_\(columns.joined(separator: "_"))")
      let list = columns.map { SQLiteName.quoted($0) }.joined(separator: ", ")
      statements.append(
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLiteName.quoted(name)) ON \(SQLiteName.quoted(table)) (\(list))")
    }
    for table in tables {
      for unique in table.entity.indexes where unique.isUnique {
        let columns = unique.components.compactMap { component in
          table.columns.first { $0.field.ordinal == component.ordinal }?.name
        }
        if columns.count == unique.components.count { index(table.name, columns, isUnique: true) }
      }
      for column in table.columns where column.field.type == .reference {
        index(table.name, [column.name], isUnique: false)
      }
    }
    for join in joins { index(join.name, [join.right.column], isUnique: false) }
    return statements
  }

  private func side(_ side: (table: Int, ordinal: Int, column: String)) -> String {
    let table = tables[side.table]
    return "\(SQLiteName.quoted(side.column)) TEXT NOT NULL REFERENCES \(SQLiteName.quoted(table.name))"
      + "(\(SQLiteName.quoted(table.idColumn)))"
  }

  private func definition(of column: Column) -> String {
    var text = "\(SQLiteName.quoted(column.name)) \(SQLiteLayout.declaredType(column.field.type))"
    if column.field.type == .reference {
      // No single table holds all targets in a hierarchy of entities.
      let hasChildren = tables.contains { $0.entity.superentity == column.field.destination }
      if !hasChildren, let target = tables.first(where: { $0.entity.name == column.field.destination }) {
        text += " REFERENCES \(SQLiteName.quoted(target.name))(\(SQLiteName.quoted(target.idColumn)))"
      }
    } else if !column.field.isOptional {
      text += " NOT NULL"
    }
    return text
  }

  static func declaredType(_ type: FieldType) -> String {
    switch type {
    case .bool: "BOOLEAN"
    case .int, .uint: "INTEGER"
    case .double: "REAL"
    case .date: "DATETIME"
    case .data: "BLOB"
    case .decimal, .string, .uuid, .url, .composite, .reference: "TEXT"
    }
  }
}
