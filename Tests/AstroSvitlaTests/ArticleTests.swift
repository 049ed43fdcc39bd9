import AstroSvitla
import Foundation
import NatalChartCalculation
import Testing

/// The code of the articles AstroSvitla and NatalChartCalculation.
@Suite struct ArticleTests {
  @Test func `a pack is bought where no credit is left, and a report costs one`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let order = try ReportOrder(chartID: try await phone.chart(), area: .career, language: .english)
      let (folder, client, requestID) = (shop.url(of: "phone"), phone.client, Fixtures.id(1))

      let store = try AstroSvitlaStore(device: folder)
      let purchases = PurchaseService(store, client: client)
      let report = try await purchases.launch()  // listens, recovers, looks for refunds
      if report.balance.available == 0 { _ = try await purchases.buy(.packOfFive) }
      let reports = ReportService(store, credits: CreditManager(store))
      let text = try await reports.generate(order, requestID: requestID)  // one credit, however often it is asked
      #expect(try await reports.generate(order, requestID: requestID) == text)
      #expect(try await phone.balance().available == 4)
    }
  }

  @Test func `a birth in a city of the table has a sky and a wheel`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "wheel-\(UUID().uuidString).svg")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }

    let kyiv = try PlaceTable().place(named: "Kyiv")
    let birth = try BirthDetails(
      name: "Olena", day: BirthDay(iso: "1991-08-24"), time: BirthTime(iso: "07:45"), place: kyiv)
    let chart = try NatalChart(of: birth)
    let moon = chart.position(of: .moon).longitude  // 17° of Aquarius
    let wheel = ChartWheel(chart, title: birth.name, language: .english)
    try Data(wheel.svg.utf8).write(to: file)
    #expect(moon.sign == .aquarius && Int(moon.degreesInSign) == 17)
    #expect(wheel.svg.contains("Sun Virgo, Moon Aquarius, Ascendant Virgo"))
  }
}
