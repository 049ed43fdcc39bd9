import SwiftData
import Testing

@MainActor
@Suite(.serialized) struct MemoryStoreTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let store: MemoryStore

  init() throws {
    container = try ModelContainer(for: Note.self, configurations: MemoryStoreConfiguration())
    context = container.mainContext
    store = try #require(MemoryStore.last)
  }

  private func texts(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Note>()).map(\.text)
  }

  @Test func `a snapshot type of the store's own goes both ways, and what the store corrects is taken`() throws {
    for text in ["b", " a", "c"] { context.insert(Note(text: text)) }
    try context.save()
    #expect(store.notes.count == 3)
    #expect(try texts(context) == ["a", "b", "c"])
    #expect(try texts(ModelContext(container)) == ["a", "b", "c"])
    let found = try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.text == "b" }))
    found.first?.text = "z"
    try context.save()
    #expect(try texts(ModelContext(container)) == ["a", "c", "z"])
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.text < "d" })) == 2)
  }

  @Test func `deletes by predicate go to the store at once where it can, else to the next save`() throws {
    for text in ["a", "b"] { context.insert(Note(text: text)) }
    try context.save()
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.delete(model: Note.self, where: #Predicate { $0.text == "a" })
    }
    try context.delete(model: Note.self)
    #expect(store.notes.isEmpty && !context.hasChanges && note.isDeleted)
    context.insert(Note(text: "c"))
    try context.save()
    context.insert(Note(text: "d"))
    try context.delete(model: Note.self)
    #expect(store.notes.count == 1)
    try context.save()
    #expect(store.notes.isEmpty)
  }

  @Test func `the history is the store's own`() throws {
    for author in ["one", "two"] {
      context.author = author
      context.insert(Note(text: author))
      try context.save()
    }
    let all = try context.fetchHistory(HistoryDescriptor<MemoryTransaction>())
    #expect(all.map(\.author) == ["one", "two"])
    let first = all[0].token
    #expect(
      try context.fetchHistory(HistoryDescriptor<MemoryTransaction>(predicate: #Predicate { $0.token > first })).count
        == 1)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    try context.deleteHistory(HistoryDescriptor<MemoryTransaction>())
    #expect(try context.fetchHistory(HistoryDescriptor<MemoryTransaction>()).isEmpty)
  }

  @Test func `results over the store follow other contexts`() async throws {
    let observer = try ResultsObserver(sortBy: [SortDescriptor(\Note.text)], modelContext: context)
    var changes = observer.changes.makeAsyncIterator()
    let other = ModelContext(container)
    other.insert(Note(text: "a"))
    try other.save()
    let change = try await changes.next(isolation: #isolation)
    #expect(change?.insertions == [0] && observer.results.map(\.text) == ["a"])
  }

  @Test func `a store that cannot remember keys refuses once transactions`() throws {
    #expect {
      try context.transaction(once: "key") { context.insert(Note(text: "a")) }
    } throws: { error in
      "\(error)".contains("cannot remember the key of a once transaction")
    }
    #expect(store.notes.isEmpty && !context.hasChanges)
  }

  @Test func `what was undone is saved to the store too`() throws {
    context.undoManager = UndoManager()
    let note = Note(text: "a")
    context.insert(note)
    try context.save()
    context.delete(note)
    try context.save()
    #expect(store.notes.isEmpty)
    context.undoManager?.undo()
    try context.save()
    #expect(store.notes.values.map(\.text) == ["a"])
  }
}
