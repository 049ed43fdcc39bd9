import Foundation
import Observation
public import SwiftData
import Testing

// Books on shelves: where objects come from, how they are listed, and what hears of them.

@Model
final class Shelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume]? = nil
  @Relationship(deleteRule: .nullify) var featured: Volume?
  init(name: String) { self.name = name }
}

@Model
final class Volume {
  var title: String
  var pages: Int
  var genre: Genre
  var isbn: String?
  var readOn: Date?
  var shelf: Shelf?
  @Relationship(deleteRule: .cascade) var cover: Cover?
  enum Genre: String, Codable, CaseIterable, Comparable {
    case fiction, science
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
  init(_ title: String, pages: Int = 100, genre: Genre = .fiction, shelf: Shelf? = nil) {
    self.title = title
    self.pages = pages
    self.genre = genre
    self.shelf = shelf
  }
  @MainActor var label: String { "\(title), \(pages) p." }
  static func inserted(_ title: String, into context: ModelContext) -> Volume {
    let volume = Volume(title)
    context.insert(volume)
    return volume
  }
}

@Model
final class Cover {
  @Attribute(.externalStorage) var image: Data?
  var tint: String = "red"
  init(image: Data? = nil) { self.image = image }
}

@ModelActor
public actor VolumeImporter {
  private var prefix = ""
  public static func make(_ container: ModelContainer) async -> VolumeImporter {
    await Task.detached { VolumeImporter(modelContainer: container) }.value
  }
  init(modelContainer: ModelContainer, prefix: String) {
    let context = ModelContext(modelContainer)
    self.modelContainer = modelContainer
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.prefix = prefix
  }
  nonisolated func countElsewhere() throws -> Int {
    try ModelContext(modelContainer).fetchCount(FetchDescriptor<Volume>())
  }
  func load(_ titles: [String]) throws {
    try modelContext.transaction {
      for title in titles { modelContext.insert(Volume(prefix + title)) }
    }
  }
  func failing(_ titles: [String]) throws {
    for title in titles { modelContext.insert(Volume(title)) }
    throw CancellationError()
  }
  func pending() -> Int { modelContext.insertedModelsArray.count }
}

@MainActor @Observable
final class ShelfModel {
  var volumes: [Volume] = []
  var selection: Volume? { didSet { changes += 1 } }
  private(set) var changes = 0
  private let context: ModelContext
  @ObservationIgnored private var observer: (any NSObjectProtocol)?
  init(_ container: ModelContainer) {
    context = container.mainContext
    observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      [weak self] _ in
      MainActor.assumeIsolated { self?.reload() }
    }
    reload()
  }
  isolated deinit { observer.map(NotificationCenter.default.removeObserver) }
  func reload() {
    volumes = (try? context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)]))) ?? []
  }
}

