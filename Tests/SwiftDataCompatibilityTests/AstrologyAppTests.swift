import SwiftData
import Testing

// An app for birth charts and paid reports, in the two forms that its models had: first everything on one class per
// noun with raw values, then versioned, with enumerations, composed values and credits of their own.

enum AstrologySchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [
    User.self, BirthChart.self, ReportPurchase.self, PurchaseCredit.self,
  ]

  @Model final class User {
    @Attribute(.unique) var id: UUID
    var createdAt: Date
    @Relationship(deleteRule: .cascade, inverse: \BirthChart.user) var charts: [BirthChart] = []
    init(id: UUID = UUID(), createdAt: Date) {
      self.id = id
      self.createdAt = createdAt
    }
  }

  @Model final class BirthChart {
    @Attribute(.unique) var id: UUID
    var name: String
    var birthDate: Date
    var birthTime: Date
    var locationName: String
    var latitude: Double
    var longitude: Double
    @Attribute(.externalStorage) var chartDataJSON: String
    var user: User?
    @Relationship(deleteRule: .cascade, inverse: \ReportPurchase.chart) var reports: [ReportPurchase] = []
    init(name: String, birthDate: Date, latitude: Double = 49.84, longitude: Double = 24.03, json: String = "{}") {
      id = UUID()
      self.name = name
      self.birthDate = birthDate
      birthTime = birthDate
      locationName = "Lviv"
      self.latitude = latitude
      self.longitude = longitude
      chartDataJSON = json
    }
  }

  @Model final class ReportPurchase {
    @Attribute(.unique) var id: UUID
    var area: String
    var reportText: String
    var price: Decimal
    var purchaseDate: Date
    var chart: BirthChart?
    init(area: String, text: String, price: Decimal, date: Date) {
      id = UUID()
      self.area = area
      reportText = text
      self.price = price
      purchaseDate = date
    }
  }

  @Model final class PurchaseCredit {
    @Attribute(.unique) var transactionID: String
    var purchaseDate: Date
    var isConsumed: Bool = false
    var consumedDate: Date?
    init(transactionID: String, purchaseDate: Date) {
      self.transactionID = transactionID
      self.purchaseDate = purchaseDate
    }
  }
}

enum AstrologySchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static let models: [any PersistentModel.Type] = [Profile.self, Chart.self, Report.self, Purchase.self, Credit.self]

  enum Area: String, Codable, CaseIterable { case personality, career, relationship, wellness }
  enum Language: String, Codable { case english = "en", ukrainian = "uk" }
  struct BirthPlace: Codable, Hashable {
    var name: String
    var latitude: Double
    var longitude: Double
    var timeZone: String
  }
  struct Planet: Codable, Hashable {
    var name: String
    var longitude: Double
  }

  @Model final class Profile {
    #Index<Profile>([\.name])
    @Attribute(.unique) var id: UUID
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Chart.profile) var chart: Chart?
    @Relationship(deleteRule: .cascade, inverse: \Report.profile) var reports: [Report] = []
    init(name: String) {
      id = UUID()
      self.name = name
    }
  }

  @Model final class Chart {
    var birthDate: Date
    var place: BirthPlace
    var planets: [Planet]
    var profile: Profile?
    init(birthDate: Date, place: BirthPlace, planets: [Planet]) {
      self.birthDate = birthDate
      self.place = place
      self.planets = planets
    }
  }

  @Model final class Report {
    #Index<Report>([\.area, \.generatedAt])
    private(set) var area: Area
    private(set) var language: Language
    private(set) var text: String
    private(set) var generatedAt: Date
    var profile: Profile?
    @Relationship(inverse: \Credit.report) var credit: Credit?
    init(area: Area, language: Language, text: String, generatedAt: Date) {
      self.area = area
      self.language = language
      self.text = text
      self.generatedAt = generatedAt
    }
  }

  @Model final class Purchase {
    #Unique<Purchase>([\.environment, \.transactionID])
    var environment: String
    var transactionID: UInt64
    var price: Decimal
    var date: Date
    @Relationship(deleteRule: .cascade, inverse: \Credit.purchase) var credits: [Credit] = []
    init(environment: String, transactionID: UInt64, price: Decimal, date: Date) {
      self.environment = environment
      self.transactionID = transactionID
      self.price = price
      self.date = date
    }
  }

  @Model final class Credit {
    #Unique<Credit>([\.transactionID, \.ordinal])
    #Index<Credit>([\.isConsumed, \.purchaseDate])
    var transactionID: UInt64
    var ordinal: Int
    var purchaseDate: Date
    var isConsumed = false
    var consumedAt: Date?
    var area: Area?
    var purchase: Purchase?
    var report: Report?
    init(_ ordinal: Int, of purchase: Purchase) {
      self.ordinal = ordinal
      transactionID = purchase.transactionID
      purchaseDate = purchase.date
      self.purchase = purchase
    }
  }
}

