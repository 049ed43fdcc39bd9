import AstroSvitla
import Foundation
import Testing

/// The code of the article AstroSvitla.
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
}
