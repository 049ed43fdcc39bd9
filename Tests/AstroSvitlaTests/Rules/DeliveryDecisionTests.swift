import AstroSvitla
import Foundation
import Testing

@Suite struct DeliveryDecisionTests {
  private let refund = PaidTransaction.Revocation(date: Fixtures.base.addingTimeInterval(500), reason: 0)

  @Test func `a new transaction is delivered with the credits of its product and quantity`() {
    for product in CreditProduct.allCases {
      for quantity in 1...10 {
        let paid = Fixtures.paid(product, quantity: quantity)
        #expect(DeliveryDecision(paid, known: nil) == .deliver(credits: product.credits * quantity))
      }
    }
    #expect(CreditProduct.allCases.map(\.credits) == [1, 5, 10])
  }

  @Test func `one that is known is only finished`() {
    #expect(DeliveryDecision(Fixtures.paid(), known: .init()) == .finish)
  }

  @Test func `a refund comes before the question whether it is known`() {
    let paid = Fixtures.paid(revocation: refund)
    #expect(DeliveryDecision(paid, known: .init()) == .revoke(credits: 0))
    #expect(DeliveryDecision(paid, known: nil) == .revoke(credits: 1))
  }

  @Test func `a refund that is written down is only finished`() {
    let known = DeliveryDecision.Known(revocation: refund, revocationSignedAt: Fixtures.base)
    #expect(DeliveryDecision(Fixtures.paid(revocation: refund, signedAfter: 9), known: known) == .finish)
  }

  /// Only the date was compared, so that a second prorated refund of the same date was taken for a copy of the first.
  @Test func `a refund of another part is news, though it bears the same date`() {
    var (half, whole) = (refund, refund)
    half.percentage = 50
    whole.percentage = 100
    let known = DeliveryDecision.Known(revocation: half, revocationSignedAt: Fixtures.base.addingTimeInterval(600))
    #expect(DeliveryDecision(Fixtures.paid(revocation: half, signedAfter: 700), known: known) == .finish)
    #expect(DeliveryDecision(Fixtures.paid(revocation: whole, signedAfter: 700), known: known) == .revoke(credits: 0))
    #expect(DeliveryDecision(Fixtures.paid(revocation: whole, signedAfter: 500), known: known) == .finish)
    // Without a percentage all of it is meant.
    let all = DeliveryDecision.Known(revocation: whole, revocationSignedAt: Fixtures.base)
    #expect(DeliveryDecision(Fixtures.paid(revocation: refund, signedAfter: 700), known: all) == .finish)
  }

  @Test func `a reversal gives back, but an older copy of the purchase does not`() {
    let known = DeliveryDecision.Known(
      revocation: refund, revocationSignedAt: Fixtures.base.addingTimeInterval(600))
    #expect(DeliveryDecision(Fixtures.paid(signedAfter: 700), known: known) == .restore(credits: 1))
    #expect(DeliveryDecision(Fixtures.paid(signedAfter: 10), known: known) == .finish)
  }

  @Test func `an older copy of a refund does not undo its reversal`() {
    let known = DeliveryDecision.Known(revocation: nil, revocationSignedAt: Fixtures.base.addingTimeInterval(900))
    #expect(DeliveryDecision(Fixtures.paid(revocation: refund, signedAfter: 600), known: known) == .finish)
    #expect(DeliveryDecision(Fixtures.paid(revocation: refund, signedAfter: 950), known: known) == .revoke(credits: 0))
  }

  @Test func `what is wrong is put aside with its reason, known or not`() {
    var other = Fixtures.paid()
    other.key = TransactionKey(environment: "Xcode", bundleID: "com.other", transactionID: 1)
    var unknown = Fixtures.paid()
    unknown.productID = "com.astrosvitla.subscription.yearly"
    var wrong = Fixtures.paid()
    wrong.isConsumable = false
    var shared = Fixtures.paid()
    shared.isFamilyShared = true
    let cases: [(PaidTransaction, QuarantineReason)] = [
      (other, .otherApp), (unknown, .unknownProduct), (wrong, .wrongType), (shared, .familyShared),
      (Fixtures.paid(quantity: 0), .wrongQuantity), (Fixtures.paid(quantity: 11), .wrongQuantity),
    ]
    for (paid, reason) in cases {
      #expect(DeliveryDecision(paid, known: nil) == .quarantine(reason))
      #expect(DeliveryDecision(paid, known: .init()) == .quarantine(reason))
      var revoked = paid
      revoked.revocation = refund
      #expect(DeliveryDecision(revoked, known: nil) == .revoke(credits: 0))
    }
  }

  @Test func `the key is environment, app and number, and not the signed text`() {
    var copy = Fixtures.paid(7)
    copy.signedText = "another text"
    #expect(copy.key == Fixtures.paid(7).key)
    #expect(copy.key.text == "Xcode/com.astrosvitla/7")
    #expect(
      TransactionKey(environment: "Sandbox", bundleID: "com.astrosvitla", transactionID: 7) != copy.key)
  }
}

extension Fixtures {
  fileprivate static func paid(_ product: CreditProduct, quantity: Int) -> PaidTransaction {
    paid(0, product, quantity: quantity)
  }
}
