import AppStorePurchases
import Crypto
import Foundation
import Testing

@Suite struct VerificationTests {
  static let now = TokenForge.signed

  @Test(arguments: TokenCase.good) func `a good token is believed`(_ example: TokenCase) async throws {
    var forge = TokenForge()
    example.change(&forge)
    let (text, verifier) = try forge.make()
    let transaction = try await verifier.transaction(from: text, now: Self.now)
    #expect(transaction.appBundleID == TokenForge.bundleID)
    guard case .verified(let same) = try await verifier.result(for: text, now: Self.now) else {
      Issue.record("the result does not say what the verifier said")
      return
    }
    #expect(same == transaction)
  }

  @Test(arguments: TokenCase.bad) func `a bad token fails at its step`(_ example: TokenCase) async throws {
    var forge = TokenForge()
    example.change(&forge)
    let (text, verifier) = try forge.make()
    let failure = await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: text, now: Self.now)
    }
    #expect(failure?.step == example.step)
  }

  static let needed = ["transactionId", "productId", "purchaseDate", "type", "signedDate"]

  /// What StoreKit has as optional, or had not yet when it signed older tokens.
  static let optional = [
    "originalTransactionId", "originalPurchaseDate", "quantity", "inAppOwnershipType", "transactionReason",
    "storefront", "storefrontId", "price", "currency", "appAccountToken",
  ]

  @Test(arguments: optional) func `a token from before a property was there is believed`(_ name: String) async throws {
    for missing: (any Sendable)? in [nil, NSNull()] {
      var forge = TokenForge()
      forge.payload[name] = missing
      let (text, verifier) = try forge.make()
      let transaction = try await verifier.transaction(from: text, now: Self.now)
      #expect(transaction.originalID == transaction.id)
      #expect(transaction.originalPurchaseDate == transaction.purchaseDate)
      #expect(transaction.ownershipType == .purchased && transaction.reason == .purchase)
      #expect(transaction.purchasedQuantity == (name == "quantity" ? 1 : 2))
    }
  }

  @Test(arguments: optional) func `an optional property of another type throws`(_ name: String) async throws {
    var forge = TokenForge()
    forge.payload[name] = [1, 2]
    let (text, verifier) = try forge.make()
    let failure = await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: text, now: Self.now)
    }
    #expect(failure?.step == .properties)
  }

  @Test(arguments: ["P1Y6M", "P0D", "PT1H", "soon"])
  func `an offer of an unusual period is an offer without one`(_ period: String) async throws {
    var forge = TokenForge()
    forge.payload.merge(["offerType": 1, "offerPeriod": period, "offerDiscountType": "FREE_TRIAL"]) { $1 }
    let (text, verifier) = try forge.make()
    let offer = try #require(try await verifier.transaction(from: text, now: Self.now).offer)
    #expect(offer.period == nil && offer.paymentMode == .freeTrial)
  }

  @Test(arguments: needed) func `of a payload that is no transaction, the result keeps what can be read`(
    _ name: String
  ) async throws {
    for wrong: (any Sendable)? in [nil, [1, 2]] where name != "signedDate" || wrong == nil {
      var forge = TokenForge()
      forge.payload[name] = wrong
      let (text, verifier) = try forge.make()
      let result = try await verifier.result(for: text, now: Self.now)
      guard case .unverified(let remnant, .missingRequiredProperties) = result else {
        Issue.record("the result is \(result)")
        return
      }
      #expect(remnant.appBundleID == TokenForge.bundleID && remnant.environment == .xcode)
      #expect(remnant.productID == (name == "productId" ? "" : "com.example.credit"))
      #expect(result.verificationFailure?.step == .properties && result.jwsRepresentation == text)
    }
  }

  @Test(arguments: needed) func `a needed property that is missing or mistyped throws`(_ name: String) async throws {
    for wrong: (any Sendable)? in [nil, [1, 2], NSNull()] where name != "signedDate" || wrong == nil {
      var forge = TokenForge()
      forge.payload[name] = wrong
      let (text, verifier) = try forge.make()
      let failure = await #expect(throws: VerificationFailure.self) {
        try await verifier.transaction(from: text, now: Self.now)
      }
      #expect(failure?.step == .properties)
    }
  }

  static let impossible: [(String, any Sendable)] = [
    ("transactionId", 7), ("transactionId", "+7"), ("transactionId", "07"), ("transactionId", "18446744073709551616"),
    ("transactionId", ""), ("transactionId", "-1"), ("productId", ""), ("quantity", 0), ("quantity", 11),
    ("quantity", -1), ("quantity", 1.5), ("quantity", "1"), ("price", -1), ("price", 4.99), ("price", "4990"),
    ("price", 1e30), ("currency", "usd"), ("currency", ""), ("appAccountToken", "me"), ("purchaseDate", -1),
    ("purchaseDate", 1e20), ("expiresDate", "soon"), ("revocationDate", 253_402_300_800_000),
    ("revocationReason", "1"), ("isUpgraded", 1), ("offerType", "1"), ("deviceVerification", "%"),
    ("deviceVerificationNonce", "1"), ("webOrderLineItemId", 5),
  ]

  @Test func `an impossible value throws and never traps`() async throws {
    for (name, value) in Self.impossible {
      var forge = TokenForge()
      forge.payload[name] = value
      let (text, verifier) = try forge.make()
      let failure = await #expect(throws: VerificationFailure.self, "\(name)") {
        try await verifier.transaction(from: text, now: Self.now)
      }
      #expect(failure?.step == .properties, "\(name)")
    }
  }

  @Test func `every property has the value of the token`() async throws {
    var forge = TokenForge()
    forge.payload["revocationDate"] = 1_780_000_001_250
    forge.payload["revocationReason"] = 1
    forge.payload["revocationType"] = "REFUND_PRORATED"
    forge.payload["revocationPercentage"] = 12_500
    let (text, verifier) = try forge.make()
    let result = try await verifier.result(for: text, now: Self.now)
    let transaction = try result.payloadValue
    #expect(transaction.id == 0 && transaction.originalID == 0 && transaction.purchasedQuantity == 2)
    #expect(transaction.price == Decimal(string: "4.99") && transaction.currency == Locale.Currency("USD"))
    #expect(transaction.storefront.countryCode == "UKR" && transaction.storefront.id == "143492")
    #expect(transaction.environment == .xcode && transaction.reason == .purchase)
    #expect(transaction.productType == .consumable && transaction.ownershipType == .purchased)
    #expect(transaction.signedDate == TokenForge.signed && transaction.expirationDate == nil)
    #expect(transaction.revocationDate == Date(timeIntervalSince1970: 1_780_000_001.25))
    #expect(transaction.revocationReason == .developerIssue && transaction.revocationType == .proratedRefund)
    #expect(transaction.revocationPercentage == Decimal(string: "12.5"))
    #expect(result.jwsRepresentation == text && result.signatureData.count == 64)
    #expect(text.hasPrefix(String(decoding: result.signedData, as: UTF8.self) + "."))
    #expect(transaction.jsonRepresentation == result.payloadData)
  }

  @Test func `an unverified result keeps the transaction and the step`() async throws {
    var forge = TokenForge()
    forge.signature = { _, _ in Data(count: 64) }
    let (text, verifier) = try forge.make()
    let result = try await verifier.result(for: text, now: Self.now)
    guard case .unverified(let transaction, .invalidSignature) = result else {
      Issue.record("the result is \(result)")
      return
    }
    #expect(transaction.productID == "com.example.credit")
    #expect(result.verificationFailure?.step == .signature)
    #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) { try result.payloadValue }
  }

  @Test func `without a date of signing the certificates must be valid now`() async throws {
    var forge = TokenForge()
    forge.payload["signedDate"] = nil
    let (text, verifier) = try forge.make()
    let late = await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: text, now: .distantFuture.addingTimeInterval(1e12))
    }
    #expect(late?.step == .certificatePath)
    // The certificates hold; that the transaction needs the date is only said at its own step.
    let failure = await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: text, now: Self.now)
    }
    #expect(failure?.step == .properties)
  }

  @Test func `the second form of a signature is as good, and the transaction the same`() async throws {
    let (text, verifier) = try TokenForge().make()
    let twin = try #require(SecondForm.of(text))
    #expect(twin != text)
    let first = try await verifier.transaction(from: text, now: Self.now)
    #expect(try await verifier.transaction(from: twin, now: Self.now) == first)
  }

  @Test func `Apple's root certificate is the one Apple publishes`() throws {
    let digest = SHA256.hash(data: VerifierConfiguration.appleRootCertificate)
    #expect(
      digest.map { String(format: "%02x", $0) }.joined()
        == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
    _ = try VerifierConfiguration(
      anchors: [VerifierConfiguration.appleRootCertificate], bundleID: "a", environments: [.production])
  }

  @Test func `a configuration without a usable anchor is refused`() {
    for anchors in [[], [Data()], [Data([0x30, 0x00])]] {
      #expect(throws: VerifierConfiguration.ConfigurationError.self) {
        try VerifierConfiguration(anchors: anchors, bundleID: "a", environments: [.production])
      }
    }
  }
}
