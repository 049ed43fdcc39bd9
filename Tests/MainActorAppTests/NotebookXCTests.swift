import SwiftData
import XCTest

/// An XCTest suite in a module of the main actor. The class stays off it, as its superclass is; its tests are on it.
nonisolated final class NotebookXCTests: XCTestCase {
  @MainActor private func makeList() throws -> (NotebookList, ModelContext) {
    let container = try ModelContainer(
      for: Notebook.self, Drawing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    return (NotebookList(container), container.mainContext)
  }

  @MainActor func testAddedNotebooksAreFound() async throws {
    let (list, context) = try makeList()
    let diary = try list.add("Diary")
    diary.pages.append(Page(number: 1, text: "Dear diary"))
    XCTAssertTrue(context.hasChanges)
    try list.search("dear")
    XCTAssertEqual(list.notebooks.map(\.name), ["Diary"])
  }

  @MainActor func testImportedPagesAreSeen() async throws {
    let (list, context) = try makeList()
    let diary = try list.add("Diary")
    try await PageImporter(modelContainer: context.container).addPages(3, to: diary.persistentModelID)
    XCTAssertEqual(try context.fetchCount(FetchDescriptor<Page>()), 3)
    XCTAssertEqual(diary.pages.map(\.number).sorted(), [1, 2, 3])
  }
}
