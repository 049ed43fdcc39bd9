import SwiftData
import Testing

/// Containers and configurations as an app makes them.
struct ContainerTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "containers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func expect(
    _ expected: SwiftDataError, _ body: () throws -> Void, at place: SourceLocation = #_sourceLocation
  ) {
    do {
      try body()
      Issue.record("nothing was thrown", sourceLocation: place)
    } catch {
      let isExpected = expected ~= error
      #expect(isExpected, "\(error)", sourceLocation: place)
    }
  }

  private var journal: Schema { Schema(versionedSchema: JournalV2.self) }

  @Test func `each configuration's store holds its schema's classes`() throws {
    try withFolder { folder throws in
      let schema = Schema([JournalV2.Entry.self, JournalV2.Label.self, Stop.self, Trip.self])
      let first = ModelConfiguration(
        "first", schema: Schema([JournalV2.Entry.self]), url: folder.appending(path: "first.store"))
      let second = ModelConfiguration("second", url: folder.appending(path: "second.store"))
      let container = try ModelContainer(for: schema, configurations: [first, second])
      #expect(Set(container.configurations.map(\.name)) == ["first", "second"])
      let context = ModelContext(container)
      let entry = JournalV2.Entry(title: "a", body: "b", rating: 1)
      entry.tags = [JournalV2.Label(name: "c")]
      context.insert(entry)
      let passport = Passport(number: "1")
      context.insert(passport)
      try context.save()
      #expect(entry.persistentModelID.storeIdentifier == entry.tags[0].persistentModelID.storeIdentifier)
      #expect(entry.persistentModelID.storeIdentifier != passport.persistentModelID.storeIdentifier)
      // Each store alone has its own.
      let alone = ModelContext(
        try ModelContainer(for: Schema([JournalV2.Entry.self]), configurations: [ModelConfiguration(url: first.url)]))
      #expect(try alone.fetch(FetchDescriptor<JournalV2.Entry>()).map(\.title) == ["a"])
    }
  }

  @Test func `two configurations in memory are two stores`() throws {
    let schema = Schema([JournalV2.Entry.self, Passport.self])
    let container = try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(schema: Schema([JournalV2.Entry.self]), isStoredInMemoryOnly: true),
      ModelConfiguration(schema: Schema([Passport.self]), isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(JournalV2.Entry(title: "a", body: "b", rating: 1))
    context.insert(Passport(number: "1"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Passport>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<JournalV2.Entry>()) == 1)
  }

  @Test func `configurations that contradict each other are refused by name`() throws {
    try withFolder { folder throws in
      let url = folder.appending(path: "a.store")
      let whole = ModelConfiguration("one", schema: journal, url: url)
      expect(.duplicateConfiguration) {
        _ = try ModelContainer(for: journal, configurations: whole, ModelConfiguration("two", url: url))
      }
      // The same place by another spelling.
      let spelled = ModelConfiguration("two", url: folder.appending(path: "x/../a.store/"))
      expect(.duplicateConfiguration) { _ = try ModelContainer(for: journal, configurations: whole, spelled) }
      let labels = Schema([JournalV2.Label.self])
      let other = ModelConfiguration("two", schema: labels, url: folder.appending(path: "b.store"))
      // In memory there is one place only, so equal configurations contradict each other.
      let memory = (0..<2).map { _ in ModelConfiguration(isStoredInMemoryOnly: true) }
      expect(.duplicateConfiguration) { _ = try ModelContainer(for: journal, configurations: memory) }
      // Labels belong to entries: they cannot be in two stores, nor can a relationship lead from one to the other.
      expect(.duplicateConfiguration) { _ = try ModelContainer(for: journal, configurations: whole, other) }
      let stranger = ModelConfiguration("two", schema: Schema([Passport.self]), url: folder.appending(path: "b.store"))
      expect(.configurationSchemaNotFoundInContainerSchema) {
        _ = try ModelContainer(for: journal, configurations: whole, stranger)
      }
      expect(.configurationSchemaNotFoundInContainerSchema) {
        _ = try ModelContainer(for: Schema([JournalV2.Entry.self, Passport.self]), configurations: whole)
      }
      expect(.configurationFileNameContainsInvalidCharacters) { try ModelConfiguration("a/b").validate() }
      expect(.configurationFileNameTooLong) { try ModelConfiguration(String(repeating: "a", count: 300)).validate() }
      // A schema by hand names entities and no class.
      let byHand = Schema(Schema.Entity("Truck"))
      expect(.unknownSchema) { _ = try ModelContainer(for: byHand, configurations: ModelConfiguration(url: url)) }
      expect(.unknownSchema) {
        _ = try ModelContainer(configurations: ModelConfiguration("hand", schema: byHand, url: url))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func `a container that may not save reads, never creates, and its saves throw`() throws {
    try withFolder { folder throws in
      let url = folder.appending(path: "a.store")
      let reading = ModelConfiguration(schema: journal, url: url, allowsSave: false)
      expect(.loadIssueModelContainer) { _ = try ModelContainer(for: journal, configurations: reading) }
      #expect(!FileManager.default.fileExists(atPath: url.path))
      let writer = ModelContext(try ModelContainer(for: journal, configurations: ModelConfiguration(url: url)))
      writer.insert(JournalV2.Entry(title: "a", body: "b", rating: 1))
      try writer.save()
      let reader = ModelContext(try ModelContainer(for: journal, configurations: reading))
      let entry = try #require(try reader.fetch(FetchDescriptor<JournalV2.Entry>()).first)
      entry.title = "changed"
      #expect(#expect(throws: SwiftDataError.self) { try reader.save() }?.code == .readOnly)
      #expect(reader.hasChanges)
      #expect(try ModelContext(writer.container).fetch(FetchDescriptor<JournalV2.Entry>()).map(\.title) == ["a"])
    }
  }

  @Test func `a reader does not migrate, and says that a writer must`() throws {
    try JournalPlace.with { place throws in
      try place.fill(("a", "one", "4"))
      let configuration = ModelConfiguration(schema: journal, url: place.url, allowsSave: false)
      expect(.loadIssueModelContainer) {
        _ = try ModelContainer(for: journal, migrationPlan: JournalPlan.self, configurations: configuration)
      }
      #expect(try place.open(JournalV1.self).fetchCount(FetchDescriptor<JournalV1.Entry>()) == 1)
    }
  }

  @Test func `what is no store is not opened`() throws {
    try withFolder { folder throws in
      let file = folder.appending(path: "a.store")
      try Data("text".utf8).write(to: file)
      expect(.loadIssueModelContainer) {
        _ = try ModelContainer(for: journal, configurations: ModelConfiguration(url: file))
      }
      #expect(try Data(contentsOf: file) == Data("text".utf8))
    }
  }

  @Test func `erasing and deleting all data leave a store that goes on`() throws {
    try withFolder { folder throws in
      let configuration = ModelConfiguration(url: folder.appending(path: "a.store"))
      let container = try ModelContainer(for: journal, configurations: configuration)
      let context = ModelContext(container)
      for round in 0..<2 {
        let entry = JournalV2.Entry(title: "\(round)", body: "b", rating: 1)
        context.insert(entry)
        try context.save()
        if round == 0 { container.deleteAllData() } else { try container.erase() }
        #expect(try context.fetchCount(FetchDescriptor<JournalV2.Entry>()) == 0)
        #expect(entry.isDeleted)
      }
      context.insert(JournalV2.Entry(title: "new", body: "b", rating: 1))
      try context.save()
      let again = ModelContext(try ModelContainer(for: journal, configurations: configuration))
      #expect(try again.fetch(FetchDescriptor<JournalV2.Entry>()).map(\.title) == ["new"])
    }
  }

  @Test func `identifiers kept as text find their objects in the next launch`() throws {
    try withFolder { folder throws in
      let configuration = ModelConfiguration(url: folder.appending(path: "a.store"))
      var text = ""
      do {
        let context = ModelContext(try ModelContainer(for: journal, configurations: configuration))
        let entry = JournalV2.Entry(title: "a", body: "b", rating: 1)
        context.insert(entry)
        try context.save()
        text = try JSONEncoder().encode(entry.persistentModelID).base64EncodedString()
      }
      let identifier = try JSONDecoder().decode(
        PersistentIdentifier.self, from: #require(Data(base64Encoded: text)))
      let context = ModelContext(try ModelContainer(for: journal, configurations: configuration))
      #expect((context.model(for: identifier) as? JournalV2.Entry)?.title == "a")
      #expect(identifier.entityName == "Entry")
    }
  }

  @Test func `configurations are values`() {
    let url = URL(fileURLWithPath: "/nowhere/a.store")
    let configuration = ModelConfiguration("a", schema: journal, url: url, allowsSave: false, cloudKitDatabase: .none)
    #expect(configuration.id == url && configuration.name == "a" && !configuration.allowsSave)
    let same = ModelConfiguration("a", schema: journal, url: url, allowsSave: false, cloudKitDatabase: .none)
    #expect(configuration == same)
    #expect(Set([configuration, configuration]).count == 1)
    #expect(ModelConfiguration(cloudKitDatabase: .private("iCloud.a")).cloudKitContainerIdentifier == "iCloud.a")
    #expect(ModelConfiguration(for: JournalV2.Entry.self, isStoredInMemoryOnly: true).schema?.entities.count == 2)
    #expect(
      ModelConfiguration("a", groupContainer: .identifier("group.org.example")).groupAppContainerIdentifier
        == "group.org.example")
  }
}
