public import Foundation
public import RecordStore
import StoreInspection

/// Takes the records of a SQLite file into a store: of a file that ``SQLiteExport`` wrote, of SwiftData and Core Data,
/// or of any other program.
///
/// The file is copied together with its write-ahead log, and the copy is read. No trigger, view or extension of the
/// file runs.
public struct SQLiteImport {
  private let copy: SQLiteCopy
  private let connection: SQLiteConnection
  private let source: ImportSource

  /// Copies a file, checks it and reads what it holds.
  ///
  /// - Throws: ``BridgeError``.
  public init(_ url: URL) throws { try self.init(SQLiteCopy(url)) }

  package init(_ copy: SQLiteCopy) throws {
    self.copy = copy
    connection = try copy.open()
    let shape = try DatabaseShape(connection)
    source =
      try ExportedSource.read(connection, shape)
      ?? CoreDataSource.read(connection, shape)
      ?? PlainSource.read(connection, shape, namespace: copy.original.lastPathComponent)
  }

  /// Enters the records into a store whose schema has their entities, as new edits in one transaction.
  ///
  /// Tables and columns find their entities and properties by name. A record that the store has, by its id or by a
  /// unique value, gets the values that differ; others are inserted. If anything throws, nothing was imported.
  ///
  /// - Parameters:
  ///   - store: The store that gets the records.
  ///   - author: The name under which history keeps the import.
  ///   - isDryRun: Whether it is only found out what would be done.
  ///   - progress: Is given the number of rows read, every thousand.
  /// - Throws: ``BridgeError``, `InspectionError`, and `StoreError`.
  public func enter(
    into store: RecordStore, author: String? = nil, isDryRun: Bool = false,
    progress: @escaping (Int) -> Void = { _ in }
  ) throws -> ImportReport {
    let match = ImportMatch(source, in: try store.read { $0.catalogue })
    guard !match.tables.isEmpty else {
      throw BridgeError(
        .notUnderstood,
        "no table of \(copy.original.path) has the name of an entity of the store: import it into a new one")
    }
    let blobs = ExternalBlobs(besides: copy.original)
    let reader = try RowReader(connection, source, match, blobs: blobs, progress: progress)
    let outcome = try RecordLoad.apply(reader.records, to: store, author: author, isDryRun: isDryRun)
    return ImportReport(
      inserted: outcome.inserted, updated: outcome.updated, unchanged: outcome.unchanged,
      transaction: outcome.transaction, notes: source.notes + match.notes + reader.notes)
  }

  /// Makes a new store for the file's records, with the schema that the file has or lets derive.
  ///
  /// The store is closed when this returns. If anything throws, the caller removes what was begun.
  /// - Throws: as ``enter(into:author:isDryRun:progress:)``.
  public func create(
    _ configuration: StoreConfiguration, author: String? = nil, progress: @escaping (Int) -> Void = { _ in }
  ) throws -> ImportReport {
    let store =
      switch source.definition {
      case .schema(let schema): try RecordStore.open(configuration, schema: schema)
      case .catalogue(let catalogue):
        try RecordStore.create(configuration, catalogue: catalogue, storeID: RecordIDGenerator.shared.next())
      }
    var report = try enter(into: store, author: author, progress: progress)
    report.notes = source.typeNotes + report.notes
    return report
  }
}
