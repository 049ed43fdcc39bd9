import AppStoreTesting
import AstroSvitla
import Foundation
import HelperProcess
import Tandem
import TestSupport
import Testing

/// A process that buys and spends is killed at random moments, again and again: 12 times, or as often as
/// `ASTROSVITLA_KILLS` says.
@Suite struct RandomKillTests {
  @Test func `killed at random while it buys and spends, the app owes nobody anything`() async throws {
    var generator = SeededGenerator.announced()
    let kills = ProcessInfo.processInfo.environment["ASTROSVITLA_KILLS"].flatMap(Int.init) ?? 12
    try await Shop.open { shop in
      _ = try await shop.device("phone").chart()
      for _ in 0..<kills { try await shop.runAndKill(afterMilliseconds: .random(in: 0...120, using: &generator)) }
      // A run that is let be, so that there are purchases however fast the kills were.
      let helper = try shop.shopper(rounds: 50)
      while let line = try helper.line(), line != "round 9" {}
      helper.kill()
      try await expectNothingOwed(shop)
    }
  }

  private func expectNothingOwed(_ shop: Shop) async throws {
    let phone = try await shop.device("phone")
    _ = try await phone.purchases.launch(listens: false)
    let entries = try await shop.appStore.entries()
    #expect(entries.count >= 10)
    #expect(entries.allSatisfy { $0.isFinished })
    let paid = entries.reduce(0) { $0 + (CreditProduct(rawValue: $1.productID)?.credits ?? 0) * $1.quantity }
    let balance = try await phone.balance()
    #expect(balance.purchased == paid)
    #expect(balance.overdrawn == 0 && balance.revoked == 0)
    #expect(try phone.count(PurchaseRecord.self) == entries.count)
    #expect(try phone.count(FinishNote.self) == 0)
    let context = ModelContext(phone.store.container)
    let spent = Set(try context.fetch(FetchDescriptor<CreditConsumption>()).map(\.requestID))
    let reports = Set(try context.fetch(FetchDescriptor<ReportPurchase>()).map(\.requestID))
    #expect(spent == reports)
    #expect(Set(try await phone.credits.ledger().payments.values).count == spent.count)
  }
}

extension Shop {
  fileprivate func shopper(rounds: Int) throws -> HelperProcess {
    try HelperProcess(
      arguments: ["shop", url(of: "phone").path, appStore.directory.path, "\(rounds)"],
      program: "astrosvitla-test-helper")
  }

  fileprivate func runAndKill(afterMilliseconds milliseconds: Int) async throws {
    let helper = try shopper(rounds: 1_000)
    _ = try helper.line()
    try await Task.sleep(for: .milliseconds(milliseconds))
    helper.kill()
  }
}
