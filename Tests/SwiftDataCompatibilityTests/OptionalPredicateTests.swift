import SwiftData
import Testing

/// Models in the way of apps whose devices share a private database: everything is optional or has a default.
enum NoteModels {
  enum Status: String, Codable, CaseIterable { case open, doing, done }

  @Model
  class Note {
    var title: String = ""
    var subtitle: String?
    var due: Date?
    var created: Date = Date.distantPast
    var status: Status = Status.open
    var statusRaw: String?
    var lastStatus: Status?
    var priority: Int?
    var isArchived: Bool?
    var folder: Folder?
    @Relationship(inverse: \Tag.notes) var tags: [Tag]?
    init(_ title: String) { self.title = title }
  }

  @Model
  final class Drawing: Note {
    var strokes: Int?
    init(_ title: String, strokes: Int?) {
      super.init(title)
      self.strokes = strokes
    }
  }

  @Model
  final class Folder {
    var name: String = ""
    var parent: Folder?
    @Relationship(inverse: \Folder.parent) var children: [Folder]?
    @Relationship(inverse: \Note.folder) var notes: [Note]?
    init(_ name: String) { self.name = name }
  }

  @Model
  final class Tag {
    var name: String?
    var notes: [Note]?
    init(_ name: String?) { self.name = name }
  }
}