@MainActor
struct LibraryTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Shelf.self, Volume.self, Cover.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func titles(_ predicate: Predicate<Volume>? = nil, _ sort: [SortDescriptor<Volume>] = [.init(\.title)])
    throws -> [String]
  {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort)).map(\.title)
  }

  @Test func `a book that is made with its shelf is inserted by it`() throws {
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    let volume = Volume("One", shelf: shelf)
    #expect(shelf.volumes?.map(\.title) == ["One"])
    #expect(volume.modelContext === context)
    try context.save()
    #expect(try titles() == ["One"])
  }

  @Test func `books that stand on a shelf before it is inserted come along`() throws {
    let shelf = Shelf(name: "A")
    shelf.volumes = [Volume("One"), Volume("Two")]
    #expect(shelf.volumes?.first?.shelf === shelf)
    context.insert(shelf)
    try context.save()
    #expect(try titles() == ["One", "Two"])
    shelf.volumes = nil
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Volume>()).map { $0.shelf == nil } == [true, true])
  }

  @Test func `a relationship that leads one way is asked and emptied`() throws {
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    let volume = Volume.inserted("One", into: context)
    shelf.featured = volume
    volume.cover = Cover(image: Data([1]))
    try context.save()
    #expect(volume.label == "One, 100 p.")
    let byTitle = FetchDescriptor<Shelf>(predicate: #Predicate { $0.featured?.title == "One" })
    #expect(try context.fetch(byTitle).map(\.name) == ["A"])
    let byTint = FetchDescriptor<Shelf>(predicate: #Predicate { $0.featured?.cover?.tint == "red" })
    #expect(try context.fetch(byTint).map(\.name) == ["A"])
    context.delete(volume)
    try context.save()
    #expect(shelf.featured == nil)
    #expect(try context.fetchCount(FetchDescriptor<Cover>()) == 0)
  }

  @Test func `cases and optional dates are asked and sorted by`() throws {
    for (n, (title, genre)) in [("b", Volume.Genre.science), ("a", .fiction), ("c", .science)].enumerated() {
      let volume = Volume(title, pages: n * 100, genre: genre)
      if n > 0 { volume.readOn = Date(timeIntervalSince1970: Double(n)) }
      context.insert(volume)
    }
    let raw = "science"
    #expect(try titles(#Predicate { $0.genre.rawValue == raw }) == ["b", "c"])
    #expect(try titles(nil, [SortDescriptor(\.genre.rawValue), SortDescriptor(\.title)]) == ["a", "b", "c"])
    #expect(try titles(nil, [SortDescriptor(\.genre, order: .reverse), SortDescriptor(\.title)]) == ["b", "c", "a"])
    #expect(try titles(nil, [SortDescriptor(\.readOn, order: .forward)]) == ["b", "a", "c"])
    #expect(try titles(nil, [SortDescriptor(\.readOn, order: .reverse)]) == ["c", "a", "b"])
    let sections = Dictionary(grouping: try context.fetch(FetchDescriptor<Volume>()), by: \.genre)
    #expect(sections.keys.sorted() == [.fiction, .science])
  }

  @Test func `inserts and deletes that are said twice count once`() throws {
    let volumes = ["a", "b", "c"].map { Volume($0) }
    volumes.forEach { context.insert($0) }
    volumes.forEach { context.insert($0) }
    try context.save()
    context.insert(volumes[0])
    #expect(!context.hasChanges)
    for volume in try context.fetch(FetchDescriptor<Volume>()) where volume.title != "b" {
      context.delete(volume)
      context.delete(volume)
    }
    #expect(try titles() == ["b"])
    try context.save()
    context.delete(volumes[0])
    try context.save()
    #expect(try titles() == ["b"])
  }

  @Test func `an unsaved object that is deleted leaves no trace`() throws {
    let volume = Volume("x")
    context.insert(volume)
    context.delete(volume)
    #expect(!context.insertedModelsArray.contains { $0.persistentModelID == volume.persistentModelID })
    try context.save()
    #expect(try titles() == [])
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).isEmpty)
  }

  @Test func `an actor's failing import does not reach the store`() async throws {
    let importer = await VolumeImporter.make(container)
    try await importer.load(["a"])
    await #expect(throws: CancellationError.self) { try await importer.failing(["b", "c"]) }
    #expect(await importer.pending() == 2)
    #expect(try titles() == ["a"])
    #expect(try importer.countElsewhere() == 1)
    let other = VolumeImporter(modelContainer: container, prefix: "p-")
    try await other.load(["x"])
    #expect(try titles() == ["a", "p-x"])
  }

  @Test func `a view model follows saves`() async throws {
    let model = ShelfModel(container)
    #expect(model.volumes.isEmpty)
    context.insert(Volume("b"))
    context.insert(Volume("a"))
    try context.save()
    #expect(model.volumes.map(\.title) == ["a", "b"])
    model.selection = model.volumes.first
    #expect(model.changes == 1 && model.selection?.title == "a")
    await confirmation { seen in
      withObservationTracking {
        _ = model.volumes.count
      } onChange: {
        seen()
      }
      context.insert(Volume("c"))
      model.reload()
    }
    try context.save()
    #expect(model.volumes.count == 3)
  }

  @Test func `a list of related objects is observed`() async throws {
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    try context.save()
    await confirmation { changed in
      withObservationTracking {
        _ = shelf.volumes?.count
      } onChange: {
        changed()
      }
      shelf.volumes?.append(Volume("n"))
    }
    await confirmation { changed in
      withObservationTracking {
        _ = shelf.volumes?.map(\.title)
      } onChange: {
        changed()
      }
      Volume("m").shelf = shelf
    }
    #expect(shelf.volumes?.count == 2)
  }

  @Test func `a fetch in batches gives what a fetch gives`() throws {
    for n in 0..<25 { context.insert(Volume("v\(n)", pages: n)) }
    try context.save()
    let descriptor = FetchDescriptor<Volume>(predicate: #Predicate { $0.pages >= 5 }, sortBy: [SortDescriptor(\.pages)])
    let results = try context.fetch(descriptor, batchSize: 8)
    #expect(results.count == 20 && results.first?.pages == 5 && results.last?.pages == 24 && results[3].pages == 8)
    #expect(results.map(\.pages) == Array(5..<25))
    var seen: [Int] = []
    try context.enumerate(descriptor, batchSize: 4) { seen.append($0.pages) }
    #expect(seen == Array(5..<25))
    let ids = try context.fetchIdentifiers(descriptor, batchSize: 3)
    #expect(ids.count == 20 && (context.model(for: ids[19]) as? Volume)?.pages == 24)
    for volume in results where volume.pages.isMultiple(of: 2) { volume.title += "!" }
    try context.save()
    #expect(try titles(#Predicate { $0.title.contains("!") }).count == 10)
    #expect(try titles(#Predicate { $0.pages % 10 == 4 }, [.init(\.pages, order: .reverse)]) == ["v24!", "v14!", "v4"])
  }

  @Test func `titles are sorted in memory as in the store`() throws {
    for title in ["Chapter 10", "chapter 2", "Éclair", "eclair", "Zebra", "Chapter 1", "äpfel"] {
      context.insert(Volume(title))
    }
    #expect(try titles().filter { $0.hasPrefix("C") || $0.hasPrefix("c") } == ["Chapter 1", "chapter 2", "Chapter 10"])
    let all = try context.fetch(FetchDescriptor<Volume>())
    let sorted = try titles()
    #expect(all.map(\.title).sorted(using: .localizedStandard) == sorted)
    #expect(all.map(\.title).sorted(using: String.StandardComparator.localizedStandard) == sorted)
    #expect(all.sorted(using: KeyPathComparator(\.title, comparator: .localizedStandard)).map(\.title) == sorted)
    #expect(
      all.sorted(using: KeyPathComparator(\.title, comparator: .localizedStandard, order: .reverse)).map(\.title)
        == sorted.reversed())
    #expect(
      try titles(nil, [SortDescriptor(\.title, comparator: String.StandardComparator.localizedStandard)]) == sorted)
    #expect(try titles(nil, [SortDescriptor(\.title, comparator: .localized, order: .reverse)]) == sorted.reversed())
    #expect(try titles(nil, [SortDescriptor(\.title, comparator: .lexical)]).first == "Chapter 1")
    #expect(all.sorted(using: SortDescriptor(\.title)).map(\.title) == (try titles()))
    var backwards = String.StandardComparator.localizedStandard
    backwards.order = .reverse
    #expect(all.map(\.title).sorted(using: backwards) == sorted.reversed())
    #expect(try titles(nil, [SortDescriptor(\.title, comparator: backwards)]) == sorted.reversed())
  }

  @Test func `a fetch takes part in what is pending, or does not`() throws {
    context.autosaveEnabled = false
    context.insert(Volume("saved", pages: 1))
    try context.save()
    context.insert(Volume("new", pages: 2))
    let saved = try #require(try context.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.pages == 1 })).first)
    saved.pages = 10
    var descriptor = FetchDescriptor<Volume>(predicate: #Predicate { $0.pages < 5 })
    #expect(try context.fetch(descriptor).map(\.title) == ["new"])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == ["saved"])
    #expect(try context.fetchCount(descriptor) == 1)
    context.delete(saved)
    #expect(try titles() == ["new"])
    context.rollback()
    #expect(try titles() == ["saved"] && saved.pages == 1)
  }
}
