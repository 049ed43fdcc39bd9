import SwiftData
import Testing

/// Names, types and conformances that no test of a behaviour spells out. Most of it is held by being compiled.
@MainActor
@Suite struct SurfaceTests {
  @Model final class Song {
    #Index<Song>([\.title])
    var title: String = ""
    var genre: String = ""
    var plays: Int = 0
    var lead: Singer?
    var choir: [Singer] = []
    init(_ title: String, genre: String = "") {
      self.title = title
      self.genre = genre
    }
  }

  @Model final class Singer {
    @Attribute(.preserveValueOnDeletion) var name: String
    init(name: String) { self.name = name }
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    container = try ModelContainer(for: Song.self, Singer.self, configurations: configuration)
    context = ModelContext(container)
  }

  @Test func `types conform to what SwiftData's conform to`() {
    func sendable<T: Sendable>(_: T.Type) {}
    func equatable<T: Equatable>(_: T.Type) {}
    func value<T: Hashable & Sendable>(_: T.Type) {}
    func coded<T: Hashable & Codable>(_: T.Type) {}
    func named<T: Identifiable>(_: T.Type) {}
    func ordered<T: Comparable>(_: T.Type) {}
    func list<T: RandomAccessCollection>(_: T.Type) where T.Index == Int {}
    func observed<T: Observable>(_: T.Type) {}
    func text<T: RawRepresentable>(_: T.Type) where T.RawValue == String {}
    sendable(ModelContainer.self)
    equatable(ModelContainer.self)
    equatable(ModelContext.self)
    value(ModelConfiguration.self)
    named(ModelConfiguration.self)
    value(ModelConfiguration.GroupContainer.self)
    value(ModelConfiguration.CloudKitDatabase.self)
    coded(PersistentIdentifier.self)
    value(PersistentIdentifier.ID.self)
    named(PersistentIdentifier.self)
    ordered(PersistentIdentifier.self)
    sendable(FetchDescriptor<Song>.self)
    equatable(FetchDescriptor<Song>.self)
    list(FetchResultsCollection<Song>.self)
    value(EditingState.self)
    named(EditingState.self)
    text(ModelContext.NotificationKey.self)
    coded(Schema.self)
    coded(Schema.Version.self)
    ordered(Schema.Version.self)
    coded(Schema.Entity.self)
    coded(Schema.Attribute.self)
    coded(Schema.CompositeAttribute.self)
    coded(Schema.Relationship.self)
    coded(Schema.Attribute.Option.self)
    coded(Schema.Relationship.Option.self)
    text(Schema.Relationship.DeleteRule.self)
    sendable(MigrationStage.self)
    sendable(HistoryDescriptor<DefaultHistoryTransaction>.self)
    value(DefaultHistoryTransaction.self)
    named(DefaultHistoryTransaction.self)
    coded(DefaultHistoryToken.self)
    ordered(DefaultHistoryToken.self)
    named(DefaultHistoryToken.self)
    sendable(HistoryChange.self)
    sendable(HistoryTombstone<Song>.self)
    coded(DefaultSnapshot.self)
    value(SwiftDataError.self)
    value(DataStoreError.self)
    observed(Song.self)
    observed(ResultsObserver<Song, Never>.self)
    observed(HistoryObserver.self)
    list(SectionedResults<Song, String>.self)
    list(ResultsSection<Song, String>.self)
    named(ResultsSection<Song, String>.self)
    func hasRoot<M: PersistentModel>(_: M.Type, _ root: any PersistentModel.Type) -> Bool { M.Root.self == root }
    #expect(hasRoot(Song.self, Song.self))
  }

  @Test func `containers, contexts and descriptors have SwiftData's properties`() {
    let _: KeyPath<ModelContainer, Set<ModelConfiguration>> = \.configurations
    let _: KeyPath<ModelContainer, Schema> = \.schema
    let _: KeyPath<ModelContainer, (any SchemaMigrationPlan.Type)?> = \.migrationPlan
    let _: (ModelContainer) -> () -> Void = ModelContainer.deleteAllData
    let _: (ModelContainer) -> () throws -> Void = ModelContainer.erase
    let _: ReferenceWritableKeyPath<ModelContext, Bool> = \.autosaveEnabled
    let _: ReferenceWritableKeyPath<ModelContext, UndoManager?> = \.undoManager
    let _: ReferenceWritableKeyPath<ModelContext, String?> = \.author
    let _: KeyPath<ModelContext, EditingState> = \.editingState
    let _: WritableKeyPath<FetchDescriptor<Song>, Predicate<Song>?> = \.predicate
    let _: WritableKeyPath<FetchDescriptor<Song>, [SortDescriptor<Song>]> = \.sortBy
    let _: WritableKeyPath<FetchDescriptor<Song>, Int?> = \.fetchLimit
    let _: WritableKeyPath<FetchDescriptor<Song>, Bool> = \.includePendingChanges
    let _: WritableKeyPath<FetchDescriptor<Song>, [PartialKeyPath<Song>]> = \.propertiesToFetch
    let _: WritableKeyPath<ModelConfiguration, Schema?> = \.schema
    let _: WritableKeyPath<HistoryDescriptor<DefaultHistoryTransaction>, UInt64> = \.fetchLimit
    #expect(context.editingState.id == context.editingState.id && context.editingState.author == nil)
    #expect(ModelContext(container).editingState.id != context.editingState.id)
  }

