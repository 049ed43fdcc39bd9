import Foundation
import Tandem
import TestSupport
import Testing

/// Two builds of an app: the newer one has one more case.
private enum Diary {
  enum Older {
    enum Mood: String, Codable, CaseIterable { case calm }
    @Model final class Page {
      var text: String
      var mood: Mood?
      init(_ text: String) { self.text = text }
    }
  }

  enum Newer {
    enum Mood: String, Codable, CaseIterable { case calm, wild }
    @Model final class Page {
      var text: String
      var mood: Mood?
      init(_ text: String, _ mood: Mood?) { (self.text, self.mood) = (text, mood) }
    }
  }
}

struct UnknownCaseTests {
  @Test func `a case of a newer build reads nil, and only Swift takes it for nil, while its object has changed`() throws
  {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appendingPathComponent("diary.store"))
    let newer = ModelContext(try ModelContainer(for: Diary.Newer.Page.self, configurations: configuration))
    let moods: [(String, Diary.Newer.Mood?)] = [("a", .calm), ("b", .wild), ("c", nil)]
    for (text, mood) in moods { newer.insert(Diary.Newer.Page(text, mood)) }
    try newer.save()

    let older = ModelContext(try ModelContainer(for: Diary.Older.Page.self, configurations: configuration))
    func texts(_ predicate: Predicate<Diary.Older.Page>) throws -> [String] {
      try older.fetch(FetchDescriptor(predicate: predicate)).map(\.text).sorted()
    }
    let isMissing = #Predicate<Diary.Older.Page> { $0.mood == nil }
    let isThere = #Predicate<Diary.Older.Page> { $0.mood != nil }
    let isSecond = #Predicate<Diary.Older.Page> { $0.text == "b" }
    let page = try #require(try older.fetch(FetchDescriptor(predicate: isSecond)).first)
    #expect(page.mood == nil)
    #expect(try texts(isMissing) == ["c"] && texts(isThere) == ["a", "b"])
    page.text = "d"
    #expect(try texts(isMissing) == ["c", "d"] && texts(isThere) == ["a"])
    try older.save()
    #expect(try texts(isMissing) == ["c"] && texts(isThere) == ["a", "d"])
    let saved = try newer.fetch(FetchDescriptor<Diary.Newer.Page>(sortBy: [SortDescriptor(\.text)]))
    #expect(saved.map(\.mood) == [.calm, nil, .wild])
  }
}
