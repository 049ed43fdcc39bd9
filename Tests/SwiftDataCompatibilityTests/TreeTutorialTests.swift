import Foundation
import SwiftData
import Testing

// Trees of one class, lists with a place of their own, structures within objects.

@Model
final class Notebook {
  var name: String
  var parent: Notebook?
  @Relationship(deleteRule: .cascade, inverse: \Notebook.parent) var subfolders: [Notebook]? = []
  @Relationship(deleteRule: .cascade, inverse: \Memo.folder) var notes: [Memo] = []

  init(_ name: String, parent: Notebook? = nil) {
    self.name = name
    self.parent = parent
  }

  /// What an outline asks for: nil where there is nothing to open.
  var children: [Notebook]? {
    guard let subfolders, !subfolders.isEmpty else { return nil }
    return subfolders.sorted(using: KeyPathComparator(\.name))
  }

  var path: String {
    guard let parent else { return "/\(name)" }
    return "\(parent.path)/\(name)"
  }

  var allNotes: [Memo] { notes + (subfolders ?? []).flatMap(\.allNotes) }
}

@Model
final class Memo {
  struct Attachment: Codable, Hashable, Identifiable {
    enum Kind: String, Codable { case image, link }
    var id = UUID()
    var kind: Kind
    var url: URL
    var size: Int?
  }

  var text: String = ""
  var modified: Date = Date.distantPast
  var attachments: [Attachment] = []
  var tags: [String] = []
  var ratings: [String: Int] = [:]
  var accent: Accent = Accent(red: 0, green: 0, blue: 0)
  var folder: Notebook?
  @Transient var isSelected = false
  @Transient private var cachedWordCount: Int?

  struct Accent: Codable, Equatable {
    var red: Double
    var green: Double
    var blue: Double
  }

  init(text: String = "") { self.text = text }

  var wordCount: Int {
    if let cachedWordCount { return cachedWordCount }
    let count = text.split(separator: " ").count
    cachedWordCount = count
    return count
  }
}

@Model final class Playlist {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \PlaylistEntry.playlist) private var storedEntries: [PlaylistEntry] = []

  var entries: [PlaylistEntry] {
    get { storedEntries.sorted { $0.orderIndex < $1.orderIndex } }
    set {
      for (index, entry) in newValue.enumerated() { entry.orderIndex = index }
      storedEntries = newValue
    }
  }

  init(name: String) { self.name = name }
}

@Model final class PlaylistEntry {
  var song: String
  var orderIndex: Int = 0
  var playlist: Playlist?

  init(song: String) { self.song = song }
}

