import AppStorePurchases
import AppStoreTesting
import Foundation
import LocalizedTexts
import Tandem
import Testing

@testable import AstroSvitla

/// The rows of the app's documents that name types, values, texts and formulas; the article Requirements lists them.
@Suite struct DocumentedRequirementsTests {
  @Test func `parts of a chart have the raw values of the document`() {
    let planets = ["Sun", "Moon", "Mercury", "Venus", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto"]
    #expect(Planet.allCases.map(\.rawValue) == planets && Planet.allCases.map(\.id) == planets)
    #expect(AspectKind.allCases.map(\.rawValue) == ["Conjunction", "Opposition", "Trine", "Square", "Sextile"])
    #expect(ZodiacSign.allCases.first?.rawValue == "Aries" && ZodiacSign.allCases.last?.rawValue == "Pisces")
    #expect(ZodiacSign.Element.allCases.map(\.rawValue) == ["Fire", "Earth", "Air", "Water"])
    #expect(ZodiacSign.Modality.allCases.map(\.rawValue) == ["Cardinal", "Fixed", "Mutable"])
  }

  @Test func `values of earlier builds are read, and those of nobody are not`() throws {
    let decoder = JSONDecoder()
    #expect(try decoder.decode([Planet].self, from: Data(#"["sun", "Pluto"]"#.utf8)) == [.sun, .pluto])
    #expect(try decoder.decode([ZodiacSign].self, from: Data(#"["aries", "Pisces"]"#.utf8)) == [.aries, .pisces])
    #expect(throws: DecodingError.self) { try decoder.decode([Planet].self, from: Data(#"["Vulcan"]"#.utf8)) }
  }

  @Test func `the product contract's names lead to the products`() {
    #expect(PurchaseProduct.singleCredit.rawValue == "com.astrosvitla.report.credit.single")
    #expect(PurchaseProduct.singleCredit.type == .consumable && PurchaseProduct.singleCredit.creditAmount == 1)
    #expect(PurchaseProduct.singleCredit.displayName == "1 Report Credit")
    #expect(PurchaseProduct.singleCredit.displayName(in: .ukrainian) == "1 кредит звіту")
    #expect(PurchaseProduct.singleCredit.description.hasPrefix("Purchase 1 credit to generate an AI-powered"))
    for product in PurchaseProduct.allCases {
      #expect(product.displayName(in: .english).contains("Credit"))
      #expect(product.displayName(in: .ukrainian).contains("кредит"))
      #expect(product.description(in: .ukrainian).contains("штучного інтелекту"))
    }
  }

  @Test(arguments: [
    (MessageKey.paywallTitle, "1 Report Credit", "1 кредит звіту"), (.paywallBuy, "Buy for %@", "Купити за %@"),
    (.paywallBalance, "Credits available", "Доступно кредитів"),
    (.paywallRecover, "Recover Interrupted Purchases", "Відновити покупки"),
    (.paywallGetReport, "Get Report", "Отримати звіт"),
    (
      .paywallPitch, "Buy a credit to create a personal, AI-powered astrology report.",
      "Придбайте кредит для створення персоналізованого астрологічного звіту на базі штучного інтелекту."
    ),
  ])
  func `the paywall has the texts of the document`(key: MessageKey, english: String, ukrainian: String) {
    #expect(AppLanguage.english.table[key.rawValue] == english)
    #expect(AppLanguage.ukrainian.table[key.rawValue] == ukrainian)
  }

  @Test func `a product of another type is refused, and never offered`() async throws {
    try await Shop.open { shop in
      let file = String(decoding: CreditProduct.storeKitFile, as: UTF8.self)
        .replacingOccurrences(of: #""type" : "Consumable""#, with: #""type" : "NonConsumable""#)
      try await shop.appStore.setProducts(storeKitFile: Data(file.utf8), priceTable: CreditProduct.priceTable)
      let phone = try await shop.device("phone")
      #expect(try await phone.purchases.products().isEmpty)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.purchases.buy(.single) }
      #expect(error?.code == .incorrectProductType)
      #expect(error.flatMap { PurchaseMessage(for: $0) }?.kind == .incorrectProductType)
      #expect(try await shop.appStore.entries().isEmpty)
    }
  }

  @Test func `credits and purchases tell under the documents' names what became of them`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      let context = ModelContext(try ModelContainer.astroSvitlaShared(device: shop.url(of: "phone")))
      let record = try #require(try context.fetch(FetchDescriptor<PurchaseRecord>()).first)
      let credits = record.credits.sorted { $0.ordinal < $1.ordinal }
      #expect(try record.availableCredits == 4 && record.consumedCredits == 1)
      #expect(record.localizedPrice == "$19.99" && record.priceUSD == Decimal(string: "19.99"))
      #expect(try credits.map { try $0.consumed } == [true, false, false, false, false])
      #expect(try credits.map { try $0.isAvailable } == [false, true, true, true, true])
      #expect(try credits[0].reportArea == .career && credits[1].reportArea == nil)
      #expect(try credits[0].consumedDate != nil && credits[1].consumedDate == nil)
      let profile = try #require(try context.fetch(FetchDescriptor<UserProfile>()).first)
      #expect(try credits[0].userProfileID == profile.id)
      let spent = try #require(try context.fetch(FetchDescriptor<CreditConsumption>()).first)
      #expect(try spent.userProfile?.name == "Olena")
      #expect(credits.allSatisfy { $0.transactionID == "0" && $0.purchaseRecord === record })
    }
  }

