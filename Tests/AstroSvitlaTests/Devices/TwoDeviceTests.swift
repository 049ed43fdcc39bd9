import AppStoreTesting
import AstroSvitla
import Foundation
import Tandem
import Testing

/// Devices with real stores that meet through real exchange files.
@Suite struct TwoDeviceTests {
  private static let meetings = [("phone", "laptop"), ("laptop", "tablet"), ("tablet", "phone")]

  /// What people see of a device.
  private struct View: Hashable {
    var balance: CreditBalance
    var payments: [UUID: CreditKey]
    var overdrafts: [UUID]
    var reports: Set<UUID>
    var purchases: [TransactionKey]
  }

  private func view(_ device: Device) async throws -> View {
    let ledger = try await device.credits.ledger()
    return View(
      balance: CreditBalance(ledger), payments: ledger.payments, overdrafts: ledger.overdrafts.map(\.requestID),
      reports: Set(try await device.reports().reports().map(\.requestID)),
      purchases: try await device.history.purchases().map(\.key))
  }

  private func expectEqual(_ devices: [Device], sourceLocation: SourceLocation = #_sourceLocation) async throws -> View
  {
    let first = try await view(devices[0])
    for device in devices.dropFirst() {
      #expect(try await view(device) == first, "\(device.name)", sourceLocation: sourceLocation)
    }
    return first
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `devices that delivered one transaction before any finished it have one record and its credits, in every order`(
    order: [Int]
  ) async throws {
    try await Shop.open { shop in
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 3)
      try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      var devices: [Device] = []
      for name in ["phone", "laptop", "tablet"] {
        let device = try await shop.device(name)
        #expect(try await device.purchases.launch(listens: false).creditsDelivered == 5)
        devices.append(device)
      }
      #expect(try await shop.appStore.entries().map(\.isFinished) == [false])
      for index in order + order { try await shop.synchronize(Self.meetings[index].0, Self.meetings[index].1) }
      for device in devices { _ = try await device.purchases.launch(listens: false) }
      for index in order + order { try await shop.synchronize(Self.meetings[index].0, Self.meetings[index].1) }
      let seen = try await expectEqual(devices)
      #expect(seen.balance.purchased == 5 && seen.balance.available == 5)
      #expect(seen.purchases.count == 1)
      for device in devices {
        #expect(try device.count(PurchaseCredit.self) == 5)
        #expect(try device.count(FinishNote.self) == 0)
      }
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }

  @Test func `each of two devices that recover purchases apart keeps its own word on how they arrived`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 6)
      for _ in 0..<3 { try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account) }
      var devices: [Device] = []
      for name in ["phone", "laptop"] {
        let device = try await shop.device(name)
        #expect(try await device.purchases.launch(listens: false).creditsDelivered == 3)
        devices.append(device)
      }
      try await shop.synchronize("phone", "laptop")
      for device in devices {
        #expect(try device.count(PurchaseArrival.self) == 6)
        #expect(try device.count(PurchaseCredit.self) == 3)
      }
      _ = try await expectEqual(devices)
    }
  }

  /// A phone and a laptop that both know a purchase.
  private func pair(_ shop: Shop, _ product: CreditProduct) async throws -> (Device, Device) {
    let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
    _ = try await phone.purchases.buy(product)
    _ = try await phone.chart()
    try await shop.synchronize("phone", "laptop")
    return (phone, laptop)
  }

  @Test(arguments: [true, false])
  func `one credit spent on two devices apart leaves both reports and an overdraft that the next purchase pays`(
    phoneFirst: Bool
  ) async throws {
    try await Shop.open { shop in
      let (phone, laptop) = try await pair(shop, .single)
      try await (phoneFirst ? phone : laptop).report(1)
      try await (phoneFirst ? laptop : phone).report(2)
      try await shop.synchronize("laptop", "phone")
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.reports == [Fixtures.id(1), Fixtures.id(2)])
      #expect(seen.balance.overdrawn == 1 && seen.balance.available == 0 && seen.balance.consumed == 2)
      #expect(seen.overdrafts == [Fixtures.id(2)])
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(3) }
      #expect(error?.code == .notEnoughCredits)
      _ = try await laptop.purchases.buy(.packOfFive)
      try await shop.synchronize("laptop", "phone")
      let settled = try await expectEqual([phone, laptop])
      #expect(settled.balance.overdrawn == 0 && settled.balance.available == 4)
    }
  }

  @Test func `where more credits are free, the later of two that spent one moves to another`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = try await pair(shop, .packOfFive)
      try await laptop.report(1)
      try await phone.report(2)
      try await shop.synchronize("phone", "laptop")
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.balance.available == 3 && seen.balance.overdrawn == 0)
      #expect(seen.payments[Fixtures.id(1)]?.ordinal == 0 && seen.payments[Fixtures.id(2)]?.ordinal == 1)
      // The credit that it moved to is nobody else's.
      try await phone.report(3)
      #expect(try await phone.credits.ledger().payments[Fixtures.id(3)]?.ordinal == 2)
    }
  }

  @Test func `one request made on two devices apart is one report for one credit`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = try await pair(shop, .packOfFive)
      try await phone.report(1)
      try await laptop.report(1)
      try await shop.synchronize("phone", "laptop")
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.reports == [Fixtures.id(1)])
      #expect(seen.balance.consumed == 1 && seen.balance.available == 4)
    }
  }

  @Test(arguments: [true, false], [CreditProduct.single, .packOfFive])
  func `a refund seen by one device while the other spends takes what is unused and leaves the report`(
    refundFirst: Bool, product: CreditProduct
  ) async throws {
    try await Shop.open { shop in
      let (phone, laptop) = try await pair(shop, product)
      let id = try #require(try await shop.appStore.entries().first).id
      if !refundFirst { try await laptop.report(1) }
      try await shop.appStore.refund(id)
      _ = try await phone.purchases.launch(listens: false)
      if refundFirst { try await laptop.report(1) }
      try await shop.synchronize("phone", "laptop")
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.reports == [Fixtures.id(1)])
      #expect(seen.balance.available == 0 && seen.balance.overdrawn == 0)
      #expect(seen.balance.revoked == product.credits - 1)
      #expect(try await laptop.history.purchases().first?.creditsUsed == 1)
      try await shop.appStore.reverseRefund(id)
      _ = try await laptop.purchases.launch(listens: false)
      try await shop.synchronize("phone", "laptop")
      #expect(try await expectEqual([phone, laptop]).balance.available == product.credits - 1)
    }
  }

  @Test func `a device that recovers what another has delivered and spent has the same credits after meeting it`()
    async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.fails(.networkError), on: .finish)
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      let laptop = try await shop.device("laptop")
      #expect(try await laptop.purchases.restore().creditsDelivered == 5)
      #expect(try await laptop.history.purchases().first?.restoredAt != nil)
      try await shop.synchronize("phone", "laptop")
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.balance.purchased == 5 && seen.balance.available == 4)
      #expect(try laptop.count(PurchaseCredit.self) == 5)
    }
  }

  @Test func `a purchase that one device deleted does not come back when another delivers it`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 2)
      try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.launch(listens: false)
      let context = ModelContext(phone.store.container)
      for record in try context.fetch(FetchDescriptor<PurchaseRecord>()) { context.delete(record) }
      try context.save()
      _ = try await laptop.purchases.launch(listens: false)
      try await shop.synchronize("phone", "laptop")
      _ = try await phone.purchases.launch(listens: false)
      let seen = try await expectEqual([phone, laptop])
      #expect(seen.purchases.isEmpty && seen.balance.available == 0)
    }
  }

  @Test func `reports of a name are those of all profiles of that name, also where two devices each made one`()
    async throws
  {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      for (number, device) in [phone, laptop].enumerated() {
        _ = try await device.purchases.buy(.single)
        try await device.report(number)
      }
      for _ in 0..<2 { try await shop.synchronize("phone", "laptop") }
      for device in [phone, laptop] {
        let profiles = try await device.charts.profileIDs(named: "OLENA")
        #expect(profiles.count == 2)
        #expect(try await device.reports().reports(profileIDs: profiles).count == 2)
      }
    }
  }

  @Test func `each installation is a user of its own, and both see all charts`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      #expect(phone.store.installation != laptop.store.installation)
      #expect(try await shop.device("phone").store.installation == phone.store.installation)
      _ = try await phone.charts.add(Fixtures.birth("Olena"), chart: Fixtures.chart())
      _ = try await laptop.charts.add(Fixtures.birth("Taras"), chart: Fixtures.chart(shift: 3))
      try await shop.synchronize("phone", "laptop")
      for device in [phone, laptop] {
        #expect(try device.count(User.self) == 2)
        #expect(try await device.charts.charts().map(\.birth.name) == ["Olena", "Taras"])
      }
    }
  }
}
