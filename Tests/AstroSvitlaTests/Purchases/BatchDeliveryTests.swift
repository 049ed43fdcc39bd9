import AppStorePurchases
import AppStoreTesting
import Foundation
import HelperProcess
import RecordStore
import Synchronization
import Tandem
import TestSupport
import Testing

@testable import AstroSvitla

/// Many transactions at a launch: each batch of them is one durable commit, and each of them is delivered once.
@Suite struct BatchDeliveryTests {
  private func paid(_ count: Int, _ shop: Shop) async throws {
    for _ in 0..<count { try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account) }
  }

  /// The durable commits of `body` in a device's store.
  private func commits(on device: Device, _ body: () async throws -> Void) async throws -> Int {
    let path = device.store.container.store.url.path
    let count = Mutex(0)
    let observation = StoreEvents.observe { event in
      if case .saved(path, _) = event { count.withLock { $0 += 1 } }
    }
    defer { observation.end() }
    try await body()
    return count.withLock { $0 }
  }

  private func expectDelivered(_ count: Int, _ phone: Device, _ shop: Shop) async throws {
    #expect(try await phone.balance().purchased == count)
    #expect(try phone.count(PurchaseRecord.self) == count)
    #expect(try phone.count(PurchaseArrival.self) == count)
    #expect(try phone.count(FinishNote.self) == 0)
    let purchases = try await phone.history.purchases()
    #expect(purchases.allSatisfy { $0.finishedAt != nil && $0.delivery == .recovery })
    let entries = try await shop.appStore.entries()
    #expect(entries.allSatisfy { $0.isFinished })
  }

  @Test func `a launch commits once for each batch and once more, however many transactions are in it`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      var counts: [Int] = []
      for count in [20, 30] {
        try await paid(count, shop)
        counts.append(
          try await commits(on: phone) {
            let report = try await phone.purchases.launch(listens: false)
            #expect(report.creditsDelivered == count)
          })
      }
      // The time of the launch, the batch, its notes; at the first launch also what is open of the credits.
      #expect(counts == [4, 3])
      try await expectDelivered(50, phone, shop)
      // The notes of a batch go with the next one.
      try await paid(2 * PurchaseService.batchSize + 2, shop)
      #expect(try await commits(on: phone) { _ = try await phone.purchases.launch(listens: false) } == 6)
      try await expectDelivered(52 + 2 * PurchaseService.batchSize, phone, shop)
    }
  }

  @Test func `transactions beyond a batch are delivered in the next ones`() async throws {
    try await Shop.open { shop in
      let count = PurchaseService.batchSize + 3
      try await paid(count, shop)
      let phone = try await shop.device("phone")
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.creditsDelivered == count && report.balance.available == count)
      try await expectDelivered(count, phone, shop)
    }
  }

  @Test func `one that is put aside in the middle of a batch keeps none of the others`() async throws {
    try await Shop.open { shop in
      try await paid(5, shop)
      try await shop.appStore.simulate(.missingProperty, afterSkipping: 2)
      let phone = try await shop.device("phone")
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.quarantinedCount == 1 && report.creditsDelivered == 4)
      #expect(try await phone.history.quarantine().map(\.reason) == [.unverified])
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true, true, false, true, true])
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 1)
      #expect(try await phone.history.quarantine().isEmpty)
    }
  }

  /// What two elements of one transaction say, in both orders: an App Store may list a purchase and, signed later, its
  /// refund.
  @Test(arguments: [false, true])
  func `a purchase and its refund in one batch are one record, and no free credit`(refundFirst: Bool) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let id = try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      let purchase = try await phone.unfinished()
      try await shop.appStore.refund(id)
      let refund = try await phone.unfinished()
      try await paid(1, shop)
      let other = try await phone.unfinished().filter { $0.unsafePayloadValue.id != id }
      // The newest first, as an App Store lists them.
      let list = refundFirst ? other + purchase + refund : other + refund + purchase
      #expect(list.count == 3)
      let client = ListingClient(phone.client, unfinished: list)
      let report = try await PurchaseService(phone.store, client: client).launch(listens: false)
      #expect(report.balance.purchased == 6 && report.balance.revoked == 5 && report.balance.available == 1)
      #expect(try phone.count(PurchaseRecord.self) == 2)
      #expect(try phone.count(RevocationNotice.self) == 1)
      #expect(try phone.count(FinishNote.self) == 0)
    }
  }

  @Test func `where some of a batch cannot be finished, their notes stay and the others' go`() async throws {
    try await Shop.open { shop in
      try await paid(6, shop)
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 2)
      let phone = try await shop.device("phone")
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.creditsDelivered == 6 && report.unfinishedCount == 2)
      #expect(try phone.count(FinishNote.self) == 2)
      #expect(try await phone.history.purchases().count { $0.finishedAt == nil } == 2)
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 0)
      try await expectDelivered(6, phone, shop)
    }
  }

  @Test func `a finish that never answers takes its time limit, and the batch goes on`() async throws {
    try await Shop.open { shop in
      try await paid(4, shop)
      let phone = try await shop.device("phone")
      let client = ListingClient(phone.client, hangs: 2)
      let service = PurchaseService(phone.store, client: client, finishLimit: .milliseconds(50))
      let report = try await service.launch(listens: false)
      client.letGo()
      // On a busy machine others may take longer than the limit, too.
      #expect(report.creditsDelivered == 4 && report.unfinishedCount >= 2)
      #expect(try phone.count(FinishNote.self) == report.unfinishedCount)
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 0)
      #expect(try phone.count(FinishNote.self) == 0)
      #expect(try await shop.appStore.entries().allSatisfy { $0.isFinished })
    }
  }

  /// A note that is there without its delivery cannot come about; here it stands for anything that a store refuses.
  @Test func `one that the store refuses sends its batch one by one: those before it are delivered`() async throws {
    try await Shop.open { shop in
      try await paid(5, shop)
      let phone = try await shop.device("phone")
      let context = ModelContext(phone.store.container)
      let entries = try await shop.appStore.entries()
      let third = try #require(
        try await phone.unfinished().first { $0.unsafePayloadValue.id == entries[2].id }?.unsafePayloadValue)
      let note = FinishNote(TransactionKey(third), createdAt: .now)
      context.insert(note)
      try context.save()
      let error = await #expect(throws: StoreError.self) { try await phone.purchases.launch(listens: false) }
      #expect(error?.code == .uniquenessViolation)
      #expect(try await phone.balance().available == 2)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true, true, false, false, false])
      context.delete(note)
      try context.save()
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 3)
      try await expectDelivered(5, phone, shop)
    }
  }

  @Test func `of four launches at once each purchase is delivered by one`() async throws {
    try await Shop.open { shop in
      try await paid(40, shop)
      var devices: [Device] = []
      for _ in 0..<4 { devices.append(try await shop.device("phone")) }
      let delivered = try await withThrowingTaskGroup(of: Int.self) { group in
        for device in devices { group.addTask { try await device.purchases.launch(listens: false).creditsDelivered } }
        return try await group.reduce(0, +)
      }
      #expect(delivered == 40)
      #expect(try await devices[0].balance().purchased == 40)
      #expect(try devices[0].count(FinishNote.self) == 0)
      #expect(try devices[0].count(PurchaseArrival.self) == 40)
    }
  }
}

