import Foundation
public import Tandem

/// A thing to do every day.
@Model public final class Habit {
  @Attribute(.unique) public var name: String
  @Relationship(deleteRule: .cascade, inverse: \KeptDay.habit) public var days: [KeptDay] = []

  public init(name: String) { self.name = name }

  /// Marks a day once, however often it is asked to.
  public func keep(on day: String) {
    guard !days.contains(where: { $0.date == day }) else { return }
    days.append(KeptDay(date: day))
  }

  /// `Run: 3 days`, as the app and the widget show it.
  public var line: String { "\(name): \(days.count) \(days.count == 1 ? "day" : "days")" }
}

/// A day on which a habit was kept.
@Model public final class KeptDay {
  /// As 2026-11-26, in the time zone of the person.
  public var date: String
  public var habit: Habit?

  public init(date: String) { self.date = date }
}

/// The store that the app and the widget share.
public enum HabitStore {
  /// - Parameter allowsSave: The widget only shows; it neither makes nor changes the store.
  public static func container(allowsSave: Bool) throws -> ModelContainer {
    let configuration = ModelConfiguration(
      "Habits", allowsSave: allowsSave, groupContainer: .identifier("group.org.example.habits"))
    return try ModelContainer(for: Habit.self, KeptDay.self, configurations: configuration)
  }

  public static func habits(in context: ModelContext) throws -> [Habit] {
    try context.fetch(FetchDescriptor<Habit>(sortBy: [SortDescriptor(\.name)]))
  }
}
