public import Foundation
import Observation
public import SwiftData
import Testing

// Layers between views and store: repositories behind protocols, generic helpers, actors with their own initialisers.

@Model
public final class Habit {
  @Attribute(.unique) public private(set) var id: UUID
  public var title: String
  public var `repeat`: Frequency
  public internal(set) var createdAt: Date
  @Relationship(deleteRule: .cascade, inverse: \HabitEntry.habit) public var entries: [HabitEntry]

  static let maximumTitleLength = 20
  public static var defaultTitle: String { "New habit" }

  public enum Frequency: String, Codable, Sendable, CaseIterable { case daily, weekly }

  public init(
    id: UUID = UUID(), title: String = Habit.defaultTitle, repeat frequency: Frequency = .daily,
    createdAt: Date = .now, entries: [HabitEntry] = []
  ) {
    self.id = id
    self.title = String(title.prefix(Self.maximumTitleLength))
    self.repeat = frequency
    self.createdAt = createdAt
    self.entries = entries
  }

  public convenience init(title: String, days: [Int]) {
    self.init(title: title)
    entries = days.map { HabitEntry(day: $0) }
  }

  /// The longest run of days without a gap.
  var longestStreak: Int {
    var best = 0
    var run = 0
    var previous: Int?
    for day in entries.map(\.day).sorted() {
      run = previous == day - 1 ? run + 1 : 1
      best = max(best, run)
      previous = day
    }
    return best
  }
}

@Model
public final class HabitEntry {
  public var day: Int
  public var habit: Habit?

  public init(day: Int) { self.day = day }
}

extension Habit: CustomStringConvertible {
  public var description: String { "\(title) (\(self.repeat.rawValue))" }
}

@MainActor
protocol HabitRepository {
  func habits(matching text: String?, frequency: Habit.Frequency?) throws -> [Habit]
  func habit(id: UUID) throws -> Habit?
  func add(_ habit: Habit) throws
  func remove(_ habit: Habit) throws
}

@MainActor
final class SwiftDataHabitRepository: HabitRepository {
  private let modelContext: ModelContext

  init(modelContainer: ModelContainer) { modelContext = modelContainer.mainContext }

  func habits(matching text: String?, frequency: Habit.Frequency?) throws -> [Habit] {
    var predicate: Predicate<Habit>?
    switch (text, frequency) {
    case (let text?, let frequency?):
      predicate = #Predicate { $0.title.localizedStandardContains(text) && $0.repeat == frequency }
    case (let text?, nil):
      predicate = #Predicate { $0.title.localizedStandardContains(text) }
    case (nil, let frequency?):
      predicate = #Predicate { $0.repeat == frequency }
    case (nil, nil):
      break
    }
    return try modelContext.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.createdAt)]))
  }

  func habit(id: UUID) throws -> Habit? { try modelContext.fetchFirst(#Predicate { $0.id == id }) }

  func add(_ habit: Habit) throws {
    modelContext.insert(habit)
    try modelContext.saveIfNeeded()
  }

  func remove(_ habit: Habit) throws {
    modelContext.delete(habit)
    try modelContext.saveIfNeeded()
  }
}

final class MockHabitRepository: HabitRepository {
  private(set) var stored: [Habit] = []
  func habits(matching text: String?, frequency: Habit.Frequency?) -> [Habit] { stored }
  func habit(id: UUID) -> Habit? { stored.first { $0.id == id } }
  func add(_ habit: Habit) { stored.append(habit) }
  func remove(_ habit: Habit) { stored.removeAll { $0 == habit } }
}

@MainActor
@Observable
final class HabitsViewModel {
  private(set) var habits: [Habit] = []
  private(set) var lastError: (any Error)?
  @ObservationIgnored private let repository: any HabitRepository

  init(repository: some HabitRepository) { self.repository = repository }

  func load() {
    do { habits = try repository.habits(matching: nil, frequency: nil) } catch { lastError = error }
  }

  func addHabit(_ title: String) {
    do { try repository.add(Habit(title: title)) } catch { lastError = error }
    load()
  }
}

extension ModelContext {
  func fetchFirst<T: PersistentModel>(_ predicate: Predicate<T>? = nil) throws -> T? {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  func saveIfNeeded() throws {
    guard hasChanges else { return }
    try save()
  }

  /// The object if it exists, where `model(for:)` would make one of nothing.
  func existingModel<T>(for objectID: PersistentIdentifier) throws -> T? where T: PersistentModel {
    if let registered: T = registeredModel(for: objectID) { return registered }
    let fetchDescriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == objectID })
    return try fetch(fetchDescriptor).first
  }

  func exists<T: PersistentModel>(_ type: T.Type, where predicate: Predicate<T>) throws -> Bool {
    try fetchCount(FetchDescriptor<T>(predicate: predicate)) > 0
  }
}

actor HabitHandler: ModelActor {
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let modelContainer: ModelContainer

  init(container: ModelContainer, author: String) {
    let modelContext = ModelContext(container)
    modelContext.autosaveEnabled = false
    modelContext.author = author
    modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)
    modelContainer = container
  }

  func newHabit(_ title: String) throws -> PersistentIdentifier {
    let habit = Habit(title: title)
    modelContext.insert(habit)
    try modelContext.save()
    return habit.persistentModelID
  }

  func complete(_ id: PersistentIdentifier, on day: Int) throws {
    guard let habit: Habit = try modelContext.existingModel(for: id) else { return }
    habit.entries.append(HabitEntry(day: day))
    try modelContext.save()
  }

  func streaks() throws -> [String: Int] {
    try modelContext.fetch(FetchDescriptor<Habit>()).reduce(into: [:]) { $0[$1.title] = $1.longestStreak }
  }

  var author: String? { modelContext.author }
}

