import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

// The code of the article SharingAGroupContainer.

@Model final class DiaryPage {
  var text: String
  init(text: String) { self.text = text }
}

@Model final class DiaryStamp {
  var country: String
  init(country: String) { self.country = country }
}

struct GroupContainerTests {
  @Test func `settings of a group lie beside its stores`() throws {
    let root = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    try ModelConfiguration.$containerRoot.withValue(root) {
      let group = "group.org.example.diary"
      let settings = try KeyValueStore(suiteName: group)
      let stores = ModelConfiguration("Diary", groupContainer: .identifier(group)).url.deletingLastPathComponent()
      #expect(settings.store.url.deletingLastPathComponent().path == stores.path)
    }
  }

  @Test func `the article's code runs as it is written`() throws {
    let root = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    try ModelConfiguration.$containerRoot.withValue(root) {
      let shared = ModelConfiguration("Diary", groupContainer: .identifier("group.org.example.diary"))
      let container = try ModelContainer(for: DiaryPage.self, configurations: shared)
      let context = ModelContext(container)
      context.insert(DiaryPage(text: "first"))
      try context.save()

      let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.diary")
      #expect(folder?.path == shared.url.deletingLastPathComponent().path)

      let reader = ModelConfiguration(
        "Diary", allowsSave: false, groupContainer: .identifier("group.org.example.diary"))
      let reading = ModelContext(try ModelContainer(for: DiaryPage.self, configurations: reader))
      #expect(try reading.fetch(FetchDescriptor<DiaryPage>()).map(\.text) == ["first"])
      try several(in: root)
    }
  }

  private func several(in folder: URL) throws {
    let diary = Schema([DiaryPage.self])
    let pages = ModelConfiguration("pages", schema: diary, url: folder.appending(path: "pages.store"))
    let rest = ModelConfiguration("rest", url: folder.appending(path: "rest.store"))
    let both = try ModelContainer(for: Schema([DiaryPage.self, DiaryStamp.self]), configurations: pages, rest)
    let context = ModelContext(both)
    context.insert(DiaryPage(text: "a"))
    context.insert(DiaryStamp(country: "b"))
    try context.save()
    #expect(try both.store(named: "pages")?.statistics().tables.first { $0.name == "e0" }?.entries == 1)
    #expect(try both.store(named: "rest")?.statistics().tables.first { $0.name == "e0" }?.entries == 1)
  }

  @Test func `a widget that leaves classes out harms neither itself nor the app`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let shared = ModelConfiguration(url: folder.appending(path: "shared.store"))
    let app = ModelContext(try ModelContainer(for: DiaryPage.self, DiaryStamp.self, configurations: shared))
    app.insert(DiaryStamp(country: "a"))
    try app.save()
    let widget = ModelContext(try ModelContainer(for: DiaryPage.self, configurations: shared))
    widget.insert(DiaryPage(text: "b"))
    try widget.save()
    app.insert(DiaryStamp(country: "c"))
    try app.save()
    #expect(try app.fetchCount(FetchDescriptor<DiaryStamp>()) == 2)
    #expect(try app.fetch(FetchDescriptor<DiaryPage>()).map(\.text) == ["b"])
    #expect(widget.container.migrationReports.isEmpty)
  }

  @Test func `a group's folder is made for its identifier, and there is none for other names`() throws {
    let root = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    ModelConfiguration.$containerRoot.withValue(root) {
      let found = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example")
      #expect(found.map { FileManager.default.fileExists(atPath: $0.path) } == true)
      for name in ["", "..", "group", "group/../x", "/etc"] {
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) == nil)
      }
    }
  }
}