/// Predicates about optionals in the ways of public code, each beside the same condition in plain Swift.
@MainActor
@Suite struct OptionalPredicateTests {
  private typealias Note = NoteModels.Note
  private typealias Drawing = NoteModels.Drawing
  private typealias Folder = NoteModels.Folder
  private typealias Tag = NoteModels.Tag
  private typealias Status = NoteModels.Status

  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(
      for: Note.self, Drawing.self, Folder.self, Tag.self, configurations: configuration)
    context = container.mainContext
    let (home, work, plans) = (Folder("Home"), Folder("Work"), Folder("Plans"))
    let tags = [Tag("red"), Tag("blue"), Tag(nil)]
    for folder in [home, work, plans] { context.insert(folder) }
    for tag in tags { context.insert(tag) }
    plans.parent = work
    for number in 0..<12 {
      let note =
        number % 4 == 3 ? Drawing("Note \(number)", strokes: number % 3 == 0 ? nil : number) : Note("Note \(number)")
      context.insert(note)
      note.subtitle = [nil, "", "Café", "at home"][number % 4]
      note.due = number % 3 == 0 ? nil : .day(number)
      note.created = .day(number)
      note.status = Status.allCases[number % 3]
      note.statusRaw = number % 5 == 0 ? nil : Status.allCases[number % 3].rawValue
      note.lastStatus = number % 2 == 0 ? nil : .done
      note.priority = number % 4 == 0 ? nil : number % 4
      note.isArchived = [nil, true, false][number % 3]
      note.folder = [nil, home, work, plans][number % 4]
      note.tags = number == 0 ? nil : tags.enumerated().filter { number % ($0.offset + 2) == 0 }.map(\.element)
    }
    try context.save()
  }

  /// What a predicate finds is what the condition accepts, both of saved and of unsaved objects.
  private func expect<Model: PersistentModel>(
    _ predicate: Predicate<Model>, sourceLocation: SourceLocation = #_sourceLocation, like condition: (Model) -> Bool
  ) throws {
    let all = try context.fetch(FetchDescriptor<Model>())
    let wanted = Set(all.filter(condition).map(\.persistentModelID))
    #expect(
      !wanted.isEmpty && wanted.count < all.count, "a condition that tells nothing apart",
      sourceLocation: sourceLocation)
    for context in [context, ModelContext(context.container)] {
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID)
      #expect(found.count == wanted.count && Set(found) == wanted, sourceLocation: sourceLocation)
      #expect(
        try context.fetchCount(FetchDescriptor(predicate: predicate)) == wanted.count, sourceLocation: sourceLocation)
    }
  }

  @Test func `an optional to-many is asked by chaining, by flatMap, by if let and unwrapped`() throws {
    let name = "red"
    let isRed = { (note: Note) in note.tags?.contains { $0.name == name } ?? false }
    try expect(#Predicate { $0.tags?.contains { $0.name == name } ?? false }, like: isRed)
    try expect(#Predicate { $0.tags?.contains(where: { $0.name == name }) == true }, like: isRed)
    try expect(#Predicate { $0.tags.flatMap { $0.contains { $0.name == name } } == true }, like: isRed)
    try expect(#Predicate { $0.tags.flatMap { tags in tags.contains { $0.name == name } } ?? false }, like: isRed)
    try expect(
      #Predicate<Note> { note in
        if let tags = note.tags {
          return tags.contains { tag in tag.name == name }
        } else {
          return false
        }
      }, like: isRed)
    try expect(#Predicate<Note> { $0.tags!.contains { $0.name == name } }, like: isRed)
    try expect(#Predicate<Note> { !($0.tags?.isEmpty ?? true) }) { !($0.tags?.isEmpty ?? true) }
    try expect(#Predicate<Note> { $0.tags?.filter { $0.name != nil }.count ?? 0 > 1 }) {
      $0.tags?.filter { $0.name != nil }.count ?? 0 > 1
    }
    try expect(#Predicate<Note> { $0.tags?.allSatisfy { $0.name != nil } ?? false }) {
      $0.tags?.allSatisfy { $0.name != nil } ?? false
    }
  }

  @Test func `closures over optional to-manies are nested`() throws {
    let title = "Note 7"
    try expect(#Predicate<Folder> { $0.notes?.contains { $0.tags?.contains { $0.name == "red" } ?? false } ?? false }) {
      $0.notes?.contains { $0.tags?.contains { $0.name == "red" } ?? false } ?? false
    }
    try expect(
      #Predicate<Folder> { folder in
        folder.children?.contains(where: { $0.notes?.contains(where: { $0.title == title }) == true }) == true
      }
    ) { $0.children?.contains { $0.notes?.contains { $0.title == title } == true } == true }
    try expect(
      #Predicate<Folder> { folder in
        folder.notes.flatMap { $0.filter { $0.folder?.name == folder.name && $0.priority ?? 0 > 1 }.count } ?? 0 >= 3
      }
    ) { ($0.notes?.filter { $0.priority ?? 0 > 1 }.count ?? 0) >= 3 }
  }

  @Test func `chains of optional to-ones end in texts, defaults and nil`() throws {
    let text = "PLAN"
    try expect(#Predicate<Note> { $0.folder?.parent?.name == "Work" }) { $0.folder?.parent?.name == "Work" }
    try expect(#Predicate<Note> { $0.folder.flatMap { $0.parent.flatMap { $0.name == "Work" } } ?? false }) {
      $0.folder?.parent?.name == "Work"
    }
    try expect(#Predicate<Note> { $0.folder?.name.localizedStandardContains(text) == true }) {
      $0.folder?.name.localizedStandardContains(text) == true
    }
    try expect(#Predicate<Note> { ($0.folder?.parent?.name ?? $0.folder?.name ?? "none").starts(with: "W") }) {
      ($0.folder?.parent?.name ?? $0.folder?.name ?? "none").starts(with: "W")
    }
    try expect(#Predicate<Note> { $0.folder?.parent == nil && $0.folder != nil }) {
      $0.folder?.parent == nil && $0.folder != nil
    }
    try expect(#Predicate<Note> { $0.folder?.notes?.count ?? 0 > 2 }) { $0.folder?.notes?.count ?? 0 > 2 }
  }

  @Test func `an optional text is searched, with what a person typed or did not`() throws {
    for typed in ["cafe", "HOME"] {
      try expect(#Predicate<Note> { $0.subtitle?.localizedStandardContains(typed) ?? false }) {
        $0.subtitle?.localizedStandardContains(typed) ?? false
      }
      try expect(
        #Predicate<Note> { note in
          typed.isEmpty
            ? true
            : note.title.localizedStandardContains(typed)
              || (note.subtitle ?? "").localizedStandardContains(typed)
        }
      ) { ($0.subtitle ?? "").localizedStandardContains(typed) }
    }
    try expect(#Predicate<Note> { $0.subtitle.flatMap { $0.isEmpty } ?? true }) { $0.subtitle?.isEmpty ?? true }
    let wanted: String? = "Café"
    try expect(#Predicate<Note> { wanted == nil || $0.subtitle == wanted }) { $0.subtitle == wanted }
  }

  @Test func `a filter that may be off is an optional outside of the predicate`() throws {
    let folder = try #require(
      try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "Home" })).first)
    let folderID: PersistentIdentifier? = folder.persistentModelID
    try expect(#Predicate<Note> { folderID == nil || $0.folder?.persistentModelID == folderID }) {
      $0.folder?.persistentModelID == folderID
    }
    let some: [PersistentIdentifier] = [folder.persistentModelID]
    try expect(
      #Predicate<Note> { if let id = $0.folder?.persistentModelID { some.contains(id) } else { false } }
    ) { $0.folder?.name == "Home" }
    let maybe: Set<PersistentIdentifier?> = [folder.persistentModelID, nil]
    try expect(#Predicate<Note> { maybe.contains($0.folder?.persistentModelID) }) {
      $0.folder == nil || $0.folder?.name == "Home"
    }
    let names = ["Home", "Plans"]
    try expect(#Predicate<Note> { names.contains($0.folder?.name ?? "") }) { names.contains($0.folder?.name ?? "") }
  }

  @Test func `optional dates lie between two days`() throws {
    let (start, end) = (Date.day(2), Date.day(8))
    let range = start..<end
    let isWithin = { (note: Note) in note.due.map { range.contains($0) } ?? false }
    try expect(#Predicate { $0.due.flatMap { $0 >= start && $0 < end } ?? false }, like: isWithin)
    try expect(#Predicate { $0.due.flatMap { range.contains($0) } == true }, like: isWithin)
    try expect(#Predicate { if let due = $0.due { due >= start && due < end } else { false } }, like: isWithin)
    try expect(#Predicate { $0.due != nil && $0.due! >= start && $0.due! < end }, like: isWithin)
    try expect(#Predicate { range.contains($0.due ?? Date.distantPast) }, like: isWithin)
    try expect(#Predicate<Note> { $0.due ?? .distantFuture < end }) { $0.due ?? .distantFuture < end }
    try expect(#Predicate<Note> { ($0.due ?? $0.created) < end }) { ($0.due ?? $0.created) < end }
    try expect(#Predicate<Note> { $0.due == nil || $0.due! > Date.now }) { $0.due == nil }
  }

  @Test func `enumerations are compared with cases, with raw values, and where they are optional`() throws {
    let wanted = Status.doing
    try expect(#Predicate<Note> { $0.status == wanted }) { $0.status == .doing }
    try expect(#Predicate<Note> { $0.status.rawValue == wanted.rawValue }) { $0.status == .doing }
    try expect(#Predicate<Note> { $0.statusRaw == wanted.rawValue }) { $0.statusRaw == "doing" }
    try expect(#Predicate<Note> { $0.statusRaw == Status.doing.rawValue }) { $0.statusRaw == "doing" }
    try expect(#Predicate<Note> { $0.status == Status.doing }) { $0.status == .doing }
    try expect(#Predicate<Note> { $0.status == NoteModels.Status.doing }) { $0.status == .doing }
    try expect(#Predicate<Note> { $0.lastStatus == Status.done }) { $0.lastStatus == .done }
    try expect(#Predicate<Note> { $0.lastStatus?.rawValue == "done" }) { $0.lastStatus == .done }
    let raws = [Status.open, .done].map(\.rawValue)
    try expect(#Predicate<Note> { raws.contains($0.statusRaw ?? "") }) { raws.contains($0.statusRaw ?? "") }
  }

  @Test func `optional numbers and truth values have defaults`() throws {
    try expect(#Predicate<Note> { $0.priority ?? 0 >= 2 }) { $0.priority ?? 0 >= 2 }
    try expect(#Predicate<Note> { $0.isArchived != true }) { $0.isArchived != true }
    try expect(#Predicate<Note> { !($0.isArchived ?? false) }) { !($0.isArchived ?? false) }
    try expect(#Predicate<Note> { $0.isArchived ?? false == false && $0.priority != nil }) {
      $0.isArchived ?? false == false && $0.priority != nil
    }
    try expect(#Predicate<Note> { $0.priority.flatMap { $0 % 2 == 1 } ?? false }) {
      $0.priority.map { $0 % 2 == 1 } ?? false
    }
    try expect(#Predicate<Note> { if let priority = $0.priority { priority > 2 } else { true } }) {
      $0.priority ?? 9 > 2
    }
  }

  @Test func `a cast leads to optional properties of a subclass`() throws {
    try expect(#Predicate<Note> { ($0 as? Drawing)?.strokes == nil && $0 is Drawing }) {
      ($0 as? Drawing).map { $0.strokes == nil } ?? false
    }
    try expect(#Predicate<Note> { ($0 as? Drawing)?.strokes ?? 0 > 5 }) { ($0 as? Drawing)?.strokes ?? 0 > 5 }
    try expect(#Predicate<Note> { if let drawing = $0 as? Drawing { drawing.strokes != nil } else { false } }) {
      ($0 as? Drawing)?.strokes != nil
    }
    try expect(#Predicate<Folder> { $0.notes?.contains { $0 is Drawing } ?? false }) {
      $0.notes?.contains { $0 is Drawing } ?? false
    }
  }
}
