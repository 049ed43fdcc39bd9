import AstroSvitla
import Foundation
import TestSupport
import Testing

@Suite struct CreditLedgerTests {
  private func key(_ number: Int) -> CreditKey { CreditKey(transaction: "t\(number / 10)", ordinal: number % 10) }

  private func credit(_ number: Int) -> CreditLedger.Credit {
    CreditLedger.Credit(key: key(number), purchaseDate: Fixtures.base.addingTimeInterval(Double(number / 10)))
  }

  private func spend(_ request: Int, of credit: Int, at time: Double, on device: Int = 1) -> CreditLedger.Consumption {
    CreditLedger.Consumption(
      requestID: Fixtures.id(request), credit: key(credit), consumedAt: Fixtures.base.addingTimeInterval(time),
      installationID: Fixtures.id(device))
  }

  @Test func `free credits come the oldest purchase first, then by their place in it`() {
    let ledger = CreditLedger(credits: [21, 10, 11, 20].map { credit($0) }, consumptions: [spend(1, of: 10, at: 5)])
    #expect(ledger.free.map(\.key) == [key(11), key(20), key(21)])
  }

  @Test func `of two that spent one credit the first keeps it and the other moves to the oldest free one`() {
    let ledger = CreditLedger(
      credits: [credit(10), credit(11), credit(20)],
      consumptions: [spend(2, of: 10, at: 6, on: 2), spend(1, of: 10, at: 5)])
    #expect(ledger.payments == [Fixtures.id(1): key(10), Fixtures.id(2): key(11)])
    #expect(ledger.overdrafts.isEmpty)
    #expect(ledger.free.map(\.key) == [key(20)])
  }

  @Test func `at one moment the installation decides, then the request`() {
    let ledger = CreditLedger(
      credits: [credit(10), credit(11)],
      consumptions: [spend(1, of: 10, at: 5, on: 2), spend(2, of: 10, at: 5, on: 1)])
    #expect(ledger.payments[Fixtures.id(2)] == key(10))
  }

  @Test func `with nothing free both reports stay, and people see an overdraft until the next purchase`() {
    let spent = [spend(1, of: 10, at: 5), spend(2, of: 10, at: 6, on: 2)]
    let short = CreditLedger(credits: [credit(10)], consumptions: spent)
    #expect(short.overdrafts.map(\.requestID) == [Fixtures.id(2)])
    #expect(CreditBalance(short).overdrawn == 1)
    let later = CreditLedger(credits: [credit(10), credit(20), credit(21)], consumptions: spent)
    #expect(later.overdrafts.isEmpty)
    #expect(later.free.map(\.key) == [key(21)])
  }

  @Test func `a refund takes what is free and leaves what was spent`() {
    let ledger = CreditLedger(
      credits: (10...14).map { credit($0) }, consumptions: [spend(1, of: 10, at: 5)], refundedParts: ["t1": 1])
    #expect(ledger.free.isEmpty)
    #expect(ledger.revoked.count == 4)
    #expect(ledger.usedCount(of: "t1") == 1)
    #expect(ledger.overdrafts.isEmpty)
  }

  @Test func `a refunded credit is nobody's way out of an overdraft`() {
    let ledger = CreditLedger(
      credits: [credit(10), credit(20)],
      consumptions: [spend(1, of: 10, at: 5), spend(2, of: 10, at: 6, on: 2)], refundedParts: ["t2": 1])
    #expect(ledger.overdrafts.count == 1)
  }

  @Test func `a credit whose purchase was deleted still pays for its report`() {
    let ledger = CreditLedger(credits: [credit(10)], consumptions: [spend(1, of: 70, at: 5), spend(2, of: 70, at: 6)])
    #expect(ledger.free.map(\.key) == [key(10)])
    #expect(ledger.overdrafts.isEmpty)
  }

  @Test func `in any order of the records the outcome is the same, and the numbers add up`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      let credits = (0..<Int.random(in: 0...8, using: &generator)).map {
        credit(10 + $0 * 3)
      }
      let parts = Dictionary(
        credits.filter { _ in generator.oneIn(4) }.map {
          ($0.key.transaction, Decimal(Int.random(in: 1...100, using: &generator)) / 100)
        }, uniquingKeysWith: max)
      let spent = (0..<Int.random(in: 0...8, using: &generator)).map { number in
        spend(
          number, of: 10 + Int.random(in: 0...9, using: &generator) * 3,
          at: Double(Int.random(in: 0...3, using: &generator)), on: Int.random(in: 1...2, using: &generator))
      }.filter { consumption in credits.contains { $0.key == consumption.credit } }
      let ledger = CreditLedger(credits: credits, consumptions: spent, refundedParts: parts)
      let again = CreditLedger(
        credits: credits.shuffled(using: &generator), consumptions: spent.shuffled(using: &generator),
        refundedParts: parts)
      #expect(ledger == again)
      let balance = CreditBalance(ledger)
      #expect(balance.purchased + balance.overdrawn == balance.consumed + balance.revoked + balance.available)
      #expect(Set(ledger.payments.values).count == ledger.payments.count)
      #expect(ledger.payments.count + ledger.overdrafts.count == spent.count)
      #expect(balance.available == 0 || balance.overdrawn == 0)
    }
  }
}
