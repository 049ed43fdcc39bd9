import Foundation
import SwiftData
import Testing

// Money: aggregates, sections, days and months, descriptors with every member.

@Model
final class Expense {
  #Index<Expense>([\.date], [\.category], [\.category, \.date])

  var name: String
  var amount: Decimal
  var date: Date
  var category: Category
  var payment: Payment
  @Relationship(inverse: \Label.expenses) var labels: [Label] = []

  enum Category: String, Codable, CaseIterable, Comparable {
    case food = "Food"
    case rent = "Rent"
    case travel = "Travel"

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  enum Payment: Codable, Hashable {
    case cash
    case card(lastDigits: String)
    case transfer(iban: String, isInstant: Bool)
  }

  init(name: String, amount: Decimal, date: Date, category: Category, payment: Payment = .cash) {
    self.name = name
    self.amount = amount
    self.date = date
    self.category = category
    self.payment = payment
  }
}

@Model
final class Label {
  @Attribute(.unique) var text: String
  var expenses: [Expense] = []

  init(_ text: String) { self.text = text }
}

struct MonthlyTotal: Equatable {
  let month: Date
  let total: Decimal
}

@MainActor
struct BudgetTutorialTests {
  private let context: ModelContext
  private var calendar = Calendar(identifier: .gregorian)

