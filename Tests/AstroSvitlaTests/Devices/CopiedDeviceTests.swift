import AppStoreTesting
import AstroSvitla
import Foundation
import Tandem
import TestSupport
import Testing

/// A device folder that was copied, as a backup is restored on a second machine: both are one installation, and what
/// each spends is spent.
@Suite struct CopiedDeviceTests {
  /// A phone with a pack and a chart, and its copy.
  private func pair(_ shop: Shop) async throws -> [Device] {
    try await prepare(shop)
    try shop.copy("phone", as: "twin")
    let devices = [try await shop.device("phone"), try await shop.device("twin")]
    #expect(devices[0].store.installation == devices[1].store.installation)
    return devices
  }

  private func prepare(_ shop: Shop) async throws {
    let phone = try await shop.device("phone")
    _ = try await phone.purchases.buy(.packOfFive)
    _ = try await phone.chart()
  }

  private func meet(_ shop: Shop) async throws {
    for _ in 0..<2 { try await shop.synchronize("phone", "twin") }
  }

  private func report(_ device: Device, _ number: Int) async throws {
    let order = try ReportOrder(chartID: try await device.chart(), area: .career, language: .english)
    _ = try await device.reports().generate(order, requestID: Fixtures.id(number))
  }

  private func expectSpent(_ count: Int, _ devices: [Device]) async throws {
    for device in devices {
      let balance = try await device.balance()
      #expect(balance.consumed == count && balance.available == 5 - count && balance.overdrawn == 0, "\(device.name)")
      let reports = try await device.reports().reports()
      #expect(reports.count == count, "\(device.name)")
      for report in reports {
        #expect(try await device.reports().payment(of: report.requestID) != nil, "\(device.name)")
      }
    }
  }

  /// The two consumptions had one unique value, so they became one record: two reports for one credit.
  @Test(arguments: [true, false])
  func `an area of a chart that both copies paid for apart costs each a credit`(phoneFirst: Bool) async throws {
    try await Shop.open { shop in
      let devices = try await pair(shop)
      for (number, device) in (phoneFirst ? devices : devices.reversed()).enumerated() {
        try await report(device, number)
      }
      try await meet(shop)
      try await expectSpent(2, devices)
      let error = await #expect(throws: AstroSvitlaError.self) { try await report(devices[0], 3) }
      #expect(error?.code == .alreadyPurchased)
    }
  }

  @Test func `copies that hold one credit for two requests when they meet spend one credit for each`() async throws {
    try await Shop.open { shop in
      let devices = try await pair(shop)
      for (number, device) in devices.enumerated() { _ = try await device.credits.reserve(for: Fixtures.id(number)) }
      try await meet(shop)
      for (number, device) in devices.enumerated() { try await device.report(number) }
      try await meet(shop)
      try await expectSpent(2, devices)
    }
  }

  @Test func `a request that was under way as the folder was copied costs one credit`() async throws {
    try await Shop.open { shop in
      try await prepare(shop)
      _ = try await shop.device("phone").credits.reserve(for: Fixtures.id(1))
      try shop.copy("phone", as: "twin")
      let devices = [try await shop.device("phone"), try await shop.device("twin")]
      for device in devices { try await device.report(1) }
      try await meet(shop)
      try await expectSpent(1, devices)
    }
  }

  @Test func `a purchase that both copies deliver brings its credits once`() async throws {
    try await Shop.open { shop in
      let devices = try await pair(shop)
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 2)
      try await shop.appStore.buy(CreditProduct.packOfTen.rawValue, for: Shop.account)
      for device in devices { _ = try await device.purchases.launch(listens: false) }
      try await meet(shop)
      for device in devices { _ = try await device.purchases.launch(listens: false) }
      try await meet(shop)
      for device in devices {
        #expect(try await device.balance().available == 15)
        #expect(try device.count(FinishNote.self) == 0)
      }
    }
  }
}
