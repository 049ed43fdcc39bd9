import SwiftData

// A data store with nothing but what the protocol asks for.

struct ShelfConfiguration: DataStoreConfiguration {
  typealias Store = ShelfStore
  var name: String
  var schema: Schema?
}

final class ShelfStore: DataStore {
  typealias Configuration = ShelfConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: ShelfConfiguration
  let schema: Schema
  let identifier = "shelf"
  private var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(_ configuration: ShelfConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    let name = Schema.entityName(for: T.self)
    let found = snapshots.values.filter { $0.persistentIdentifier.entityName == name }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found, relatedSnapshots: snapshots)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let name = snapshot.persistentIdentifier.entityName
      let id = try PersistentIdentifier.identifier(for: identifier, entityName: name, primaryKey: UUID())
      remapped[snapshot.persistentIdentifier] = id
    }
    for snapshot in request.inserted + request.updated {
      let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      snapshots[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}
