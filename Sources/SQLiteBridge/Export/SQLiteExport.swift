public import Foundation
public import RecordStore
import StoreInspection

/// Writes a store's records as a SQLite file for other programs: typed columns, foreign keys, one table for each
/// many-to-many relationship.
///
/// One snapshot, so the file shows one moment while others save. The row of the table `tandem_export` holds the
/// catalogue, by which an import gives back the same records.
public enum SQLiteExport {
  /// Writes the file; it gets its name when it is whole and checked. If anything throws, nothing is left.
  ///
  /// - Parameters:
  ///   - store: The store that is read.
  ///   - url: The file that is made.
  ///   - replacing: Whether a file that is there is replaced. A folder never is.
  ///   - progress: Is given the number of records written, every thousand.
  /// - Throws: ``BridgeError``, and `StoreError` for a damaged store.
  public static func write(
    _ store: RecordStore, to url: URL, replacing: Bool = false, progress: @escaping (Int) -> Void = { _ in }
  ) throws -> ExportReport {
    try write(store, PartialFile(url, replacing: replacing), progress: progress)
  }

  package static func write(
    _ store: RecordStore, _ file: PartialFile, progress: @escaping (Int) -> Void
  ) throws -> ExportReport {
    try file.write { url in
      try store.read { snapshot in
        let connection = try SQLiteConnection.filling(url.path)
        let layout = SQLiteLayout(snapshot.catalogue)
        var notes = try ExportNotes(snapshot)
        var writer = TableWriter(connection: connection, layout: layout, progress: progress)
        try connection.execute("BEGIN")
        try writer.makeTables(snapshot.catalogue)
        for table in layout.tables { try writer.write(table, in: snapshot, &notes) }
        for join in layout.joins { try writer.write(join, in: snapshot) }
        for statement in layout.indexStatements() { try connection.execute(statement) }
        try connection.execute("COMMIT")
        guard try connection.rows("PRAGMA foreign_key_check").isEmpty else {
          throw BridgeError(
            .damaged, "the store at \(store.url.path) refers to records that it does not have: run 'tandem check'")
        }
        return ExportReport(parts: writer.parts, notes: notes.all)
      }
    }
  }
}

/// Fills the tables of an export.
private struct TableWriter {
  let connection: SQLiteConnection
  let layout: SQLiteLayout
  let progress: (Int) -> Void
  var parts: [ExportReport.Part] = []
  private var count = 0

  init(connection: SQLiteConnection, layout: SQLiteLayout, progress: @escaping (Int) -> Void) {
    (self.connection, self.layout, self.progress) = (connection, layout, progress)
  }

  func makeTables(_ catalogue: Catalogue) throws {
    try connection.execute("PRAGMA application_id = \(SQLiteLayout.applicationID)")
    let name = SQLiteName.quoted(SQLiteLayout.catalogueTable)
    try connection.execute("CREATE TABLE \(name) (format INTEGER NOT NULL, catalogue TEXT NOT NULL)")
    _ = try connection.rows(
      "INSERT INTO \(name) VALUES (?, ?)",
      [.integer(SQLiteLayout.format), .text(try JSON(encoding: catalogue).description)])
    for statement in layout.statements() { try connection.execute(statement) }
  }

  mutating func write(
    _ table: SQLiteLayout.Table, in snapshot: borrowing StoreSnapshot, _ notes: inout ExportNotes
  ) throws {
    let insert = try connection.prepare(
      "INSERT INTO \(SQLiteName.quoted(table.name)) VALUES (?\(String(repeating: ", ?", count: table.columns.count)))")
    var rowCount = 0
    try snapshot.forEachRow(RecordQuery(entity: table.entity.number, includesSubentities: false)) { row in
      try snapshot.requireValues(of: row)
      let record = try row.image()
      try insert.bind(.text(record.id.description), at: 0)
      for (place, column) in table.columns.enumerated() {
        let value = SQLiteValue(record.value(of: column.field))
        notes.note(value, of: column.field, in: table.entity)
        try insert.bind(value, at: place + 1)
      }
      _ = try insert.step()
      try insert.reset()
      rowCount += 1
      countRecord()
      return true
    }
    parts.append(.init(name: table.entity.name, target: table.name, rowCount: rowCount))
  }

  mutating func write(_ join: SQLiteLayout.Join, in snapshot: borrowing StoreSnapshot) throws {
    let fields = snapshot.catalogue.entities[join.entity].fields
    let insert = try connection.prepare("INSERT OR IGNORE INTO \(SQLiteName.quoted(join.name)) VALUES (?, ?)")
    var rowCount = 0
    try snapshot.forEachRow(RecordQuery(entity: join.entity)) { row in
      let record = try row.image()
      let sides = [join.left.ordinal, join.right.ordinal].map { record.value(of: fields[$0]) }
      guard !sides.contains(.null) else { return true }
      for (place, side) in sides.enumerated() { try insert.bind(SQLiteValue(side), at: place) }
      _ = try insert.step()
      try insert.reset()
      rowCount += 1
      return true
    }
    let owner = layout.tables[join.left.table].entity.name
    parts.append(
      .init(name: "\(owner).\(join.relationship)", target: join.name, rowCount: rowCount, holdsLinks: true))
  }

  private mutating func countRecord() {
    count += 1
    if count.isMultiple(of: 1000) { progress(count) }
  }
}