  @Test func `notifications have SwiftData's names and keys`() {
    let keys: [ModelContext.NotificationKey] = [
      .queryGeneration, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers, .invalidatedAllIdentifiers,
      .historyTokens,
    ]
    #expect(
      keys.map(\.rawValue) == [
        "queryGeneration", "inserted", "updated", "deleted", "invalidatedAllIdentifiers", "historyTokens",
      ])
    #expect(ModelContext.NotificationKey(rawValue: "inserted") == .insertedIdentifiers)
    #expect(ModelContext.NotificationKey(rawValue: "insertedIdentifiers") == nil)
    #expect(Set([ModelContext.willSave, ModelContext.didSave, ModelContainer.remoteChange]).count == 3)
  }

  @Test func `every error of SwiftData is told from every other`() {
    let all: [SwiftDataError] = [
      .backwardMigration, .configurationFileNameContainsInvalidCharacters, .configurationFileNameTooLong,
      .configurationSchemaNotFoundInContainerSchema, .duplicateConfiguration, .historyTokenExpired,
      .includePendingChangesWithBatchSize, .invalidTransactionFetchRequest, .loadIssueModelContainer,
      .missingModelContext, .modelValidationFailure, .sortingPendingChangesWithIdentifiers, .unknownSchema,
      .unsupportedKeyPath, .unsupportedPredicate, .unsupportedSortDescriptor, .unknownDataStoreSchema,
    ]
    #expect(Set(all).count == 17)
    for (place, error) in all.enumerated() {
      #expect(all.map { $0 ~= error } == all.indices.map { $0 == place })
    }
    let stores: [DataStoreError] = [.invalidPredicate, .preferInMemoryFilter, .preferInMemorySort, .unsupportedFeature]
    #expect(Set(stores).count == 4)
  }

  @Test func `backing data are made, read and written in every shape`() throws {
    func holdsSingers<C: RelationshipCollection>(_: C.Type) -> Bool { C.PersistentElement.self == Singer.self }
    #expect(holdsSingers([Singer].self) && holdsSingers([Singer]?.self))
    var data: any BackingData<Song> = Song.createBackingData()
    #expect(data.persistentModelID != nil)
    let ann = Singer(name: "Ann")
    context.insert(ann)
    data.setValue(forKey: \.title, to: "Aria")
    data.setValue(forKey: \.lead, to: ann)
    data.setValue(forKey: \.choir, to: [ann])
    let song = Song(backingData: data)
    context.insert(song)
    try context.save()
    #expect(song.title == "Aria" && song.lead === ann && song.choir == [ann])
    data = song.persistentBackingData
    #expect(data.getValue(forKey: \.title) == "Aria" && data.getValue(forKey: \.plays) == 0)
    #expect(data.getValue(forKey: \.lead) === ann && data.getValue(forKey: \.choir) == [ann])
    _ = data.metadata
    song.setValue(forKey: \.plays, to: 3)
    song.setValue(forKey: \.lead, to: nil)
    song.setValue(forKey: \.choir, to: [])
    #expect(song.getValue(forKey: \.plays) == 3 && song.getValue(forKey: \.lead) == nil && song.choir.isEmpty)
    #expect(Song.schemaMetadata.count == 5)
  }

  @Test func `indexes and constraints are values too`() {
    #expect(
      Schema.Unique<Song>([\.title], [\.title, \.plays]).constraints == [[\Song.title], [\Song.title, \Song.plays]])
    _ = Schema.Index<Song>([\.title], [\.title, \.plays])
    let kinds: [Schema.Index<Song>.Types<Song>] = [.binary([\.title]), .rtree([\.plays])]
    #expect(kinds.count == 2)
    let property: any SchemaProperty = Schema.Attribute(.unique, originalName: "name", hashModifier: "2")
    #expect(property.isAttribute && property.isUnique && !property.isRelationship && property.originalName == "name")
    let plain = Schema.Attribute(.spotlight, .allowsCloudEncryption, .externalStorage)
    #expect(plain.options == [.spotlight, .allowsCloudEncryption, .externalStorage] && !plain.isUnique)
    _ = Schema.PropertyMetadata(name: "title", keypath: \Song.title, defaultValue: "", metadata: Schema.Attribute())
  }

  @Test func `an entity lists what it stores and what it inherits`() throws {
    let entity = try #require(container.schema.entity(for: Song.self))
    #expect(Set(entity.storedProperties.map(\.name)) == ["title", "genre", "plays", "lead", "choir"])
    #expect(entity.storedPropertiesByName["plays"]?.valueType == Int.self)
    #expect(entity.inheritedProperties.isEmpty && entity.properties.count == 5 && entity.superentity == nil)
    let choir = try #require(entity.relationshipsByName["choir"])
    #expect(choir.deleteRule == .nullify && choir.destination == "Singer" && choir.keypath == \Song.choir)
  }

  @Test func `values of a snapshot have names`() {
    let keys: [DataStoreSnapshotCodingKey] = [.persistentIdentifier, .modeledProperty("title")]
    #expect(keys.last?.stringValue == "title" && Set(keys.map(\.stringValue)).count == 2)
    let value: any DataStoreSnapshotValue = 3
    #expect(value as? Int == 3)
  }

  @Test func `a transaction of history says all that SwiftData's says`() throws {
    context.author = "app"
    let song = Song("Aria")
    let ann = Singer(name: "Ann")
    context.insert(song)
    context.insert(ann)
    try context.save()
    song.plays = 1
    context.delete(ann)
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    guard case .insert(let insert as any HistoryInsert<Song>) = transactions.first?.changes.first else {
      throw SwiftDataError.invalidTransactionFetchRequest
    }
    #expect(insert.changedPersistentIdentifier == song.persistentModelID)
    let last = try #require(transactions.last)
    #expect(last.author == "app" && last.id == last.transactionIdentifier)
    #expect(last.token.tokenValue == [last.storeIdentifier: last.transactionIdentifier])
    #expect(!last.bundleIdentifier.isEmpty && !last.processIdentifier.isEmpty)
    #expect(song.persistentModelID.storeIdentifier == last.storeIdentifier)
    var seen = 0
    for change in last.changes {
      switch change {
      case .update(let update as DefaultHistoryUpdate<Song>):
        #expect(update.changedPersistentIdentifier == song.persistentModelID)
        #expect(update.updatedAttributes.contains(\.plays) && update.containsAttribute(\.plays))
        #expect(update.transactionIdentifier == last.transactionIdentifier)
        let some: any HistoryUpdate<Song> = update
        #expect(some.updatedAttributes.count == 1)
        seen += 1
      case .delete(let delete as any HistoryDelete<Singer>):
        #expect(delete.tombstone[\.name] as? String == "Ann")
        #expect(delete.tombstone.map { $0.key } == [\Singer.name])
        seen += 1
      default: break
      }
    }
    #expect(seen == 2 && Set(last.changes.map(\.changedPersistentIdentifier)).count == 2)
  }

  @Test func `live results find objects by place and places by object`() throws {
    for (title, genre) in [("b", "pop"), ("a", "rock"), ("c", "pop")] { context.insert(Song(title, genre: genre)) }
    try context.save()
    let flat = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]), modelContext: context)
    #expect(flat.element(at: IndexPath(index: 1))?.title == "b" || flat.element(at: [0, 1])?.title == "b")
    let place = try #require(flat.indexPath(for: flat.results[2]))
    #expect(flat.element(at: place) === flat.results[2])
    let sectioned = try ResultsObserver(
      filterBy: #Predicate<Song> { $0.plays < 5 }, sortBy: [SortDescriptor(\Song.title)], sectionBy: \.genre,
      modelContainer: container)
    let sections = try #require(sectioned.sections)
    #expect(Set(sections.sectionTitles) == ["pop", "rock"] && sections.contains(sectionTitle: "pop"))
    #expect(sections[sectionTitle: "pop"]?.map(\.title) == ["b", "c"])
    #expect(sections.index(ofSectionTitled: "rock").map { sections[$0].id } == "rock")
    #expect(sectioned.sectionBy == \Song.genre && sectioned.fetchDescriptor.predicate != nil)
  }

  @Test func `an actor of one's own reaches its context and its objects`() async throws {
    context.insert(Song("Aria"))
    try context.save()
    let id = try #require(context.fetchIdentifiers(FetchDescriptor<Song>()).first)
    let reader = Reader(modelContainer: container)
    #expect(await reader.title(of: id) == "Aria")
    #expect(await reader.knows(id) == false)
    _ = reader.executor()
    #expect(reader.modelContainer === container && reader.modelExecutor is DefaultSerialModelExecutor)
    let executor: any SerialModelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    _ = executor.asUnownedSerialExecutor()
    #expect(executor.modelContext.container === container)
  }

  private actor Reader: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    init(modelContainer: ModelContainer) {
      self.modelContainer = modelContainer
      modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }
    func title(of id: PersistentIdentifier) -> String? { self[id, as: Song.self]?.title }
    nonisolated func executor() -> UnownedSerialExecutor { unownedExecutor }
    /// Of another class than the identifier's.
    func knows(_ id: PersistentIdentifier) -> Bool { self[id, as: Singer.self] != nil }
  }
}