  @Test func `ids follow from the transaction, the same in every store`() {
    let records = [
      PurchaseRecord(Fixtures.paid(7)), PurchaseRecord(Fixtures.paid(7)), PurchaseRecord(Fixtures.paid(8)),
    ]
    #expect(records[0].id == records[1].id && records[0].id != records[2].id)
    let ids = (0..<5).map { PurchaseCredit($0, of: records[0]).id }
    #expect(Set(ids).count == 5 && ids[2] == PurchaseCredit(2, of: records[1]).id)
    // For ever: other programs may have stored them.
    #expect(records[0].id.uuidString == "E4336E3C-5059-549A-8A3E-65A0E1653C0F")
    #expect(ids[0].uuidString == "15A55998-5A33-5D53-97C6-C5D801D08A23")
  }

  @Test func `a purchase is marked as restored by hand as by recovery`() throws {
    let store = try AstroSvitlaStore(inMemory: Fixtures.id(9))
    let context = ModelContext(store.container)
    let record = PurchaseRecord(Fixtures.paid(1))
    context.insert(record)
    #expect(try !record.isRestored)
    try record.markAsRestored(on: store.installation, at: Fixtures.base)
    try context.save()
    #expect(try record.isRestored && record.restoredDate == Fixtures.base)
  }

  @Test func `a user has the reports of its charts and the time of its last launch`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone", now: { Fixtures.base })
      _ = try await phone.purchases.launch(listens: false)
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      try await phone.report(2, area: .wellness)
      let context = ModelContext(phone.store.container)
      let user = try #require(try context.fetch(FetchDescriptor<User>()).first)
      #expect(user.lastActiveAt == Fixtures.base)
      #expect(user.purchases.map(\.requestID) == [Fixtures.id(2), Fixtures.id(1)])
      user.updateLastActive(at: Fixtures.base.addingTimeInterval(60))
      #expect(user.lastActiveAt == Fixtures.base.addingTimeInterval(60))
    }
  }

  @Test func `a chart has the names of the document, and notes when it was changed`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let (id, later) = (try await phone.chart(), Fixtures.base.addingTimeInterval(60))
      let context = ModelContext(phone.store.container)
      let chart = try context.chart(id)
      #expect(try chart.birthTime == BirthTime(iso: "07:45") && chart.locationName == nil && chart.updatedAt == nil)
      #expect(
        try chart.birthDateTime
          == Fixtures.birth().place.moment(of: BirthDay(iso: "1991-08-24"), at: BirthTime(iso: "07:45")))
      #expect(chart.calculatedAt == chart.createdAt)
      try chart.updateChartName("Olya", at: later)
      #expect(chart.name == "Olya" && chart.updatedAt == later && chart.calculatedAt == chart.createdAt)
      try chart.updateChartData(Fixtures.chart(shift: 1), at: later)
      #expect(try chart.natalChart() == Fixtures.chart(shift: 1) && chart.calculatedAt == later)
      try await phone.charts.deleteChart(id)
      #expect(try await phone.charts.charts().isEmpty)
    }
  }

  @Test func `charts are listed the newest first, or by name`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      for (index, name) in ["Яна", "Ада", "Ґеля"].enumerated() {
        let date = Fixtures.base.addingTimeInterval(Double(index))
        try await phone.charts.add(Fixtures.birth(name), chart: Fixtures.chart(), at: date)
      }
      #expect(try await phone.charts.charts(sortedBy: .newest).map(\.birth.name) == ["Ґеля", "Ада", "Яна"])
      #expect(try await phone.charts.charts(sortedBy: .name).map(\.birth.name) == ["Ада", "Ґеля", "Яна"])
      #expect(try await phone.charts.charts(Page(limit: 1, offset: 1), sortedBy: .newest).map(\.birth.name) == ["Ада"])
    }
  }

  @Test func `a report tells its area, reading time and purchase`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      let (reports, chart) = (phone.reports(), try await phone.chart())
      #expect(try await reports.hasPurchased(area: .career, for: chart))
      #expect(try await !reports.hasPurchased(area: .wellness, for: chart))
      #expect(try await reports.reports(ofChart: chart, area: .career).map(\.requestID) == [Fixtures.id(1)])
      #expect(try await reports.reports(ofChart: chart, area: .wellness).isEmpty)
      let offers = try await reports.offers(for: chart, availableCredits: 4)
      #expect(offers.filter(\.isPurchased).map(\.area) == [.career])
      let context = ModelContext(phone.store.container)
      let report = try #require(try context.fetch(FetchDescriptor<ReportPurchase>()).first)
      #expect(report.isForArea(.career) && !report.isForArea(.wellness))
      #expect(report.estimatedReadingTime == max(1, report.wordCount / 200))
      let purchase = try #require(try context.fetch(FetchDescriptor<PurchaseRecord>()).first)
      #expect(try report.transactionId == "0" && report.purchaseDate == purchase.purchaseDate)
      #expect(report.price == 4 && report.currencyCode == "USD")
    }
  }

  @Test func `each area has an icon and a name in both languages`() {
    #expect(Set(ReportArea.sold.map(\.icon)).count == 4)
    #expect(ReportArea.relationships.icon == ReportArea.relationship.icon)
    #expect(ReportArea.sold.map { $0.name(in: .english) } == ["Personality", "Career", "Relationships", "Wellness"])
    #expect(ReportArea.sold.map { $0.name(in: .ukrainian) } == ["Особистість", "Кар’єра", "Стосунки", "Здоров’я"])
  }
}
