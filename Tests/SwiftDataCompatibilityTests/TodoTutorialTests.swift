import Foundation
import Observation
import SwiftData
import Testing

// A list of things to do, as tutorials build it: models, sample data, and a view model that a view would own.

enum Priority: Int, Codable, CaseIterable, Identifiable, Comparable {
  case low, normal, high

  var id: Self { self }
  static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

@Model
final class TodoItem: Identifiable {
  @Attribute(.unique) var id: UUID
  var title: String
  var notes: String
  var dueDate: Date?
  var isCompleted: Bool
  var position: Int
  private var priorityValue: Int
  @Relationship(deleteRule: .nullify) var list: TodoList?

  var priority: Priority {
    get { Priority(rawValue: priorityValue) ?? .normal }
    set { priorityValue = newValue.rawValue }
  }

  init(
    id: UUID = UUID(), title: String, notes: String = "", dueDate: Date? = nil, isCompleted: Bool = false,
    position: Int = 0, priority: Priority = .normal, list: TodoList? = nil
  ) {
    self.id = id
    self.title = title
    self.notes = notes
    self.dueDate = dueDate
    self.isCompleted = isCompleted
    self.position = position
    self.priorityValue = priority.rawValue
    self.list = list
  }
}

@Model
final class TodoList {
  #Unique<TodoList>([\.name])
  #Index<TodoList>([\.createdAt])

  var name: String
  var createdAt: Date
  @Relationship(deleteRule: .cascade, inverse: \TodoItem.list) var items: [TodoItem]?

  init(name: String, createdAt: Date = .now, items: [TodoItem]? = []) {
    self.name = name
    self.createdAt = createdAt
    self.items = items
  }

  var openItems: [TodoItem] {
    (items ?? []).filter { !$0.isCompleted }.sorted { $0.position < $1.position }
  }
}

extension TodoItem {
  static var sampleItems: [TodoItem] {
    [
      TodoItem(title: "Water plants", dueDate: Date(timeIntervalSince1970: 3_000), position: 2, priority: .high),
      TodoItem(title: "Buy milk", dueDate: Date(timeIntervalSince1970: 1_000), position: 0),
      TodoItem(title: "Call mum", isCompleted: true, position: 1, priority: .high),
      TodoItem(title: "read a book", notes: "Any milk-free one", position: 3, priority: .low),
    ]
  }

  static func overduePredicate(at date: Date) -> Predicate<TodoItem> {
    #Predicate<TodoItem> { item in
      !item.isCompleted && item.dueDate != nil && item.dueDate! < date
    }
  }
}

enum TodoFilter: String, CaseIterable {
  case all, open, done

  var predicate: Predicate<TodoItem>? {
    switch self {
    case .all: nil
    case .open: #Predicate { !$0.isCompleted }
    case .done: #Predicate { $0.isCompleted == true }
    }
  }
}

enum TodoOrder: CaseIterable {
  case manual, title, dueDate

  var descriptors: [SortDescriptor<TodoItem>] {
    switch self {
    case .manual: [SortDescriptor(\TodoItem.position)]
    case .title: [SortDescriptor(\.title, comparator: .localizedStandard, order: .forward)]
    case .dueDate: [SortDescriptor(\.dueDate, order: .reverse), SortDescriptor(\.title)]
    }
  }
}

@MainActor
final class PreviewData {
  static let shared = PreviewData()

  static let container: ModelContainer = {
    do {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: TodoList.self, TodoItem.self, configurations: configuration)
      for item in TodoItem.sampleItems { container.mainContext.insert(item) }
      return container
    } catch {
      fatalError("Failed to create the preview container: \(error.localizedDescription)")
    }
  }()

  var firstItem: TodoItem? {
    var descriptor = FetchDescriptor<TodoItem>(sortBy: [.init(\.position)])
    descriptor.fetchLimit = 1
    return try? Self.container.mainContext.fetch(descriptor).first
  }
}

@Observable
@MainActor
final class TodoViewModel {
  private let modelContext: ModelContext
  private(set) var items: [TodoItem] = []
  private(set) var errorMessage: String?
  var filter: TodoFilter = .all { didSet { fetchItems() } }
  var order: TodoOrder = .manual { didSet { fetchItems() } }
  var searchText = "" { didSet { fetchItems() } }

  init(modelContext: ModelContext) {
    self.modelContext = modelContext
    fetchItems()
  }

