import SwiftData
import Testing

// A list of a person's subscriptions, which a widget reads too, in the two forms that its model had: amounts as doubles
// and raw texts first, exact decimals and enumerations later.

enum SubscriptionFirstForm {
  @Model final class Subscription {
    var id: UUID = UUID()
    var name: String = ""
    var amount: Double = 0
    var frequency: String = "mensuel"
    var nextBillingDate: Date = Date(timeIntervalSinceReferenceDate: 0)
    var category: String = "Personnel"

    init(name: String, amount: Double, frequency: String, nextBillingDate: Date, category: String) {
      self.name = name
      self.amount = amount
      self.frequency = frequency
      self.nextBillingDate = nextBillingDate
      self.category = category
    }

    var annualAmount: Double {
      switch frequency {
      case "hebdomadaire": amount * 52
      case "mensuel": amount * 12
      case "trimestriel": amount * 4
      default: amount
      }
    }
  }
}

enum SubscriptionSecondForm {
  enum Frequency: String, Codable, CaseIterable { case weekly, monthly, quarterly, yearly }
  enum Category: Int, Codable { case professional, personal }

  @Model final class Subscription {
    #Unique<Subscription>([\.id])
    #Index<Subscription>([\.nextBillingDate], [\.category, \.nextBillingDate])
    private(set) var id: UUID
    var name: String
    var amount: Decimal
    var frequency: Frequency
    var nextBillingDate: Date
    var category: Category
    @Attribute(.preserveValueOnDeletion) var createdAt: Date
    @Transient var isSelected: Bool = false

    init(name: String, amount: Decimal, frequency: Frequency, nextBillingDate: Date, category: Category) {
      id = UUID()
      self.name = name
      self.amount = amount
      self.frequency = frequency
      self.nextBillingDate = nextBillingDate
      self.category = category
      createdAt = nextBillingDate
    }
  }
}

private func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

@MainActor
@Suite struct SubscriptionAppTests {
  @Test func `the first form: sums by category and the next charges`() throws {
    typealias Subscription = SubscriptionFirstForm.Subscription
    let configuration = ModelConfiguration("MySubGuard", isStoredInMemoryOnly: true)
    let context = try ModelContainer(for: Subscription.self, configurations: configuration).mainContext
    for (number, frequency) in ["hebdomadaire", "mensuel", "annuel"].enumerated() {
      context.insert(
        Subscription(
          name: "S\(number)", amount: 10, frequency: frequency, nextBillingDate: day(10 - number),
          category: number == 0 ? "Pro" : "Personnel"))
    }
    try context.save()
    let pro = "Pro"
    let others = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.category != pro }))
    #expect(others.reduce(0) { $0 + $1.annualAmount } == 130)
    var next = FetchDescriptor<Subscription>(sortBy: [SortDescriptor(\.nextBillingDate), SortDescriptor(\.name)])
    next.fetchLimit = 2
    #expect(try context.fetch(next).map(\.name) == ["S2", "S1"])
    let search = "s0"
    let found = try context.fetch(
      FetchDescriptor<Subscription>(
        predicate: #Predicate { search.isEmpty || $0.name.localizedStandardContains(search) }))
    #expect(found.map(\.name) == ["S0"])
  }

  @Test func `the second form: exact sums, and a widget with its own container sees each save`() throws {
    typealias Form = SubscriptionSecondForm
    let folder = FileManager.default.temporaryDirectory.appending(path: "subscriptions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appending(path: "MySubGuard.store")
    let app = try ModelContainer(for: Form.Subscription.self, configurations: ModelConfiguration(url: url)).mainContext
    let widget = ModelContext(
      try ModelContainer(for: Form.Subscription.self, configurations: ModelConfiguration(url: url, allowsSave: false)))
    for number in 1...3 {
      app.insert(
        Form.Subscription(
          name: "S\(number)", amount: Decimal(string: "0.1")!, frequency: .monthly, nextBillingDate: day(number),
          category: number == 1 ? .professional : .personal))
    }
    try app.save()
    let personal = Form.Category.personal
    let from = day(2)
    let upcoming = FetchDescriptor<Form.Subscription>(
      predicate: #Predicate { $0.category == personal && $0.nextBillingDate >= from },
      sortBy: [SortDescriptor(\.nextBillingDate)])
    let shown = try widget.fetch(upcoming)
    #expect(shown.map(\.name) == ["S2", "S3"])
    #expect(
      try app.fetch(FetchDescriptor<Form.Subscription>()).reduce(Decimal(0)) { $0 + $1.amount }
        == Decimal(string: "0.3"))
    let first = try #require(try app.fetch(upcoming).first)
    first.nextBillingDate = day(30)
    first.isSelected = true
    try app.save()
    #expect(try widget.fetch(upcoming).map(\.name) == ["S3", "S2"])
    #expect(shown.first?.nextBillingDate == day(30))
    widget.insert(
      Form.Subscription(name: "no", amount: 1, frequency: .weekly, nextBillingDate: day(1), category: .personal))
    #expect(#expect(throws: SwiftDataError.self) { try widget.save() }?.code == .readOnly)
  }
}
