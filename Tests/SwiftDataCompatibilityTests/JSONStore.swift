import SwiftData

// A data store of an app's own: one JSON file, read and written whole.

struct JSONStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONStore
  var name: String
  var schema: Schema?
  var fileURL: URL

  func validate() throws {
    guard fileURL.isFileURL else { throw CocoaError(.fileNoSuchFile) }
  }
}

final class JSONStore: DataStore {
  typealias Configuration = JSONStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONStoreConfiguration
  let schema: Schema
  let identifier: String
  /// What contexts asked for, for tests.
  private(set) var log: [String] = []
  nonisolated(unsafe) static var last: JSONStore?

  init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    identifier = configuration.fileURL.lastPathComponent
    schema = configuration.schema ?? Schema()
    JSONStore.last = self
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let name = Schema.entityName(for: T.self)
    log.append("fetch \(name)")
    let snapshots = try read().values.filter { $0.persistentIdentifier.entityName == name }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(snapshots))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    log.append("save \(request.inserted.count) \(request.updated.count) \(request.deleted.count)")
    var all = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
    }
    for snapshot in request.inserted + request.updated {
      let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      all[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
    try write(all)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws { try write([:]) }
  func initializeState(for editingState: EditingState) { log.append("hello") }
  func invalidateState(for editingState: EditingState) { log.append("goodbye") }

  func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let snapshots = try decoder.decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
    return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
  }

  private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Array(snapshots.values)).write(to: configuration.fileURL, options: .atomic)
  }
}