@MainActor
struct RepositoryTutorialTests {
  private let container: ModelContainer

  init() throws {
    let schema = Schema([Habit.self])
    container = try ModelContainer(
      for: schema,
      configurations: [ModelConfiguration("Habits", schema: schema, isStoredInMemoryOnly: true, allowsSave: true)])
  }

  private func makeRepository() throws -> SwiftDataHabitRepository {
    let repository = SwiftDataHabitRepository(modelContainer: container)
    for (number, title) in ["Read", "Run", "Ring mum"].enumerated() {
      try repository.add(
        Habit(
          title: title, repeat: number == 2 ? .weekly : .daily, createdAt: Date(timeIntervalSince1970: Double(number))))
    }
    return repository
  }

  @Test func `a repository builds its predicate from what was given`() throws {
    let repository = try makeRepository()
    #expect(try repository.habits(matching: nil, frequency: nil).map(\.title) == ["Read", "Run", "Ring mum"])
    #expect(try repository.habits(matching: "r", frequency: .daily).map(\.title) == ["Read", "Run"])
    #expect(try repository.habits(matching: "R", frequency: .weekly).map(\.title) == ["Ring mum"])
    #expect(try repository.habits(matching: "run", frequency: nil).map(\.title) == ["Run"])
    #expect(try repository.habits(matching: nil, frequency: .weekly).map(\.description) == ["Ring mum (weekly)"])
  }

  @Test func `a repository finds by its own identifier and removes`() throws {
    let repository = try makeRepository()
    let run = try #require(try repository.habits(matching: "run", frequency: nil).first)
    #expect(try repository.habit(id: run.id) === run)
    #expect(try repository.habit(id: UUID()) == nil)
    try repository.remove(run)
    #expect(try repository.habit(id: run.id) == nil)
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Habit>()) == 2)
  }

  @Test func `a view model works with the store and with a mock`() throws {
    let real = HabitsViewModel(repository: SwiftDataHabitRepository(modelContainer: container))
    real.addHabit("Stretch")
    real.addHabit("A title that is far too long")
    #expect(real.habits.map(\.title) == ["Stretch", "A title that is far "])
    #expect(real.lastError == nil)
    #expect(!container.mainContext.hasChanges)
    let mock = MockHabitRepository()
    let faked = HabitsViewModel(repository: mock)
    faked.addHabit("Stretch")
    #expect(faked.habits.map(\.title) == ["Stretch"])
    #expect(faked.habits.first?.modelContext == nil && mock.stored.first?.entries == [])
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Habit>()) == 2)
  }

  @Test func `a convenience initialiser sets related objects`() throws {
    let habit = Habit(title: "Swim", days: [1, 2, 4, 5, 6, 9])
    #expect(habit.longestStreak == 3)
    container.mainContext.insert(habit)
    try container.mainContext.save()
    #expect(habit.longestStreak == 3)
    #expect(try container.mainContext.fetchCount(FetchDescriptor<HabitEntry>()) == 6)
    #expect(try container.mainContext.exists(HabitEntry.self, where: #Predicate { $0.habit?.title == "Swim" }))
    #expect(try !container.mainContext.exists(HabitEntry.self, where: #Predicate { $0.day > 9 }))
  }

  @Test func `an actor with an initialiser of its own`() async throws {
    let handler = HabitHandler(container: container, author: "handler")
    let id = try await handler.newHabit("Walk")
    for day in [3, 1, 2] { try await handler.complete(id, on: day) }
    #expect(try await handler.streaks() == ["Walk": 3])
    #expect(await handler.author == "handler")
    let history = try container.mainContext.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["handler", "handler", "handler", "handler"])
  }

  @Test func `an object is looked up by identifier, for any class`() throws {
    let context = container.mainContext
    let habit = Habit(title: "Sleep", days: [1])
    context.insert(habit)
    try context.save()
    let (id, entryID) = (habit.persistentModelID, try #require(habit.entries.first).persistentModelID)
    let other = ModelContext(container)
    let found: Habit? = try other.existingModel(for: id)
    #expect(found?.title == "Sleep")
    let entry: HabitEntry? = try other.existingModel(for: entryID)
    #expect(entry?.day == 1 && entry?.habit === found)
    context.delete(habit)
    try context.save()
    let third = ModelContext(container)
    #expect(try third.existingModel(for: id) as Habit? == nil)
    #expect(try third.existingModel(for: entryID) as HabitEntry? == nil)
  }

  @Test func `a task of the main actor hands identifiers to an actor and gets values back`() async throws {
    let handler = HabitHandler(container: container, author: "background")
    let ids = try await withThrowingTaskGroup(of: PersistentIdentifier.self) { group in
      for title in ["a", "b", "c"] { group.addTask { try await handler.newHabit(title) } }
      var ids: [PersistentIdentifier] = []
      for try await id in group { ids.append(id) }
      return ids
    }
    let titles = ids.compactMap { container.mainContext.model(for: $0) as? Habit }.map(\.title)
    #expect(titles.sorted() == ["a", "b", "c"])
    #expect(Set(ids).count == 3)
  }
}
