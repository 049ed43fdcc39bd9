import SwiftData

// A data store with a snapshot type, a history and deletes in bulk of its own.

struct MemoryStoreConfiguration: DataStoreConfiguration {
  typealias Store = MemoryStore
  var name = "memory"
  var schema: Schema?
}

/// A note as this store knows it: its text and nothing else.
struct NoteSnapshot: DataStoreSnapshot {
  var persistentIdentifier: PersistentIdentifier
  var text: String

  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    guard let backing = backingData as? any BackingData<Note>, let identifier = backing.persistentModelID else {
      preconditionFailure("This store keeps notes.")
    }
    persistentIdentifier = identifier
    text = backing.getValue(forKey: \.text)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> NoteSnapshot {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    return copy
  }
}

struct MemoryTransaction: HistoryTransaction {
  struct Token: Codable, Comparable, Hashable, Identifiable, Sendable {
    let id: Int
    static func < (left: Token, right: Token) -> Bool { left.id < right.id }
  }
  let id: Int
  let author: String?
  let storeIdentifier = "memory"
  let timestamp = Date(timeIntervalSinceReferenceDate: 0)
  var changes: [HistoryChange] { [] }
  var token: Token { Token(id: id) }
  var transactionIdentifier: Int { id }
}

final class MemoryStore: DataStoreBatching, HistoryProviding {
  typealias Configuration = MemoryStoreConfiguration
  typealias Snapshot = NoteSnapshot
  typealias HistoryType = MemoryTransaction

  let configuration: MemoryStoreConfiguration
  let schema: Schema
  let identifier = "memory"
  private(set) var notes: [PersistentIdentifier: NoteSnapshot] = [:]
  private var history: [MemoryTransaction] = []
  nonisolated(unsafe) static var last: MemoryStore?

  init(_ configuration: MemoryStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    MemoryStore.last = self
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, NoteSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    // Of its own accord in the order of the texts.
    let sorted = notes.values.sorted { $0.text < $1.text }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: sorted)
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    return notes.count
  }

  func save(
    _ request: DataStoreSaveChangesRequest<NoteSnapshot>
  ) throws -> DataStoreSaveChangesResult<NoteSnapshot> {
    var corrected: [PersistentIdentifier: NoteSnapshot] = [:]
    for var snapshot in request.inserted + request.updated {
      if snapshot.text.hasPrefix(" ") {
        snapshot.text.removeFirst()
        corrected[snapshot.persistentIdentifier] = snapshot
      }
      notes[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted { notes[snapshot.persistentIdentifier] = nil }
    history.append(MemoryTransaction(id: history.count + 1, author: request.editingState.author))
    return DataStoreSaveChangesResult(for: identifier, snapshotsToReregister: corrected)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    guard request.predicate == nil else { throw DataStoreError.unsupportedFeature }
    notes = [:]
  }

  func erase() throws { notes = [:] }

  func fetchHistory(_ descriptor: HistoryDescriptor<MemoryTransaction>) throws -> [MemoryTransaction] {
    try history.filter { try descriptor.predicate?.evaluate($0) ?? true }
  }
  func deleteHistory(_ descriptor: HistoryDescriptor<MemoryTransaction>) throws { history = [] }
}
