import Foundation
import SwiftData
import Testing

// Predicates that go beyond one closure: expressions, compositions at run time, evaluation in memory.

@Model
final class Vacation {
  #Unique<Vacation>([\.name, \.startDate, \.endDate])
  #Index<Vacation>([\.name], [\.startDate], [\.endDate], [\.name, \.startDate, \.endDate])

  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  var budget: Double
  var spent: Double?
  var nights: Int
  @Relationship(deleteRule: .cascade, inverse: \Wish.vacation) var bucketList: [Wish] = []

  init(_ name: String, to destination: String, from start: Int, to end: Int, budget: Double = 0) {
    self.name = name
    self.destination = destination
    startDate = Date(timeIntervalSince1970: Double(start) * 86_400)
    endDate = Date(timeIntervalSince1970: Double(end) * 86_400)
    self.budget = budget
    nights = end - start
  }
}

@Model
final class Wish {
  var title: String
  var isInPlan: Bool
  var cost: Int
  var vacation: Vacation?

  init(_ title: String, isInPlan: Bool = false, cost: Int = 0) {
    self.title = title
    self.isInPlan = isInPlan
    self.cost = cost
  }
}

/// What a filter sheet edits.
struct VacationFilter {
  enum Match { case all, any }
  var name: String?
  var minimumBudget: Double?
  var endsBefore: Date?
  var match = Match.all