private func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

@MainActor
@Suite struct AstrologyAppTests {
  @Test func `the first form: charts with their reports, and one credit a transaction`() throws {
    typealias Form = AstrologySchemaV1
    let schema = Schema(versionedSchema: Form.self)
    let container = try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = container.mainContext
    let user = Form.User(createdAt: day(0))
    context.insert(user)
    let chart = Form.BirthChart(name: "Olena", birthDate: day(-3650))
    chart.user = user
    for (number, area) in ["career", "health", "career"].enumerated() {
      let report = Form.ReportPurchase(area: area, text: "…", price: Decimal(string: "4.99")!, date: day(number))
      context.insert(report)
      report.chart = chart
    }
    for transaction in ["1", "2", "1"] {
      context.insert(Form.PurchaseCredit(transactionID: transaction, purchaseDate: day(1)))
    }
    try context.save()

    let area = "career"
    let newest = FetchDescriptor<Form.ReportPurchase>(
      predicate: #Predicate { $0.area == area && $0.chart?.user?.id != nil },
      sortBy: [SortDescriptor(\.purchaseDate, order: .reverse)])
    #expect(try context.fetch(newest).map(\.purchaseDate) == [day(2), day(0)])
    #expect(user.charts.map(\.name) == ["Olena"])
    let free = #Predicate<Form.PurchaseCredit> { !$0.isConsumed }
    #expect(try context.fetchCount(FetchDescriptor(predicate: free)) == 2)
    let credit = try #require(try context.fetch(FetchDescriptor(predicate: free)).first)
    credit.isConsumed = true
    credit.consumedDate = day(5)
    #expect(try context.fetchCount(FetchDescriptor(predicate: free)) == 1)

    context.delete(user)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Form.BirthChart>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Form.ReportPurchase>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Form.PurchaseCredit>()) == 2)
  }

  @Test func `the second form: a pack is five credits, and the oldest pays for a report`() throws {
    typealias Form = AstrologySchemaV2
    let container = try ModelContainer(
      for: Schema(versionedSchema: Form.self), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    context.author = "app"
    for (transaction, size) in [(7 as UInt64, 1), (5, 5)] {
      let purchase = Form.Purchase(
        environment: "Production", transactionID: transaction, price: 9.99, date: day(Int(transaction)))
      context.insert(purchase)
      for ordinal in 0..<size { context.insert(Form.Credit(ordinal, of: purchase)) }
    }
    let profile = Form.Profile(name: "Іван")
    context.insert(profile)
    let place = Form.BirthPlace(name: "Kyiv", latitude: 50.45, longitude: 30.52, timeZone: "Europe/Kyiv")
    profile.chart = Form.Chart(
      birthDate: day(-9000), place: place,
      planets: [.init(name: "Sun", longitude: 12.5), .init(name: "Moon", longitude: 0)])
    try context.save()

    var oldest = FetchDescriptor<Form.Credit>(
      predicate: #Predicate { !$0.isConsumed }, sortBy: [SortDescriptor(\.purchaseDate), SortDescriptor(\.ordinal)])
    #expect(try context.fetchCount(oldest) == 6)
    oldest.fetchLimit = 1
    try context.transaction {
      let credit = try #require(try context.fetch(oldest).first)
      #expect(credit.transactionID == 5 && credit.ordinal == 0)
      credit.isConsumed = true
      credit.consumedAt = day(20)
      credit.area = .career
      let report = Form.Report(area: .career, language: .ukrainian, text: "Сонце", generatedAt: day(20))
      profile.reports.append(report)
      report.credit = credit
    }

    let other = ModelContext(container)
    let career = Form.Area.career
    let paid = try other.fetch(
      FetchDescriptor<Form.Report>(predicate: #Predicate { $0.area == career && $0.credit != nil }))
    #expect(paid.map(\.text) == ["Сонце"])
    #expect(paid.first?.credit?.purchase?.transactionID == 5)
    #expect(paid.first?.profile?.chart?.place == place)
    #expect(paid.first?.profile?.chart?.planets.last?.name == "Moon")
    let known: UInt64 = 7
    #expect(
      try other.fetchCount(FetchDescriptor<Form.Purchase>(predicate: #Predicate { $0.transactionID == known })) == 1)
    let sold = try other.fetch(
      FetchDescriptor<Form.Purchase>(predicate: #Predicate { $0.credits.contains { $0.isConsumed } }))
    #expect(sold.map(\.transactionID) == [5])
    for purchase in sold { other.delete(purchase) }
    try other.save()
    // A refund takes the credits along and leaves the report.
    #expect(try other.fetchCount(FetchDescriptor<Form.Credit>()) == 1)
    #expect(try context.fetch(FetchDescriptor<Form.Report>()).map { $0.credit == nil } == [true])
  }
}
