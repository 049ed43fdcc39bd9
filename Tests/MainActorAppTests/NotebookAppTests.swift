import SwiftData
import Testing

// A module whose declarations belong to the main actor unless they say otherwise, as new apps are set up. Models in it
// belong to no actor, as contexts on all of them use them.

@Model
final class Notebook {
  #Unique<Notebook>([\.name])
  var name: String
  var created: Date = Date(timeIntervalSince1970: 0)
  @Relationship(deleteRule: .cascade, inverse: \Page.notebook) var pages: [Page] = []
  init(name: String) { self.name = name }
}

@Model
class Page {
  #Index<Page>([\.number])
  var number: Int
  var text: String
  var notebook: Notebook?
  var isLong: Bool { text.count > 100 }
  init(number: Int, text: String = "") {
    self.number = number
    self.text = text
  }
}

@Model
final class Drawing: Page {
  var strokes: Int = 0
  override init(number: Int, text: String = "") { super.init(number: number, text: text) }
}

@ModelActor
actor PageImporter {
  func addPages(_ count: Int, to id: PersistentIdentifier) throws {
    guard let notebook = self[id, as: Notebook.self] else { return }
    for number in 1...count { notebook.pages.append(Page(number: number, text: "page \(number)")) }
    try modelContext.save()
  }
}

final class NotebookList {
  private let context: ModelContext
  private(set) var notebooks: [Notebook] = []

  init(_ container: ModelContainer) { context = container.mainContext }

  func add(_ name: String) throws -> Notebook {
    let notebook = Notebook(name: name)
    context.insert(notebook)
    try context.save()
    return notebook
  }

  func search(_ text: String) throws {
    notebooks = try context.fetch(
      FetchDescriptor(
        predicate: #Predicate { $0.pages.contains { $0.text.localizedStandardContains(text) } },
        sortBy: [SortDescriptor(\.name)]))
  }
}

struct NotebookAppTests {
  @Test func `models of a main actor's module are used on it and off it`() async throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Notebook.self, Drawing.self, configurations: configuration)
    let list = NotebookList(container)
    let diary = try list.add("Diary")
    try await PageImporter(modelContainer: container).addPages(12, to: diary.persistentModelID)
    try list.search("PAGE 12")
    #expect(list.notebooks == [diary])
    diary.pages.append(Drawing(number: 13))
    try container.mainContext.save()
    let count = try await Task.detached {
      let context = ModelContext(container)
      let late = #Predicate<Page> { $0.number > 10 && !$0.isLong }
      return try context.fetchCount(FetchDescriptor(predicate: late))
    }.value
    #expect(count == 3)
  }
}