  /// Each condition that is set, and all of them put together by hand.
  var predicate: Predicate<Vacation> {
    var conditions: [Predicate<Vacation>] = []
    if let name { conditions.append(#Predicate { $0.name.localizedStandardContains(name) }) }
    if let minimumBudget { conditions.append(#Predicate { $0.budget >= minimumBudget }) }
    if let endsBefore { conditions.append(#Predicate { $0.endDate < endsBefore }) }
    guard let first = conditions.first else { return .true }
    let isAll = match == .all
    return conditions.dropFirst().reduce(first) { left, right in
      isAll
        ? #Predicate { left.evaluate($0) && right.evaluate($0) }
        : #Predicate { left.evaluate($0) || right.evaluate($0) }
    }
  }
}

@MainActor
struct DynamicPredicateTutorialTests {
  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Vacation.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = container.mainContext
    let alps = Vacation("Alps", to: "Innsbruck", from: 10, to: 20, budget: 900)
    let coast = Vacation("Coast", to: "Odesa", from: 15, to: 18, budget: 400)
    let city = Vacation("City break", to: "Lviv", from: 30, to: 32, budget: 250)
    for vacation in [alps, coast, city] { context.insert(vacation) }
    alps.bucketList = [Wish("Ski", isInPlan: true, cost: 300), Wish("Sauna", cost: 40)]
    coast.bucketList = [Wish("Dive", isInPlan: true, cost: 120)]
    city.bucketList = [Wish("Opera", cost: 50), Wish("Coffee", cost: 5), Wish("Museum", isInPlan: true, cost: 10)]
    coast.spent = 420
    alps.spent = 100
    try context.save()
  }

  private func names(_ predicate: Predicate<Vacation>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.startDate)])).map(\.name)
  }

  @Test func `an expression counts what is not in the plan`() throws {
    let today = Date(timeIntervalSince1970: 16 * 86_400)
    let unplanned = #Expression<[Wish], Int> { wishes in
      wishes.filter { !$0.isInPlan }.count
    }
    let currentWithWishes = #Predicate<Vacation> { vacation in
      (vacation.startDate..<vacation.endDate).contains(today)
        && unplanned.evaluate(vacation.bucketList) > 0
    }
    #expect(try names(currentWithWishes) == ["Alps"])
    #expect(try names(#Predicate { unplanned.evaluate($0.bucketList) == 2 }) == ["City break"])
    #expect(try names(#Predicate { ($0.startDate..<$0.endDate).contains(today) }) == ["Alps", "Coast"])
    #expect(try names(#Predicate { ($0.startDate...$0.endDate).contains(today) && $0.nights < 5 }) == ["Coast"])
  }

  @Test func `conditions that are set are put together`() throws {
    #expect(try names(VacationFilter().predicate) == ["Alps", "Coast", "City break"])
    #expect(try names(VacationFilter(name: "c").predicate) == ["Coast", "City break"])
    #expect(try names(VacationFilter(name: "c", minimumBudget: 300).predicate) == ["Coast"])
    let early = Date(timeIntervalSince1970: 19 * 86_400)
    #expect(try names(VacationFilter(name: "alps", endsBefore: early, match: .any).predicate) == ["Alps", "Coast"])
    #expect(try names(VacationFilter(name: "alps", endsBefore: early).predicate) == [])
    #expect(
      try names(VacationFilter(name: "x", minimumBudget: 300, endsBefore: early, match: .any).predicate)
        == ["Alps", "Coast"])
  }

  @Test func `a predicate is built of expressions by hand`() throws {
    let minimum = 300.0
    let byHand = Predicate<Vacation>({ vacation in
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(
          root: PredicateExpressions.build_Arg(vacation), keyPath: \.budget),
        rhs: PredicateExpressions.build_Arg(minimum),
        op: .greaterThan)
    })
    #expect(try names(byHand) == ["Alps", "Coast"])

    func both(
      _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
    ) -> any StandardPredicateExpression<Bool> {
      PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
    }
    let dynamic = Predicate<Vacation> { vacation in
      let parts: [any StandardPredicateExpression<Bool>] = [
        PredicateExpressions.build_Comparison(
          lhs: PredicateExpressions.build_KeyPath(root: vacation, keyPath: \.nights),
          rhs: PredicateExpressions.build_Arg(2), op: .greaterThan),
        PredicateExpressions.build_NotEqual(
          lhs: PredicateExpressions.build_KeyPath(root: vacation, keyPath: \.destination),
          rhs: PredicateExpressions.build_Arg("Odesa")),
      ]
      var result = parts[0]
      for part in parts.dropFirst() { result = both(result, part) }
      return result
    }
    #expect(try names(dynamic) == ["Alps"])
  }

  @Test func `predicates evaluate objects in memory as the store does`() throws {
    let all = try context.fetch(FetchDescriptor<Vacation>(sortBy: [SortDescriptor(\.startDate)]))
    let text = "OA"
    let predicates: [Predicate<Vacation>] = [
      #Predicate { $0.name.localizedStandardContains(text) },
      #Predicate { $0.bucketList.contains { $0.cost > 100 } },
      #Predicate { $0.spent ?? 0 > $0.budget },
      #Predicate { $0.spent == nil && $0.nights > 2 },
      #Predicate { ($0.nights * 2) - 1 == 5 && $0.budget / 2 > 100 },
      #Predicate { $0.nights % 2 == 0 ? $0.budget > 500 : $0.budget < 500 },
      #Predicate { $0.destination.starts(with: "L") || $0.destination.caseInsensitiveCompare("odesa") == .orderedSame },
    ]
    let expected = [
      ["Coast"], ["Alps", "Coast"], ["Coast"], [], ["Coast"], ["Alps", "Coast"], ["Coast", "City break"],
    ]
    for (predicate, names) in zip(predicates, expected) {
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.name) == names)
      #expect(try self.names(predicate) == names)
    }
  }

  @Test func `arrays of objects are filtered and sorted by the same values`() throws {
    let all = try context.fetch(FetchDescriptor<Vacation>())
    let cheap = #Predicate<Vacation> { $0.budget < 500 }
    let orders = [SortDescriptor(\Vacation.nights), SortDescriptor(\Vacation.name, order: .reverse)]
    #expect(try all.filter(cheap).sorted(using: orders).map(\.name) == ["City break", "Coast"])
    #expect(
      all.sorted(using: SortDescriptor(\.budget, order: .reverse)).map(\.name) == ["Alps", "Coast", "City break"])
    #expect(all.sorted(using: KeyPathComparator(\.destination)).map(\.destination) == ["Innsbruck", "Lviv", "Odesa"])
    let wishes = all.flatMap(\.bucketList).filter { !$0.isInPlan }.sorted { $0.cost > $1.cost }
    #expect(wishes.map(\.title) == ["Opera", "Sauna", "Coffee"])
  }

  @Test func `sums of related objects are computed in memory and compared in the store`() throws {
    let all = try context.fetch(FetchDescriptor<Vacation>(sortBy: [SortDescriptor(\.startDate)]))
    #expect(all.map { $0.bucketList.reduce(0) { $0 + $1.cost } } == [340, 120, 65])
    #expect(all.compactMap(\.spent).reduce(0, +) == 520)
    let planned = #Expression<Vacation, Int> { $0.bucketList.filter { $0.isInPlan && $0.cost < 200 }.count }
    #expect(try names(#Predicate { planned.evaluate($0) == 1 }) == ["Coast", "City break"])
    #expect(try planned.evaluate(all[0]) == 0)
  }

  @Test func `values together are unique, and an insert with the same ones updates`() throws {
    let again = Vacation("Coast", to: "Chornomorsk", from: 15, to: 18, budget: 1)
    context.insert(again)
    context.insert(Vacation("Coast", to: "Koblevo", from: 16, to: 18, budget: 2))
    try context.save()
    let coasts = FetchDescriptor<Vacation>(
      predicate: #Predicate { $0.name == "Coast" }, sortBy: [SortDescriptor(\.budget)])
    #expect(try context.fetch(coasts).map(\.destination) == ["Chornomorsk", "Koblevo"])
    #expect(try context.fetchCount(FetchDescriptor<Vacation>()) == 4)
  }
}