// Processes and devices beside each other.
extension BatchDeliveryTests {
  @Test func `processes that launch at once deliver each purchase once, and both end well`() async throws {
    try await Shop.open { shop in
      try await paid(40, shop)
      let phone = try await shop.device("phone")
      let launch = ["launch", shop.url(of: "phone").path, shop.appStore.directory.path]
      let helpers = try (0..<3).map { _ in try HelperProcess(arguments: launch, program: "astrosvitla-test-helper") }
      for helper in helpers { #expect(try helper.finish() == 0) }
      let balance = try await phone.balance()
      #expect(balance.purchased == 40 && balance.available == 40)
      #expect(try phone.count(PurchaseArrival.self) == 40)
      #expect(try phone.count(FinishNote.self) == 0)
      let entries = try await shop.appStore.entries()
      #expect(entries.allSatisfy { $0.isFinished })
    }
  }

  @Test func `devices that deliver one batch apart have each credit once after they met`() async throws {
    try await Shop.open { shop in
      for _ in 0..<4 { try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account) }
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 4)
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      for device in [phone, laptop] {
        #expect(try await device.purchases.launch(listens: false).creditsDelivered == 20)
      }
      for _ in 0..<2 { try await shop.synchronize("phone", "laptop") }
      let ledgers = try await [phone.credits.ledger(), laptop.credits.ledger()]
      #expect(ledgers[0] == ledgers[1] && ledgers[0].free.count == 20)
      for device in [phone, laptop] { #expect(try device.count(PurchaseRecord.self) == 4) }
    }
  }
}

extension Device {
  /// What the App Store calls unfinished, the newest first.
  fileprivate func unfinished() async throws -> [VerificationResult<Transaction>] {
    var found: [VerificationResult<Transaction>] = []
    for try await signed in client.transactions(.unfinished) { found.append(signed) }
    return found
  }
}

/// An App Store that lists what a test gives it, and whose first finishes never answer.
private final class ListingClient: ForwardingClient {
  let base: LocalStoreClient
  private let unfinished: [VerificationResult<Transaction>]?
  private let state: Mutex<(hangs: Int, waiting: [CheckedContinuation<Void, Never>])>

  init(_ base: LocalStoreClient, unfinished: [VerificationResult<Transaction>]? = nil, hangs: Int = 0) {
    self.base = base
    self.unfinished = unfinished
    state = Mutex((hangs, []))
  }

  func transactions(_ scope: TransactionScope) -> TransactionStream {
    guard let unfinished else { return base.transactions(scope) }
    return TransactionStream { stream in
      for signed in scope == .unfinished ? unfinished : [] { stream.yield(signed) }
      stream.finish()
    }
  }

  func finish(_ transaction: Transaction) async throws {
    let hangs = state.withLock { state in
      state.hangs -= 1
      return state.hangs >= 0
    }
    guard hangs else { return try await base.finish(transaction) }
    await withCheckedContinuation { waiter in state.withLock { $0.waiting.append(waiter) } }
  }

  /// Lets go of those who wait.
  func letGo() {
    for waiter in state.withLock({ $0.waiting }) { waiter.resume() }
  }
}
