import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

/// Random operations against an App Store and against a few dictionaries, which must agree after each.
@Suite struct `A twin of the App Store` {
  private struct Twin {
    struct Purchase {
      var id: UInt64
      var account: String
      var product: String
      var isFinished = false
      var isRevoked = false
    }

    var purchases: [Purchase] = []

    func ids(_ account: String, _ isIncluded: (Purchase) -> Bool = { _ in true }) -> [UInt64] {
      purchases.filter { $0.account == account && isIncluded($0) }.map(\.id).sorted(by: >)
    }

    mutating func buy(_ product: String, _ account: String) -> UInt64 {
      if product == ShopFixture.unlock,
        let owned = purchases.last(where: { $0.account == account && $0.product == product && !$0.isRevoked })
      {
        return owned.id
      }
      purchases.append(Purchase(id: UInt64(purchases.count), account: account, product: product))
      return UInt64(purchases.count - 1)
    }
  }

  @Test func `buying, finishing, refunding and resetting leave what the twin says`() async throws {
    var random = SeededGenerator.announced()
    try await withAppStore { appStore in
      try await appStore.addAccount("ben")
      let clients = [
        try await appStore.phone(), try await appStore.laptop(),
        try await appStore.launch(account: "ben", device: "tablet"),
      ]
      var twin = Twin()
      for _ in 0..<120 {
        try await Self.step(appStore, clients, &twin, &random)
        // By the books: a token for each transaction after each step would be most of the time.
        for account in ["anna", "ben"] {
          let unfinished = try await appStore.entries(for: account).filter { !$0.isFinished }.map(\.id)
          #expect(unfinished == twin.ids(account) { !$0.isFinished }.reversed())
        }
      }
      for client in clients {
        #expect(try await client.ids(.all) == twin.ids(client.account))
        #expect(try await client.ids(.unfinished) == twin.ids(client.account) { !$0.isFinished })
        let owned = twin.ids(client.account) { $0.product == ShopFixture.unlock && !$0.isRevoked }.prefix(1)
        #expect(try await client.ids(.currentEntitlements) == Array(owned))
        let revoked = try await client.all(.all).filter { $0.revocationDate != nil }.map(\.id)
        #expect(revoked == twin.ids(client.account) { $0.isRevoked })
      }
    }
  }

  private static func step(
    _ appStore: LocalAppStore, _ clients: [LocalStoreClient], _ twin: inout Twin, _ random: inout SeededGenerator
  ) async throws {
    let client = random.pick(clients)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9:
      let product = random.pick([ShopFixture.credit, ShopFixture.credit, ShopFixture.unlock])
      #expect(try await client.bought(product).id == twin.buy(product, client.account))
    case 9..<15:
      let product = random.pick([ShopFixture.credit, ShopFixture.unlock])
      guard let newest = try await client.latestTransaction(for: product)?.payloadValue else { return }
      try await client.finish(newest)
      twin.purchases[Int(newest.id)].isFinished = true
    case 15..<19:
      guard let index = twin.purchases.indices.randomElement(using: &random) else { return }
      let id = twin.purchases[index].id
      if twin.purchases[index].isRevoked {
        try await appStore.reverseRefund(id)
      } else {
        try await appStore.refund(id)
      }
      twin.purchases[index].isRevoked.toggle()
    default:
      guard random.oneIn(3) else { return }
      try await appStore.reset()
      try await appStore.stopClock(at: ShopFixture.start)
      twin = Twin()
    }
  }

  /// Each listener hears each purchase of the others as often as it is told, whatever the delays, and none of its own.
  @Test func `listeners hear everything, in any order of arrival`() async throws {
    var random = SeededGenerator.announced()
    try await withAppStore { appStore in
      let clients = [try await appStore.phone(), try await appStore.laptop(), try await appStore.phone()]
      var listeners: [Updates] = []
      for client in clients { listeners.append(try await Updates(client)) }
      var expected = [[UInt64: Int]](repeating: [:], count: clients.count)
      for _ in 0..<20 {
        let copies = Int.random(in: 1...3, using: &random)
        let latest = Int.random(in: 0...5000, using: &random)
        try await appStore.setUpdateDelivery(copies: copies, delay: .zero ... .milliseconds(latest))
        let buyer = Int.random(in: 0..<clients.count, using: &random)
        let id = try await clients[buyer].bought(ShopFixture.credit).id
        for index in clients.indices where index != buyer { expected[index][id] = copies }
        try await appStore.advanceClock(by: .milliseconds(Int.random(in: 0...2000, using: &random)))
      }
      try await appStore.advanceClock(by: .seconds(10))
      for (listener, wanted) in zip(listeners, expected) {
        var heard: [UInt64: Int] = [:]
        for _ in 0..<wanted.values.reduce(0, +) { heard[try await listener.next().id, default: 0] += 1 }
        #expect(heard == wanted)
      }
      // Nothing was left over: the next news is the last.
      try await appStore.setUpdateDelivery()
      let last = try await appStore.buy(ShopFixture.season, for: "anna")
      for listener in listeners { #expect(try await listener.next().id == last) }
    }
  }
}
