import Dispatch
public import Foundation
import RecordStore
public import SQLiteBridge
public import Tandem

// Work runs on a queue of its own: it waits for the turn to write, and never on Swift's shared threads.
extension ModelContainer {
  /// Takes the records of a SQLite file into the container's store: of SwiftData and Core Data, of an export, or of any
  /// other program.
  ///
  /// ```swift
  /// let report = try await container.importSQLite(from: old, author: "take-over")
  /// ```
  /// Tables and columns find models and properties by name. All is saved in one transaction, which contexts and other
  /// processes see as any other. A second import of the same file changes what differs.
  ///
  /// - Parameters:
  ///   - url: The SQLite file.
  ///   - storeName: The configuration's name, where the container has several stores.
  ///   - author: The name under which history keeps the import.
  ///   - isDryRun: Whether it is only found out what would be done.
  /// - Throws: `BridgeError`, `InspectionError` and `StoreError`; then nothing was imported.
  public func importSQLite(
    from url: URL, intoStoreNamed storeName: String? = nil, author: String? = nil, isDryRun: Bool = false
  ) async throws -> ImportReport {
    let store = try bridgedStore(named: storeName)
    return try await BridgeQueue.run { try SQLiteImport(url).enter(into: store, author: author, isDryRun: isDryRun) }
  }

  /// Takes the records of a CSV file into the container's store.
  ///
  /// The first line has the names of properties. Without an `entity` the file's name is the model's.
  /// - Throws: as ``importSQLite(from:intoStoreNamed:author:isDryRun:)``; errors name the line.
  public func importCSV(
    from url: URL, entity: String? = nil, intoStoreNamed storeName: String? = nil, author: String? = nil,
    isDryRun: Bool = false
  ) async throws -> ImportReport {
    let store = try bridgedStore(named: storeName)
    return try await BridgeQueue.run {
      try TextImport(csv: url, entity: entity).enter(into: store, author: author, isDryRun: isDryRun)
    }
  }

  /// Takes the records of a file with one JSON object a line into the container's store.
  ///
  /// - Throws: as ``importSQLite(from:intoStoreNamed:author:isDryRun:)``; errors name the line.
  public func importJSONLines(
    from url: URL, entity: String? = nil, intoStoreNamed storeName: String? = nil, author: String? = nil,
    isDryRun: Bool = false
  ) async throws -> ImportReport {
    let store = try bridgedStore(named: storeName)
    return try await BridgeQueue.run {
      try TextImport(jsonLines: url, entity: entity).enter(into: store, author: author, isDryRun: isDryRun)
    }
  }

  /// Writes the store's records as a SQLite file for other programs, while others go on saving.
  ///
  /// The file gets its name when it is whole. What it has in another form or not at all is listed in the report.
  /// - Throws: `BridgeError` and `StoreError`; then no file was made.
  public func exportSQLite(
    to url: URL, fromStoreNamed storeName: String? = nil, replacing: Bool = false
  ) async throws -> ExportReport {
    let store = try bridgedStore(named: storeName)
    return try await BridgeQueue.run { try SQLiteExport.write(store, to: url, replacing: replacing) }
  }

  private func bridgedStore(named name: String?) throws -> RecordStore {
    let names = configurations.map(\.name).sorted()
    guard let wanted = name ?? (names.count == 1 ? names[0] : nil) else {
      throw BridgeError(
        .notUnderstood, "the container has \(names.count) stores (\(names.joined(separator: ", "))): name one of them")
    }
    guard names.contains(wanted), let store = store(named: wanted) else {
      throw BridgeError(
        .notUnderstood, "the container has no store named \(wanted): name one of \(names.joined(separator: ", "))")
    }
    return store
  }
}

/// Runs work that waits, away from the threads that tasks share.
private enum BridgeQueue {
  static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try body() }) }
    }
  }
}
