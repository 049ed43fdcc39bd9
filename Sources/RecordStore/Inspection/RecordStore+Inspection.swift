package import Foundation
import LMDB

// Looking at a store as a whole.
extension RecordStore {
  /// Brings every commit to the device. Nothing to do where each commit does so, or where the store is thrown away.
  package func flush() throws {
    guard configuration.durability == .relaxed, !configuration.isReadOnly else { return }
    try StoreError.translating(store: url.path) { try core.environment.flush() }
  }

  /// Sizes and counts, from one snapshot. Cost: one visit per table.
  public func statistics() throws -> StoreStatistics {
    let information = try StoreError.translating(store: url.path) { try core.environment.information() }
    let (format, tables) = try read { snapshot throws in
      (
        try snapshot.format,
        try snapshot.layout.databases.all.map { database in
          let size = try snapshot.transaction.statistics(database)
          let pages = size.branchPages + size.leafPages + size.overflowPages
          return StoreStatistics.Table(name: database.name, entries: size.entries, bytes: pages * size.pageSizeBytes)
        }
      )
    }
    return StoreStatistics(
      fileBytes: information.usedBytes, mapSizeBytes: information.mapSizeBytes,
      activeReaders: information.activeReaders, lastLMDBTransaction: information.lastTransactionID,
      formatVersion: Int(format), tables: tables)
  }

  /// Every violated invariant of this store, in words; empty for a sound store. See the Invariants article.
  /// Reads everything: seconds for a million records.
  public func integrityViolations() throws -> [String] { try integrityViolations { _ in } }

  /// As ``integrityViolations()``; `reading` gets what is read next, for a process whose end somebody watches.
  package func integrityViolations(reading: @escaping (String) -> Void) throws -> [String] {
    try read { snapshot throws in try IntegrityCheck.violations(in: snapshot, values: core.external, reading: reading) }
  }

  /// The flaws of the store file's pages, read without LMDB, which a damaged page would let crash. One
  /// state of the store, whatever is saved meanwhile.
  package func pageFlaws() throws -> [String] {
    try StoreError.translating(store: url.path) { try core.environment.survey().flaws }
  }

  /// As ``pageFlaws()``, without opening the store: where a process saves meanwhile, pages may seem to be damaged
  /// that are not.
  package static func pageFlaws(ofStoreAt url: URL) throws -> [String] {
    try StoreError.translating(store: url.path) {
      try DataFileSurvey.run(directory: url.path, includingStrays: false) { _, _, _ in }.flaws
    }
  }
}

extension NamedDatabases {
  /// Every table, by name.
  var all: [Database] {
    (records + indexTrees + [
      meta, hidden, backReferences, claims, classClaims, history, dots, aliases, attachments,
    ] + (classTables?.all ?? []) + [once].compactMap { $0 })
    .sorted { $0.name < $1.name }
  }
}