@MainActor
struct TreeTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Notebook.self, Memo.self, Playlist.self, configurations: .init(isStoredInMemoryOnly: true))
  }

  private func makeTree() -> Notebook {
    let root = Notebook("home")
    context.insert(root)
    let work = Notebook("work", parent: root)
    let music = Notebook("music", parent: root)
    let old = Notebook("old")
    work.subfolders?.append(old)
    root.notes.append(Memo(text: "at home"))
    old.notes = [Memo(text: "an old note"), Memo(text: "another")]
    music.notes.append(Memo(text: "a song of six words is"))
    return root
  }

  @Test func `a tree is walked from its root and from its leaves`() throws {
    let root = makeTree()
    try context.save()
    #expect(root.children?.map(\.name) == ["music", "work"])
    #expect(root.children?[0].children == nil)
    let old = try #require(root.children?[1].children?.first)
    #expect(old.path == "/home/work/old")
    #expect(root.allNotes.map(\.text).sorted() == ["a song of six words is", "an old note", "another", "at home"])
    let roots = FetchDescriptor<Notebook>(predicate: #Predicate { $0.parent == nil })
    #expect(try context.fetch(roots).map(\.name) == ["home"])
    let leaves = FetchDescriptor<Notebook>(
      predicate: #Predicate { $0.subfolders?.isEmpty ?? true }, sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(leaves).map(\.name) == ["music", "old"])
    let grandchildren = FetchDescriptor<Notebook>(predicate: #Predicate { $0.parent?.parent?.name == "home" })
    #expect(try context.fetch(grandchildren).map(\.name) == ["old"])
  }

  @Test func `a branch moves with all below it`() throws {
    let root = makeTree()
    try context.save()
    let all = try context.fetch(FetchDescriptor<Notebook>(sortBy: [.init(\.name)]))
    let (music, old) = (all[1], all[2])
    #expect([music.name, old.name] == ["music", "old"])
    old.parent = music
    #expect(old.path == "/home/music/old")
    #expect(root.children?.last?.children == nil && music.children == [old])
    try context.save()
    let elsewhere = try ModelContext(container).fetch(
      FetchDescriptor<Notebook>(predicate: #Predicate { $0.parent?.name == "music" }))
    #expect(elsewhere.map(\.path) == ["/home/music/old"])
  }

  @Test func `a branch is deleted with all below it`() throws {
    let root = makeTree()
    try context.save()
    let work = try #require(root.children?.last)
    context.delete(work)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Notebook>(sortBy: [.init(\.name)])).map(\.name) == ["home", "music"])
    #expect(
      try context.fetch(FetchDescriptor<Memo>(sortBy: [.init(\.text)])).map(\.text)
        == ["a song of six words is", "at home"])
    #expect(root.children?.map(\.name) == ["music"])
  }

  @Test func `arrays of structures, texts and dictionaries are edited in place`() throws {
    let note = Memo(text: "with things")
    context.insert(note)
    let link = try #require(URL(string: "https://example.com/a?b=c#d"))
    note.attachments = [.init(kind: .link, url: link), .init(kind: .image, url: link, size: 12)]
    note.tags.append(contentsOf: ["swift", "data"])
    note.ratings["ann", default: 0] += 2
    note.accent.green = 0.5
    try context.save()
    note.attachments[0].size = 3
    note.attachments.swapAt(0, 1)
    note.tags.removeAll { $0 == "swift" }
    note.ratings["bob"] = 5
    note.ratings["ann"]? += 1
    try context.save()
    let copy = try #require(try ModelContext(container).fetch(FetchDescriptor<Memo>()).first)
    #expect(copy.attachments == note.attachments)
    #expect(copy.attachments.map(\.kind) == [.image, .link] && copy.attachments.map(\.size) == [12, 3])
    #expect(copy.attachments.map(\.url) == [link, link])
    #expect(copy.tags == ["data"] && copy.ratings == ["ann": 3, "bob": 5])
    #expect(copy.accent == Memo.Accent(red: 0, green: 0.5, blue: 0))
  }

  @Test func `a transient property belongs to the object and not to the store`() throws {
    let note = Memo(text: "one two three")
    context.insert(note)
    try context.save()
    note.isSelected = true
    #expect(note.wordCount == 3)
    #expect(!context.hasChanges)
    let again = try #require(try context.fetch(FetchDescriptor<Memo>()).first)
    #expect(again === note && again.isSelected)
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Memo>()).first)
    #expect(!other.isSelected && other.wordCount == 3)
  }

  @Test func `entries keep the order that their index gives`() throws {
    let playlist = Playlist(name: "Road")
    context.insert(playlist)
    playlist.entries = ["One", "Two", "Three", "Four"].map(PlaylistEntry.init(song:))
    try context.save()
    let copy = try #require(try ModelContext(container).fetch(FetchDescriptor<Playlist>()).first)
    #expect(copy.entries.map(\.song) == ["One", "Two", "Three", "Four"])
    var entries = playlist.entries
    entries.swapAt(0, 3)
    playlist.entries = entries
    playlist.entries.removeAll { $0.song == "Two" }
    #expect(playlist.entries.map(\.song) == ["Four", "Three", "One"])
    #expect(playlist.entries.map(\.orderIndex) == [0, 1, 2])
    try context.save()
    let descriptor = FetchDescriptor<PlaylistEntry>(
      predicate: #Predicate { $0.playlist != nil }, sortBy: [SortDescriptor(\.orderIndex)])
    #expect(try ModelContext(container).fetch(descriptor).map(\.song) == ["Four", "Three", "One"])
    context.delete(playlist)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<PlaylistEntry>()).map(\.song) == ["Two"])
  }
}
