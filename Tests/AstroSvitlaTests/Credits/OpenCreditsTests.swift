import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

@testable import AstroSvitla

/// What is free, found from what is open: always what the ledger finds by a pass over everything.
@Suite struct OpenCreditsTests {
  private typealias Credit = CreditLedger.Credit
  private typealias Consumption = CreditLedger.Consumption

  private static func key(_ number: Int) -> CreditKey { CreditKey(transaction: "t\(number / 5)", ordinal: number % 5) }

  private static func credit(_ number: Int) -> Credit {
    Credit(key: key(number), purchaseDate: Fixtures.base.addingTimeInterval(Double(number / 5 % 3)))
  }

  /// Credits of which some are unknown, consumptions of which some name one credit, and refunds.
  private static func records(
    _ generator: inout SeededGenerator
  ) -> (credits: [Credit], consumptions: [Consumption], refunds: [String: Decimal]) {
    let numbers = (0..<25).filter { _ in !generator.oneIn(4) }
    let consumptions = (0..<Int.random(in: 0...20, using: &generator)).map { request in
      Consumption(
        requestID: Fixtures.id(request), credit: key(.random(in: 0..<25, using: &generator)),
        consumedAt: Fixtures.base.addingTimeInterval(Double(Int.random(in: 0...5, using: &generator))),
        installationID: Fixtures.id(Int.random(in: 1...2, using: &generator)))
    }
    var refunds: [String: Decimal] = [:]
    for number in 0..<5 where generator.oneIn(3) {
      refunds["t\(number)"] = Decimal(Int.random(in: 1...100, using: &generator)) / 100
    }
    return (numbers.map(credit), consumptions, refunds)
  }

