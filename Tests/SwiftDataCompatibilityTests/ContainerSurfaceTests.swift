import SwiftData
import Testing

@MainActor
@Suite struct ContainerSurfaceTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
  @Model final class Setting {
    var key: String
    init(_ key: String) { self.key = key }
  }

  /// A folder for the time of a closure.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "container-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(folder)
  }

  @Test func `a container is made in each of the ways`() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let schema = Schema([Note.self])
    #expect(try ModelContainer(for: schema, configurations: [memory]).schema == schema)
    #expect(try ModelContainer(for: schema, configurations: memory).migrationPlan == nil)
    #expect(try ModelContainer(for: Note.self, Setting.self, configurations: memory).schema.entities.count == 2)
    let typed = ModelConfiguration(for: Note.self, isStoredInMemoryOnly: true)
    #expect(try ModelContainer(for: Note.self, configurations: typed).configurations.count == 1)
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Note.self, configurations: memory, memory)
    }
    #expect(refusal?.code == .duplicateConfiguration)
  }

  @Test func `a configuration says where its store is`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      let configuration = ModelConfiguration("Notes", schema: Schema([Note.self]), url: url, allowsSave: true)
      #expect(configuration.name == "Notes" && configuration.url == url && configuration.id == url)
      #expect(configuration.allowsSave && !configuration.isStoredInMemoryOnly && configuration.schema != nil)
      #expect(configuration.groupAppContainerIdentifier == nil && configuration.cloudKitContainerIdentifier == nil)
      let memory = ModelConfiguration("M", isStoredInMemoryOnly: true, groupContainer: .none, cloudKitDatabase: .none)
      #expect(memory.isStoredInMemoryOnly && memory != configuration)
      #expect(Set([memory, configuration]).count == 2)
      let shared = ModelConfiguration("S", groupContainer: .identifier("group.example"), cloudKitDatabase: .automatic)
      #expect(shared.groupAppContainerIdentifier == "group.example")
    }
  }

  @Test func `a store in memory lies at dev null, and containers do not share it`() throws {
    let url = URL(fileURLWithPath: "/dev/null")
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(configuration.url == url && configuration.url.path == "/dev/null" && configuration.id == url)
    #expect(ModelConfiguration("named", schema: Schema([Note.self]), isStoredInMemoryOnly: true).url == url)
    #expect(ModelConfiguration(for: Note.self, isStoredInMemoryOnly: true).url == url)
    let first = try ModelContainer(for: Note.self, configurations: configuration)
    let second = try ModelContainer(for: Note.self, configurations: configuration)
    #expect(first.configurations.map(\.url) == [url])
    first.mainContext.insert(Note("n"))
    try first.mainContext.save()
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Note>()) == 1)
    #expect(try second.mainContext.fetchCount(FetchDescriptor<Note>()) == 0)
    // Two in one container: the same name and place are no contradiction in memory.
    let both = try ModelContainer(
      for: Note.self, Setting.self, configurations: ModelConfiguration(for: Note.self, isStoredInMemoryOnly: true),
      ModelConfiguration(for: Setting.self, isStoredInMemoryOnly: true))
    #expect(both.configurations.count == 2)
    let (note, setting) = (Note("n"), Setting("s"))
    both.mainContext.insert(note)
    both.mainContext.insert(setting)
    try both.mainContext.save()
    #expect(note.persistentModelID.storeIdentifier != setting.persistentModelID.storeIdentifier)
    #expect(try both.mainContext.fetchCount(FetchDescriptor<Setting>()) == 1)
  }

  @Test func `a container without models takes the schemas of its configurations`() throws {
    let notes = ModelConfiguration(schema: Schema([Note.self]), isStoredInMemoryOnly: true)
    let one = try ModelContainer(configurations: notes)
    #expect(one.schema == notes.schema)
    one.mainContext.insert(Note("n"))
    try one.mainContext.save()
    #expect(try ModelContext(one).fetch(FetchDescriptor<Note>()).map(\.text) == ["n"])
    let settings = ModelConfiguration(
      "settings", schema: Schema([Setting.self], version: Schema.Version(2, 0, 0)), isStoredInMemoryOnly: true)
    let two = try ModelContainer(configurations: notes, settings)
    #expect(Set(two.schema.entities.map(\.name)) == ["Note", "Setting"])
    two.mainContext.insert(Note("n"))
    two.mainContext.insert(Setting("s"))
    try two.mainContext.save()
    #expect(try two.mainContext.fetchCount(FetchDescriptor<Setting>()) == 1)
  }

  @Test func `a container without any model opens, and says that a class is unknown`() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(configurations: memory)
    #expect(container.schema.entities.isEmpty && container.configurations.count == 1)
    let context = container.mainContext
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    context.insert(Note("n"))
    #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .unknownSchema)
    let refusal = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Note>()) }
    #expect(refusal?.code == .unknownSchema)
    try container.erase()
    #expect(try ModelContainer(for: Schema(), configurations: [memory]).schema.entities.isEmpty)
  }

  @Test func `a container without models leaves what a store holds as it is`() throws {
    try withFolder { folder in
      let configuration = ModelConfiguration(url: folder.appending(path: "a.store"))
      let filled = try ModelContainer(for: Note.self, configurations: configuration)
      filled.mainContext.insert(Note("n"))
      try filled.mainContext.save()
      let bare = try ModelContainer(configurations: configuration)
      #expect(bare.schema.entities.isEmpty && bare.configurations == [configuration])
      let again = try ModelContainer(for: Note.self, configurations: configuration)
      #expect(try again.mainContext.fetch(FetchDescriptor<Note>()).map(\.text) == ["n"])
    }
  }

  @Test func `the folders of a store's URL are made`() throws {
    try withFolder { folder in
      for path in ["one/two/notes.store", "three/Notes.sqlite", "four/with space/notes"] {
        let url = folder.appending(path: path)
        let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
        container.mainContext.insert(Note(path))
        try container.mainContext.save()
        let again = try ModelContainer(
          for: Note.self, configurations: ModelConfiguration("again", url: URL(fileURLWithPath: url.path)))
        #expect(try again.mainContext.fetch(FetchDescriptor<Note>()).map(\.text) == [path])
      }
      // Reading only makes nothing.
      let missing = folder.appending(path: "five/six/notes.store")
      let refusal = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: missing, allowsSave: false))
      }
      #expect(refusal?.code == .notFound)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "five").path))
      let bare = folder.appending(path: "seven/eight/bare.store")
      #expect(try ModelContainer(configurations: ModelConfiguration(url: bare)).schema.entities.isEmpty)
    }
  }

  @Test func `several stores each hold their own classes`() throws {
    try withFolder { folder in
      let notes = ModelConfiguration(
        "Notes", schema: Schema([Note.self]), url: folder.appending(path: "notes.store"))
      let settings = ModelConfiguration(
        "Settings", schema: Schema([Setting.self]), url: folder.appending(path: "settings.store"))
      let container = try ModelContainer(for: Note.self, Setting.self, configurations: notes, settings)
      let note = Note("n")
      container.mainContext.insert(note)
      container.mainContext.insert(Setting("s"))
      try container.mainContext.save()
      let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "Notes"))
      #expect(note.persistentModelID.storeIdentifier == identifier)
      #expect(container.configurationName(forStoreIdentifier: identifier) == "Notes")
      #expect(container.storeIdentifier(forConfigurationNamed: "Settings") != identifier)
      #expect(container.storeIdentifier(forConfigurationNamed: "Others") == nil)
      #expect(container.configurationName(forStoreIdentifier: "Notes") == nil)
      let alone = try ModelContainer(
        for: Note.self, configurations: ModelConfiguration(url: notes.url, allowsSave: false))
      #expect(try alone.mainContext.fetch(FetchDescriptor<Note>()).map(\.text) == ["n"])
    }
  }

  @Test func `a store is erased, and stays usable`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
      let context = container.mainContext
      context.insert(Note("old"))
      try context.save()
      try container.erase()
      #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
      context.insert(Note("new"))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.text) == ["new"])
      container.deleteAllData()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
    }
  }
}
