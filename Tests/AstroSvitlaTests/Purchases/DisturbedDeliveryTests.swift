import AppStorePurchases
import AppStoreTesting
import Foundation
import HelperProcess
import RecordStore
import Synchronization
import Tandem
import Testing

@testable import AstroSvitla

/// Deliveries beside other processes, with an App Store that hangs, fails or answers late.
@Suite struct DisturbedDeliveryTests {
  @Test func `an App Store that never answers a finish keeps nobody from the next purchase`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let client = HangingClient(phone.client)
      let purchases = PurchaseService(phone.store, client: client, finishLimit: .milliseconds(50))
      for number in 1...2 {
        let outcome = try await purchases.buy(.single)
        guard case .completed(.delivered, isFinished: false) = outcome else {
          Issue.record("\(outcome)")
          return
        }
        #expect(try await phone.credits.availableCount() == number)
      }
      #expect(try phone.count(FinishNote.self) == 2)
      client.end()
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 0)
      #expect(try phone.count(FinishNote.self) == 0)
      #expect(try await shop.appStore.entries().allSatisfy(\.isFinished))
    }
  }

  @Test func `two launches at once that put one transaction aside both end well`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.addAccount("sister")
      for _ in 0..<5 {
        let number = try await shop.appStore.buy(CreditProduct.single.rawValue, for: "sister")
        try await shop.appStore.share(number, with: Shop.account)
      }
      let devices = [try await shop.device("phone"), try await shop.device("phone"), try await shop.device("phone")]
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for device in devices {
          group.addTask { try await device.purchases.launch(listens: false).quarantinedCount }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts == [5, 5, 5])
      #expect(try await devices[0].history.quarantine().count == 5)
    }
  }

  @Test func `launches at once that deliver the same purchases deliver each once and drop all notes`() async throws {
    try await Shop.open { shop in
      for _ in 0..<10 { try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account) }
      let devices = [try await shop.device("phone"), try await shop.device("phone"), try await shop.device("phone")]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in devices { group.addTask { _ = try await device.purchases.launch(listens: false) } }
        try await group.waitForAll()
      }
      #expect(try await devices[0].balance().purchased == 50)
      #expect(try devices[0].count(FinishNote.self) == 0)
      #expect(try devices[0].count(PurchaseArrival.self) == 10)
    }
  }

  @Test func `a refund that another process hears while the purchase is delivered is written down`() async throws {
    try await Shop.open { shop in
      let id = try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      // The first launch has verified the purchase, and waits; the second hears of the refund and ends.
      let (verified, hasVerified) = AsyncStream<Void>.makeStream()
      let gate = DispatchSemaphore(value: 0)
      let slow = try await shop.device(
        "phone",
        observer: StepObserver { step in
          guard step == .delivering else { return }
          hasVerified.finish()
          gate.wait()
        })
      let launch = Task { try await slow.purchases.launch(listens: false) }
      for await _ in verified {}
      try await shop.appStore.refund(id)
      let other = try await shop.device("phone")
      let report = try await other.purchases.launch(listens: false)
      gate.signal()
      _ = try await launch.value
      #expect(report.outcomes.contains { if case .revoked = $0 { true } else { false } })
      let balance = try await slow.balance()
      #expect(balance.available == 0 && balance.revoked == 5)
      #expect(try await slow.history.purchases().map { $0.revokedAt != nil } == [true])
    }
  }

  @Test func `an update whose delivery fails is delivered later without another launch`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let purchases = PurchaseService(phone.store, client: HangingClient(phone.client, failingQueries: 2))
      await purchases.listen()
      try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      try await phone.waitUntil { try await phone.credits.availableCount() == 5 }
      #expect(await purchases.listenerErrors.count == 2)
    }
  }

  @Test func `a purchase that could not be finished is finished later without another launch`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      await phone.purchases.listen()
      try await shop.appStore.simulate(.fails(.networkError), on: .finish)
      guard case .completed(.delivered, isFinished: false) = try await phone.purchases.buy(.single) else {
        Issue.record("the App Store was told")
        return
      }
      try await phone.waitUntil { try phone.count(FinishNote.self) == 0 }
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
      #expect(try await phone.balance().purchased == 1)
    }
  }

  @Test func `a purchase of a store that could not be written is delivered later, and credited once`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      await phone.purchases.listen()
      let holder = try HelperProcess("hold-writer-lock", phone.store.container.store.url.path)
      try holder.expect("held")
      let error = await #expect(throws: StoreError.self) { try await phone.purchases.buy(.packOfFive) }
      holder.kill()
      #expect(error?.code == .busy)
      try await phone.waitUntil { try await phone.credits.availableCount() == 5 }
      try await phone.waitUntil { try phone.count(FinishNote.self) == 0 }
      #expect(try await phone.balance().purchased == 5)
    }
  }

  @Test func `a listener waits longer after each failure, and starts anew after a success`() {
    var pause = ListeningPause()
    #expect(!pause.hasFailed)
    #expect((0..<8).map { _ in pause.next() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(pause.hasFailed)
    pause.reset()
    #expect(pause.next() == .seconds(1))
  }

  @Test func `a listener whose App Store fails at once asks it again after a pause only, and misses nothing`()
    async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let client = HangingClient(phone.client, failingUpdates: 1)
      let purchases = PurchaseService(phone.store, client: client)
      await purchases.listen()
      try await phone.waitUntil { await !purchases.listenerErrors.isEmpty }
      #expect(client.listenCount == 1)
      // Bought while nobody listens: found when listening begins again.
      try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      try await phone.waitUntil { try await phone.credits.availableCount() == 1 }
      #expect(client.listenCount == 2)
    }
  }
}

/// An App Store whose finish never answers, and whose updates and lists fail as often as told.
private final class HangingClient: ForwardingClient {
  private struct State {
    var waiting: [CheckedContinuation<Void, Never>] = []
    var failingUpdates: Int
    var failingQueries: Int
    var listens = 0
  }

  let base: LocalStoreClient
  private let state: Mutex<State>

  init(_ base: LocalStoreClient, failingUpdates: Int = 0, failingQueries: Int = 0) {
    self.base = base
    state = Mutex(State(failingUpdates: failingUpdates, failingQueries: failingQueries))
  }

  var listenCount: Int { state.withLock { $0.listens } }

  func finish(_ transaction: Transaction) async throws {
    await withCheckedContinuation { waiter in state.withLock { $0.waiting.append(waiter) } }
  }

  /// Lets go of those who wait.
  func end() {
    for waiter in state.withLock({ $0.waiting }) { waiter.resume() }
  }

  func transactionUpdates() -> TransactionStream {
    let fails = state.withLock { state in
      state.listens += 1
      state.failingUpdates -= 1
      return state.failingUpdates >= 0
    }
    return fails ? TransactionStream { throw StoreKitError.unknown } : base.transactionUpdates()
  }

  func transactions(_ scope: TransactionScope) -> TransactionStream {
    let fails = state.withLock { state in
      state.failingQueries -= 1
      return state.failingQueries >= 0
    }
    return fails ? TransactionStream { throw StoreKitError.unknown } : base.transactions(scope)
  }
}