  @Test func `records that come in any order and grouping leave what the ledger finds`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<2_000 {
      let (credits, consumptions, refunds) = Self.records(&generator)
      let known = Set(credits.map(\.key))
      var open = OpenCredits()
      var restOfCredits = credits.shuffled(using: &generator)[...]
      var restOfConsumptions = consumptions.shuffled(using: &generator)[...]
      var seen: Set<CreditKey> = []
      while !restOfCredits.isEmpty || !restOfConsumptions.isEmpty {
        let came = restOfCredits.prefix(Int.random(in: 0...8, using: &generator))
        let named = restOfConsumptions.prefix(Int.random(in: 0...8, using: &generator))
        restOfCredits = restOfCredits.dropFirst(came.count)
        restOfConsumptions = restOfConsumptions.dropFirst(named.count)
        seen.formUnion(came.map(\.key))
        open.add(Array(came), naming: named.map(\.credit)) { seen.contains($0) }
      }
      let ledger = CreditLedger(credits: credits, consumptions: consumptions, refundedParts: refunds)
      let granted = known.reduce(into: [:]) { $0[$1.transaction, default: 0] += 1 }
      let standing = open.standing(refundedParts: refunds, granted: granted)
      #expect(standing.free == ledger.free)
      #expect(standing.balance == CreditBalance(ledger))
    }
  }

  @Test func `a note of what is open is read as it was written, and no other bytes are`() throws {
    var generator = SeededGenerator.announced()
    let (credits, consumptions, _) = Self.records(&generator)
    var open = OpenCredits()
    open.add(credits, naming: consumptions.map(\.credit)) { _ in false }
    let store = try AstroSvitlaStore(inMemory: Fixtures.id(1))
    let place = try store.container.store.read { try CreditBookmark.Place($0) }
    let bytes = try CreditBookmark(place: place, open: open).encoded()
    #expect(CreditBookmark(bytes) == CreditBookmark(place: place, open: open))
    #expect(CreditBookmark(nil) == nil && CreditBookmark([]) == nil)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1 << Int.random(in: 0..<8, using: &generator)
      #expect(CreditBookmark(damaged) == nil, "byte \(index)")
      #expect(CreditBookmark(Array(bytes.prefix(index))) == nil)
    }
  }

  /// A device on which so many singles were bought and spent, two more are free, and what is open was noted.
  private func spent(_ count: Int, _ shop: Shop) async throws -> Device {
    let phone = try await shop.device("phone")
    let context = ModelContext(phone.store.container)
    for number in 0..<count + 2 {
      let record = PurchaseRecord(Fixtures.paid(UInt64(number)))
      context.insert(record)
      context.insert(PurchaseCredit(0, of: record))
      guard number < count else { continue }
      context.insert(
        CreditConsumption(
          requestID: Fixtures.id(1_000 + number), credit: CreditKey(transaction: record.key.text, ordinal: 0),
          consumedAt: Fixtures.base, profileID: nil, area: .career, installationID: phone.store.installation.id))
    }
    try context.save()
    try context.noteOpenCredits()
    return phone
  }

  private func expectAsLedger(_ device: Device, _ comment: Comment? = nil) throws {
    let context = ModelContext(device.store.container)
    let (standing, ledger) = (try context.creditStanding(), try context.creditLedger())
    #expect(standing.free == ledger.free, comment)
    #expect(standing.balance == CreditBalance(ledger), comment)
  }

  @Test func `a look costs what happened since the last note, however much was spent before`() async throws {
    var changeCounts: [Int?] = []
    for count in [10, 400] {
      try await Shop.open { shop in
        let phone = try await spent(count, shop)
        let context = ModelContext(phone.store.container)
        #expect(try context.openCredits().changeCount == 0)
        try await phone.report(1)
        let (open, changeCount) = try context.openCredits()
        #expect(open.count == 1 && open.consumedCount == count + 1)
        changeCounts.append(changeCount)
        try expectAsLedger(phone)
      }
    }
    // The reservation, the consumption, the report, the chart and its profile.
    #expect(changeCounts[0] == changeCounts[1] && changeCounts[0].map { $0 < 16 } ?? false, "\(changeCounts)")
  }

  @Test func `a look without a note is a pass, and a reservation or a launch leaves a note`() async throws {
    try await Shop.open { shop in
      let phone = try await spent(10, shop)
      let context = ModelContext(phone.store.container)
      for work in ["launch", "reserve"] {
        let clearing = StoreAttachment(key: CreditBookmark.key, value: nil)
        _ = try phone.store.container.store.commit(SaveRequest(attachments: [clearing]))
        #expect(try context.openCredits().changeCount == nil)
        try expectAsLedger(phone)
        if work == "launch" {
          _ = try await phone.purchases.launch(listens: false)
        } else {
          _ = try await phone.credits.reserve(for: Fixtures.id(1))
        }
        #expect(try context.openCredits().changeCount != nil, "\(work)")
      }
    }
  }

  @Test func `after many changes what is open is noted anew, and not before`() async throws {
    try await Shop.open { shop in
      let phone = try await spent(10, shop)
      let context = ModelContext(phone.store.container)
      let store = phone.store.container.store
      let first = try store.read { try $0.attachment(CreditBookmark.key) }
      _ = try await phone.credits.reserve(for: Fixtures.id(1))
      #expect(try store.read { try $0.attachment(CreditBookmark.key) } == first)
      for number in 0..<300 { context.insert(User(id: Fixtures.id(number), createdAt: .now)) }
      try context.save()
      _ = try await phone.credits.reserve(for: Fixtures.id(1))
      #expect(try store.read { try $0.attachment(CreditBookmark.key) } != first)
      #expect(try context.openCredits().changeCount.map { $0 < 10 } ?? false)
      try expectAsLedger(phone)
    }
  }

  @Test func `a note is not used where a purchase was deleted since, or history does not reach back to it`()
    async throws
  {
    try await Shop.open { shop in
      let phone = try await spent(10, shop)
      let context = ModelContext(phone.store.container)
      let first = try #require(try context.purchase(Fixtures.paid(3).key))
      context.delete(first)
      try context.save()
      #expect(try context.openCredits().changeCount == nil)
      try expectAsLedger(phone, "deleted")
      try context.noteOpenCredits()
      #expect(try context.openCredits().open.strays.count == 1)
      try expectAsLedger(phone, "noted after a deletion")
      let store = phone.store.container.store
      for number in 0..<2 {
        context.insert(User(id: Fixtures.id(number), createdAt: .now))
        try context.save()
      }
      try store.trimHistory(through: try store.read { try $0.lastTransactionNumber - 1 })
      #expect(try context.openCredits().changeCount == nil)
      try expectAsLedger(phone, "trimmed")
    }
  }

  @Test func `a note is not used in a store that was erased, whatever was put there`() async throws {
    try await Shop.open { shop in
      let phone = try await spent(10, shop)
      let store = phone.store.container.store
      let kept = try #require(try store.read { try $0.attachment(CreditBookmark.key) })
      try phone.store.container.erase()
      _ = try store.commit(SaveRequest(attachments: [StoreAttachment(key: CreditBookmark.key, value: kept)]))
      let context = ModelContext(phone.store.container)
      #expect(try context.openCredits().changeCount == nil)
      #expect(try context.creditStanding().balance.purchased == 0)
    }
  }

  @Test func `with a note from before, a request that two devices paid is settled as the ledger does`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.buy(.packOfFive)
      _ = try await phone.chart()
      try await shop.synchronize("phone", "laptop")
      _ = try await laptop.credits.reserve(for: Fixtures.id(9))
      try await phone.report(1)
      try await laptop.report(1)
      try await phone.report(2)
      try await laptop.report(3)
      for device in [phone, laptop] { try ModelContext(device.store.container).noteOpenCredits(after: 0) }
      for _ in 0..<2 {
        try await shop.synchronize("phone", "laptop")
        for device in [phone, laptop] { try expectAsLedger(device) }
      }
    }
  }
}
