// CONTRACT STUB: bodies follow.
public import Foundation
import RecordStore

extension ModelContext {
  public var hasChanges: Bool { fatalError("stub") }
  public var insertedModelsArray: [any PersistentModel] { fatalError("stub") }
  public var changedModelsArray: [any PersistentModel] { fatalError("stub") }
  public var deletedModelsArray: [any PersistentModel] { fatalError("stub") }
  public func insert<T: PersistentModel>(_ model: T) { fatalError("stub") }
  public func delete<T: PersistentModel>(_ model: T) { fatalError("stub") }
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws { fatalError("stub") }
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { fatalError("stub") }
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> { fatalError("stub") }
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int { fatalError("stub") }
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] { fatalError("stub") }
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> { fatalError("stub") }
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws { fatalError("stub") }
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel { fatalError("stub") }
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    fatalError("stub")
  }
  public func save() throws { fatalError("stub") }
  public func rollback() { fatalError("stub") }
  public func processPendingChanges() { fatalError("stub") }
  public func transaction(block: () throws -> Void) throws { fatalError("stub") }
  func existingModel(for id: PersistentIdentifier) -> (any PersistentModel)? { fatalError("stub") }
  func insertGraph(_ model: any PersistentModel) { fatalError("stub") }
  func object(_ id: RecordID, _ binding: EntityBinding) -> (any PersistentModel)? { fatalError("stub") }
  func registered(_ id: RecordID) -> (any PersistentModel)? { map[id] }
  func related(_ index: Int, _ storage: ModelStorage) -> [any PersistentModel] { fatalError("stub") }
  func generation(of index: Int, _ binding: EntityBinding) -> UInt64 { fatalError("stub") }
  func hiddenOwner(
    _ relationship: ModelStorage.HiddenRelationship, _ storage: ModelStorage
  ) -> (any PersistentModel)? { fatalError("stub") }
}