  init() throws {
    calendar.timeZone = .gmt
    let container = try ModelContainer(
      for: Expense.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = container.mainContext
    try add("Bread", "3.20", 2024, 1, 30, .food, .cash)
    try add("Train", "41.75", 2024, 1, 31, .travel, .card(lastDigits: "4242"))
    try add("Rent", "900", 2024, 2, 1, .rent, .transfer(iban: "DE00", isInstant: false))
    try add("Apples", "4.10", 2024, 2, 1, .food, .card(lastDigits: "4242"))
    try add("Bus", "2.95", 2024, 2, 29, .travel, .cash)
    try add("Rent", "910", 2024, 3, 1, .rent, .transfer(iban: "DE00", isInstant: true))
    try context.save()
  }

  private func day(_ year: Int, _ month: Int, _ day: Int, hour: Int = 12) throws -> Date {
    try #require(calendar.date(from: DateComponents(year: year, month: month, day: day, hour: hour)))
  }

  private func add(
    _ name: String, _ amount: String, _ year: Int, _ month: Int, _ day: Int, _ category: Expense.Category,
    _ payment: Expense.Payment
  ) throws {
    context.insert(
      Expense(
        name: name, amount: try #require(Decimal(string: amount)), date: try self.day(year, month, day),
        category: category, payment: payment))
  }

  private func names(_ predicate: Predicate<Expense>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.date), SortDescriptor(\.name)]))
      .map(\.name)
  }

  private func total(_ expenses: [Expense]) -> Decimal { expenses.reduce(0) { $0 + $1.amount } }

  @Test func `totals are exact and are grouped by category`() throws {
    let all = try context.fetch(FetchDescriptor<Expense>())
    #expect(total(all) == Decimal(string: "1862"))
    let byCategory = Dictionary(grouping: all, by: \.category)
    #expect(byCategory.keys.sorted() == [.food, .rent, .travel])
    #expect(byCategory.mapValues(\.count) == [.food: 2, .rent: 2, .travel: 2])
    #expect(byCategory[.food].map(total) == Decimal(string: "7.3"))
    #expect(byCategory[.travel].map(total) == Decimal(string: "44.7"))
  }

  @Test func `a month is an interval of dates`() throws {
    let february = try #require(calendar.dateInterval(of: .month, for: try day(2024, 2, 10)))
    let (start, end) = (february.start, february.end)
    #expect(try names(#Predicate { $0.date >= start && $0.date < end }) == ["Apples", "Rent", "Bus"])
    let range = start..<end
    #expect(try names(#Predicate { range.contains($0.date) }) == ["Apples", "Rent", "Bus"])
    #expect(try names(#Predicate { (start...end).contains($0.date) && $0.amount < 4 }) == ["Bus"])
    let leapDay = try day(2024, 2, 29, hour: 20)
    let (morning, night) = (calendar.startOfDay(for: leapDay), calendar.startOfDay(for: try day(2024, 3, 1)))
    #expect(try names(#Predicate<Expense> { $0.date >= morning && $0.date < night }) == ["Bus"])
  }

  @Test func `a chart groups by month`() throws {
    let expenses = try context.fetch(FetchDescriptor<Expense>(sortBy: [SortDescriptor(\.date)]))
    let grouped = Dictionary(grouping: expenses) { expense in
      calendar.date(from: calendar.dateComponents([.year, .month], from: expense.date)) ?? expense.date
    }
    let months = grouped.map { MonthlyTotal(month: $0.key, total: total($0.value)) }.sorted { $0.month < $1.month }
    #expect(
      months == [
        MonthlyTotal(month: try day(2024, 1, 1, hour: 0), total: try #require(Decimal(string: "44.95"))),
        MonthlyTotal(month: try day(2024, 2, 1, hour: 0), total: try #require(Decimal(string: "907.05"))),
        MonthlyTotal(month: try day(2024, 3, 1, hour: 0), total: 910),
      ])
    let sections = Dictionary(grouping: expenses) { calendar.startOfDay(for: $0.date) }.sorted { $0.key > $1.key }
    #expect(
      sections.map { $0.value.map(\.name).sorted() } == [["Rent"], ["Bus"], ["Apples", "Rent"], ["Train"], ["Bread"]])
  }

  @Test func `optional inputs of a form make one predicate`() throws {
    func search(
      category: Expense.Category? = nil, minimum: Decimal? = nil, from: Date? = nil, text: String = ""
    ) throws -> [String] {
      let anyCategory = category == nil
      let chosen = category ?? .food
      let least = minimum ?? 0
      let start = from ?? .distantPast
      return try names(
        #Predicate<Expense> { expense in
          (anyCategory || expense.category == chosen) && expense.amount >= least && expense.date >= start
            && (text.isEmpty || expense.name.localizedStandardContains(text))
        })
    }
    #expect(try search() == ["Bread", "Train", "Apples", "Rent", "Bus", "Rent"])
    #expect(try search(category: .travel) == ["Train", "Bus"])
    #expect(try search(category: .travel, minimum: 10) == ["Train"])
    #expect(try search(from: try day(2024, 2, 2)) == ["Bus", "Rent"])
    #expect(try search(minimum: 4, text: "A") == ["Train", "Apples"])
    #expect(try search(category: .food, text: "rent") == [])
  }

  @Test func `predicates are put together from smaller ones`() throws {
    let food = Expense.Category.food
    var conditions: [Predicate<Expense>] = [#Predicate { $0.category != food }]
    conditions.append(#Predicate { $0.amount < 1_000 })
    let text = "e"
    conditions.append(#Predicate { $0.name.contains(text) })
    let all = conditions.reduce(Predicate<Expense>.true) { result, next in
      #Predicate<Expense> { result.evaluate($0) && next.evaluate($0) }
    }
    #expect(try names(all) == ["Rent", "Rent"])
    let either = conditions.reduce(Predicate<Expense>.false) { result, next in
      #Predicate<Expense> { result.evaluate($0) || next.evaluate($0) }
    }
    #expect(try names(either).count == 6)
    let rent = Expense(name: "Rent", amount: 1, date: .now, category: .rent)
    #expect(try all.evaluate(rent))
    rent.name = "Loan"
    #expect(try !all.evaluate(rent))
  }

  @Test func `a descriptor with every member`() throws {
    let rent = Expense.Category.rent
    var descriptor = FetchDescriptor<Expense>(
      predicate: #Predicate { $0.category != rent }, sortBy: [SortDescriptor(\.amount, order: .reverse)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    descriptor.includePendingChanges = true
    descriptor.propertiesToFetch = [\.name, \.amount]
    descriptor.relationshipKeyPathsForPrefetching = [\.labels]
    #expect(try context.fetch(descriptor).map(\.name) == ["Apples", "Bread"])
    context.insert(Expense(name: "Flight", amount: 200, date: try day(2024, 5, 1), category: .travel))
    #expect(try context.fetch(descriptor).map(\.name) == ["Train", "Apples"])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.name) == ["Apples", "Bread"])
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.name) == ["Bus"])
    descriptor.fetchOffset = nil
    descriptor.fetchLimit = nil
    #expect(try context.fetchCount(descriptor) == 4)
    #expect(try context.fetchIdentifiers(descriptor).count == 4)
  }

  @Test func `cases with values come back as they were`() throws {
    let payments = try ModelContext(context.container)
      .fetch(FetchDescriptor<Expense>(sortBy: [SortDescriptor(\.date), SortDescriptor(\.name)])).map(\.payment)
    #expect(
      payments == [
        .cash, .card(lastDigits: "4242"), .card(lastDigits: "4242"), .transfer(iban: "DE00", isInstant: false), .cash,
        .transfer(iban: "DE00", isInstant: true),
      ])
  }

  @Test func `pages follow each other without gaps`() throws {
    var pages: [[String]] = []
    var descriptor = FetchDescriptor<Expense>(sortBy: [SortDescriptor(\.date), SortDescriptor(\.amount)])
    descriptor.fetchLimit = 4
    repeat {
      descriptor.fetchOffset = pages.count * 4
      pages.append(try context.fetch(descriptor).map(\.name))
    } while pages.last?.count == 4
    #expect(pages == [["Bread", "Train", "Apples", "Rent"], ["Bus", "Rent"]])
  }

  @Test func `labels are added and removed on both sides`() throws {
    let expenses = try context.fetch(FetchDescriptor<Expense>(sortBy: [.init(\.amount)]))
    let (monthly, personal) = (Label("monthly"), Label("private"))
    context.insert(monthly)
    expenses[0].labels.append(personal)
    expenses[5].labels = [monthly, personal]
    monthly.expenses.append(expenses[4])
    #expect(Set(personal.expenses) == [expenses[0], expenses[5]])
    #expect(expenses[4].labels == [monthly])
    try context.save()
    let labelled = FetchDescriptor<Expense>(
      predicate: #Predicate { $0.labels.contains { $0.text == "monthly" } }, sortBy: [.init(\.amount)])
    #expect(try ModelContext(context.container).fetch(labelled).map(\.amount) == [900, 910])
    expenses[5].labels.removeAll(where: { $0 == monthly })
    #expect(monthly.expenses.map(\.amount) == [900])
    context.delete(personal)
    try context.save()
    #expect(expenses[5].labels.isEmpty && expenses[0].labels.isEmpty)
  }
}
