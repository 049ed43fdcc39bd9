import AppStorePurchases
import AstroSvitla
import Foundation
import Testing

@Suite struct PurchaseMessageTests {
  @Test func `every row of the table has a sentence in each language`() {
    var seen: Set<String> = []
    for kind in PurchaseMessage.Kind.allCases {
      for language in AppLanguage.allCases {
        let text = PurchaseMessage(kind).text(in: language)
        #expect(text.count > 20 && text.hasSuffix("."))
        #expect(seen.insert(text).inserted, "two rows say the same: \(text)")
        let isCyrillic = text.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
        #expect(isCyrillic == (language == .ukrainian))
      }
    }
  }

  @Test func `each error is said in its row, and cancelling is silent`() {
    let rows: [(any Error, PurchaseMessage.Kind?)] = [
      (StoreKitError.userCancelled, nil), (CancellationError(), nil),
      (StoreKitError.networkError(URLError(.notConnectedToInternet)), .network), (URLError(.timedOut), .network),
      (StoreKitError.unknown, .system), (StoreKitError.notEntitled, .system), (StoreKitError.unsupported, .system),
      (StoreKitError.systemError(URLError(.unknown)), .system),
      (StoreKitError.notAvailableInStorefront, .notAvailableInRegion),
      (Product.PurchaseError.productUnavailable, .notAvailableInRegion),
      (Product.PurchaseError.purchaseNotAllowed, .purchasesTurnedOff),
      (Product.PurchaseError.invalidQuantity, .invalidQuantity),
      (Product.PurchaseError.ineligibleForOffer, .system),
      (VerificationResult<Transaction>.VerificationError.invalidSignature, .verificationFailed),
      (AstroSvitlaError(.notEnoughCredits, "x", ukrainian: "х"), .notEnoughCredits),
      (AstroSvitlaError(.verificationFailed, "x", ukrainian: "х"), .verificationFailed),
      (AstroSvitlaError(.productUnavailable, "x", ukrainian: "х"), .notAvailableInRegion),
      (AstroSvitlaError(.purchasesTurnedOff, "x", ukrainian: "х"), .purchasesTurnedOff),
      (AstroSvitlaError(.generationFailed, "x", ukrainian: "х"), .generationFailed),
      (AstroSvitlaError(.alreadyPurchased, "x", ukrainian: "х"), .alreadyPurchased),
      (AstroSvitlaError(.notFound, "x", ukrainian: "х"), nil),
    ]
    for (error, kind) in rows { #expect(PurchaseMessage(for: error)?.kind == kind, "\(error)") }
  }

  @Test func `the language is the one of the environment, the strongest variable first`() {
    #expect(AppLanguage(environment: [:]) == .english)
    #expect(AppLanguage(environment: ["LANG": "uk_UA.UTF-8"]) == .ukrainian)
    #expect(AppLanguage(environment: ["LANG": "uk_UA.UTF-8", "LC_ALL": "en_GB"]) == .english)
    #expect(AppLanguage(environment: ["LANG": "uk_UA.UTF-8", "LC_ALL": ""]) == .ukrainian)
    #expect(AppLanguage(environment: ["LANG": "C.UTF-8"]) == .english)
    #expect(AppLanguage(environment: ["LC_MESSAGES": "de_DE", "LANG": "uk"]) == .english)
  }
}