  func fetchItems() {
    do {
      let descriptor = FetchDescriptor<TodoItem>(predicate: filter.predicate, sortBy: order.descriptors)
      items = try modelContext.fetch(descriptor)
      guard !searchText.isEmpty else { return }
      items = items.filter {
        $0.title.localizedStandardContains(searchText) || $0.notes.localizedStandardContains(searchText)
      }
    } catch {
      errorMessage = error.localizedDescription
    }
  }

  func add(title: String, priority: Priority = .normal) {
    let last = items.map(\.position).max() ?? -1
    modelContext.insert(TodoItem(title: title, position: last + 1, priority: priority))
    fetchItems()
  }

  func toggle(_ item: TodoItem) {
    item.isCompleted.toggle()
    fetchItems()
  }

  func delete(at offsets: IndexSet) {
    for offset in offsets {
      modelContext.delete(items[offset])
    }
    fetchItems()
  }

  func move(from source: Int, to destination: Int) {
    var reordered = items
    reordered.insert(reordered.remove(at: source), at: destination)
    for (index, item) in reordered.enumerated() {
      item.position = index
    }
    fetchItems()
  }
}

@MainActor
struct TodoTutorialTests {
  private func makeContext(inserting samples: [TodoItem] = TodoItem.sampleItems) throws -> ModelContext {
    let container = try ModelContainer(
      for: TodoItem.self, TodoList.self, configurations: .init(isStoredInMemoryOnly: true))
    samples.forEach { container.mainContext.insert($0) }
    return container.mainContext
  }

  @Test func `a view model lists, filters and orders`() throws {
    let model = TodoViewModel(modelContext: try makeContext())
    #expect(model.items.map(\.title) == ["Buy milk", "Call mum", "Water plants", "read a book"])
    model.filter = .open
    #expect(model.items.map(\.title) == ["Buy milk", "Water plants", "read a book"])
    model.order = .title
    #expect(model.items.map(\.title) == ["Buy milk", "read a book", "Water plants"])
    model.order = .dueDate
    #expect(model.items.map(\.title) == ["Water plants", "Buy milk", "read a book"])
    model.filter = .done
    #expect(model.items.map(\.title) == ["Call mum"])
    model.filter = .all
    model.searchText = "MILK"
    #expect(model.items.map(\.title) == ["Buy milk", "read a book"])
    #expect(model.errorMessage == nil)
  }

