import AstroSvitla
import Foundation
import Tandem
import Testing

/// A person pays for an area of a chart once, unless another report is asked for on purpose.
@Suite struct RepeatedReportTests {
  private func order(_ device: Device, _ area: ReportArea = .career, again: Bool = false) async throws -> ReportOrder {
    try ReportOrder(chartID: try await device.chart(), area: area, language: .english, isAgain: again)
  }

  private func expectRefusal(_ device: Device, request: Int) async throws {
    let order = try await order(device)
    let error = await #expect(throws: AstroSvitlaError.self) {
      try await device.reports().generate(order, requestID: Fixtures.id(request))
    }
    #expect(error?.code == .alreadyPurchased)
  }

  @Test func `the same area of the same chart is refused without a charge, unless it is asked for again`() async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfFive)
      let reports = phone.reports()
      let chart = try await phone.chart()
      #expect(try await reports.hasPurchased(area: .career, for: chart) == false)
      let first = try await reports.generate(order(phone), requestID: Fixtures.id(1))
      #expect(try await reports.hasPurchased(area: .career, for: chart))
      try await expectRefusal(phone, request: 2)
      #expect(try await phone.balance().available == 4)
      #expect(try await reports.generate(order(phone), requestID: Fixtures.id(1)) == first)
      _ = try await reports.generate(order(phone, .wellness), requestID: Fixtures.id(3))
      _ = try await reports.generate(order(phone, again: true), requestID: Fixtures.id(4))
      #expect(try await phone.balance().available == 2)
    }
  }

  @Test func `a report of another device counts after meeting it`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.buy(.packOfFive)
      _ = try await phone.reports().generate(order(phone), requestID: Fixtures.id(1))
      try await shop.synchronize("phone", "laptop")
      try await expectRefusal(laptop, request: 2)
    }
  }

  @Test func `of eight orders for one area at a time one is charged`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfTen)
      let other = try await shop.device("phone")
      let wanted = try await order(phone)
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask {
            do {
              let reports = (number.isMultiple(of: 2) ? phone : other).reports()
              _ = try await reports.generate(wanted, requestID: Fixtures.id(number))
              return true
            } catch let error as AstroSvitlaError where error.code == .alreadyPurchased {
              return false
            }
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 1)
      #expect(try phone.count(CreditConsumption.self) == 1)
      #expect(try await phone.credits.availableCount() == 9)
    }
  }
}