  @Test func `a view model adds, toggles, moves and deletes`() throws {
    let context = try makeContext()
    let model = TodoViewModel(modelContext: context)
    model.add(title: "Sweep", priority: .high)
    #expect(model.items.last?.title == "Sweep" && model.items.last?.position == 4)
    #expect(model.items.last?.priority == .high)
    model.toggle(model.items[0])
    #expect(model.items[0].isCompleted)
    model.move(from: 4, to: 0)
    #expect(model.items.map(\.title) == ["Sweep", "Buy milk", "Call mum", "Water plants", "read a book"])
    #expect(model.items.map(\.position) == [0, 1, 2, 3, 4])
    model.delete(at: IndexSet([1, 3]))
    #expect(model.items.map(\.title) == ["Sweep", "Call mum", "read a book"])
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<TodoItem>()) == 3)
  }

  @Test func `overdue items are those with a date that has passed`() throws {
    let context = try makeContext()
    let descriptor = FetchDescriptor(
      predicate: TodoItem.overduePredicate(at: Date(timeIntervalSince1970: 2_000)), sortBy: [SortDescriptor(\.title)])
    #expect(try context.fetch(descriptor).map(\.title) == ["Buy milk"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: TodoItem.overduePredicate(at: .distantFuture))) == 2)
    #expect(try context.fetchCount(FetchDescriptor(predicate: TodoItem.overduePredicate(at: .distantPast))) == 0)
  }

  @Test func `a raw value stands for a case, and objects are sorted by it in memory`() throws {
    let items = try makeContext().fetch(FetchDescriptor<TodoItem>(sortBy: [SortDescriptor(\.position)]))
    #expect(items.map(\.priority) == [.normal, .high, .high, .low])
    let sorted = items.sorted { ($0.priority, $1.title) > ($1.priority, $0.title) }
    #expect(sorted.map(\.title) == ["Call mum", "Water plants", "Buy milk", "read a book"])
    let grouped = Dictionary(grouping: items, by: \.priority).mapValues(\.count)
    #expect(grouped == [.low: 1, .normal: 1, .high: 2])
    items[3].priority = .high
    #expect(items[3].priority == .high && items[3].hasChanges)
  }

  @Test func `a list owns its items`() throws {
    let context = try makeContext(inserting: [])
    let home = TodoList(name: "Home", items: TodoItem.sampleItems)
    let work = TodoList(name: "Work")
    context.insert(home)
    context.insert(work)
    try context.save()
    #expect(home.openItems.map(\.title) == ["Buy milk", "Water plants", "read a book"])
    #expect(home.items?.allSatisfy { $0.list == home } == true)
    let moved = try #require(home.openItems.first)
    moved.list = work
    #expect(home.openItems.map(\.title) == ["Water plants", "read a book"] && work.items == [moved])
    work.items?.append(TodoItem(title: "Mail"))
    let inWork = FetchDescriptor<TodoItem>(
      predicate: #Predicate { $0.list?.name == "Work" }, sortBy: [SortDescriptor(\.title)])
    #expect(try context.fetch(inWork).map(\.title) == ["Buy milk", "Mail"])
    context.delete(home)
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<TodoItem>(sortBy: [.init(\.title)])).map(\.title) == ["Buy milk", "Mail"])
    #expect(try context.fetch(FetchDescriptor<TodoList>()).map(\.name) == ["Work"])
  }

  @Test func `an optional list of items is asked in a predicate`() throws {
    let context = try makeContext(inserting: [])
    context.insert(TodoList(name: "Full", items: TodoItem.sampleItems))
    context.insert(TodoList(name: "Empty"))
    func names(_ predicate: Predicate<TodoList>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    let title = "Call mum"
    #expect(try names(#Predicate { $0.items?.isEmpty == false }) == ["Full"])
    #expect(try names(#Predicate { $0.items?.contains(where: { $0.title == title }) == true }) == ["Full"])
    #expect(try names(#Predicate { $0.items.flatMap { $0.count > 3 } ?? false }) == ["Full"])
    let bound = #Predicate<TodoList> { list in
      if let items = list.items { items.filter { $0.isCompleted }.count == 0 } else { false }
    }
    #expect(try names(bound) == ["Empty"])
  }

  @Test func `a preview container is made once and holds its samples`() throws {
    let context = PreviewData.container.mainContext
    #expect(try context.fetchCount(FetchDescriptor<TodoItem>()) == 4)
    #expect(PreviewData.shared.firstItem?.title == "Buy milk")
    #expect(context === PreviewData.container.mainContext)
    #expect(PreviewData.container.configurations.first?.isStoredInMemoryOnly == true)
  }

  @Test func `the first launch seeds the store and the second does not`() throws {
    let folder = URL.temporaryDirectory.appending(path: "seed-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }

    func launch() throws -> [String] {
      let schema = Schema([TodoItem.self, TodoList.self])
      let configuration = ModelConfiguration(schema: schema, url: folder.appending(path: "Todo.store"))
      let container = try ModelContainer(for: schema, configurations: [configuration])
      var existing = FetchDescriptor<TodoItem>()
      existing.fetchLimit = 1
      if try container.mainContext.fetch(existing).count == 0 {
        for item in TodoItem.sampleItems { container.mainContext.insert(item) }
        try container.mainContext.save()
      }
      return try container.mainContext.fetch(FetchDescriptor<TodoItem>(sortBy: [SortDescriptor(\.position)]))
        .map(\.title)
    }
    let expected = ["Buy milk", "Call mum", "Water plants", "read a book"]
    #expect(try launch() == expected)
    #expect(try launch() == expected)
  }

  @Test(arguments: zip(TodoFilter.allCases, [4, 3, 1]))
  func `each filter counts its items`(filter: TodoFilter, count: Int) throws {
    #expect(try makeContext().fetchCount(FetchDescriptor(predicate: filter.predicate)) == count)
  }

  @Test func `a view that reads a property hears of its change`() async throws {
    let item = try #require(try makeContext().fetch(FetchDescriptor<TodoItem>()).first)
    await confirmation(expectedCount: 1) { changed in
      withObservationTracking {
        _ = item.title
      } onChange: {
        changed()
      }
      item.notes = "unrelated"
      item.title = "Renamed"
      item.title = "Renamed again"
    }
    #expect(item.title == "Renamed again")
  }
}
