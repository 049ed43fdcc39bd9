import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

@Suite struct `Signing` {
  @Test(arguments: TokenDefect.allCases)
  func `a defective token arrives unverified, for its own reason`(defect: TokenDefect) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await appStore.simulate(defect)
      guard case .success(.unverified(let transaction, let error)) = try await phone.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "a token with \(defect) was believed")
      }
      #expect(transaction.productID == ShopFixture.credit)
      #expect(error == Self.expected(defect))
      for try await result in phone.transactions(.unfinished) {
        #expect(try result.payloadValue.id == 0, "the next token of the same purchase is sound")
      }
    }
  }

  private static func expected(_ defect: TokenDefect) -> VerificationResult<Transaction>.VerificationError {
    switch defect {
    case .invalidSignature, .shortSignature, .alteredPayload: .invalidSignature
    case .otherAlgorithm: .invalidEncoding
    case .foreignCertificates, .expiredCertificate, .missingCertificate: .invalidCertificateChain
    case .wrongDevice: .invalidDeviceVerification
    case .wrongBundleID, .wrongEnvironment, .missingProperty: .missingRequiredProperties
    }
  }

  @Test func `an app's own verifier believes a token on its device, and on no other`() async throws {
    try await withAppStore { appStore in
      let (phone, laptop) = (try await appStore.phone(), try await appStore.laptop())
      try await phone.bought(ShopFixture.credit)
      let token = try await appStore.signedTransaction(0, device: "phone")
      let onPhone = TransactionVerifier(try await phone.verifierConfiguration())
      #expect(try await onPhone.transaction(from: token, now: ShopFixture.start).id == 0)
      let onLaptop = TransactionVerifier(try await laptop.verifierConfiguration())
      await #expect(throws: VerificationFailure.self) {
        try await onLaptop.transaction(from: token, now: ShopFixture.start)
      }
    }
  }

  @Test func `rotation changes the signing certificates under the same root`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.credit)
      let root = try await appStore.rootCertificate()
      let verifier = TransactionVerifier(try await phone.verifierConfiguration())
      let before = try await appStore.signedTransaction(0, device: "phone")
      try await appStore.rotateCertificates()
      let after = try await appStore.signedTransaction(0, device: "phone")
      #expect(before.split(separator: ".")[0] != after.split(separator: ".")[0])
      #expect(try await appStore.rootCertificate() == root)
      for token in [before, after] {
        #expect(try await verifier.transaction(from: token, now: ShopFixture.start).id == 0)
      }
      #expect(try await phone.ids(.unfinished) == [0], "a client that runs goes on")
    }
  }

  @Test func `a new root is not that of verifiers made before`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.credit)
      let old = TransactionVerifier(try await phone.verifierConfiguration())
      try await appStore.rotateCertificates(includingRoot: true)
      let token = try await appStore.signedTransaction(0, device: "phone")
      await #expect(throws: VerificationFailure.self) {
        try await old.transaction(from: token, now: ShopFixture.start)
      }
      let new = TransactionVerifier(try await phone.verifierConfiguration())
      #expect(try await new.transaction(from: token, now: ShopFixture.start).id == 0)
      #expect(try await phone.ids(.all) == [0])
    }
  }

  /// Certificates end at whole seconds. One that should have ended a second ago was still valid at half of all times.
  @Test(arguments: [0, 0.001, 0.3, 0.5, 0.7, 0.999])
  func `expired certificates verify nothing until they are rotated, at any moment`(fraction: Double) async throws {
    try await withAppStore { appStore in
      try await appStore.stopClock(at: ShopFixture.start.addingTimeInterval(fraction))
      let phone = try await appStore.phone()
      try await appStore.expireCertificates()
      guard case .success(.unverified(_, .invalidCertificateChain)) = try await phone.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "an expired certificate was believed")
      }
      try await appStore.rotateCertificates()
      #expect(try await phone.ids(.unfinished) == [0])
    }
  }

  @Test func `a revoked certificate verifies nothing, old tokens included`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.credit)
      let token = try await appStore.signedTransaction(0, device: "phone")
      try await appStore.revokeCertificates()
      #expect(try await appStore.revokedCertificates().count == 1)
      guard case .success(.unverified(_, .revokedCertificate)) = try await phone.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "a revoked certificate was believed")
      }
      let verifier = TransactionVerifier(try await phone.verifierConfiguration())
      await #expect {
        try await verifier.transaction(from: token, now: ShopFixture.start)
      } throws: {
        ($0 as? VerificationFailure)?.step == .denyList
      }
      try await appStore.rotateCertificates()
      #expect(try await phone.ids(.unfinished) == [1, 0])
    }
  }

  @Test func `the same seed gives the same keys, another seed others`() throws {
    let (first, second) = (try SigningChain(seed: 7), try SigningChain(seed: 7))
    #expect(first.leaf.privateKey == second.leaf.privateKey)
    #expect(first.root.privateKey != first.leaf.privateKey)
    let rotated = try first.rotated(seed: 7, includingRoot: false, leafNotAfter: CertificateAuthority.notAfter)
    #expect(rotated.root == first.root)
    #expect(rotated.leaf.privateKey != first.leaf.privateKey)
    #expect(try SigningChain(seed: 8).leaf.privateKey != first.leaf.privateKey)
  }

  @Test func `each signature of one payload is another`() throws {
    let signer = try TokenSigner(SigningChain(seed: 7))
    let payload = Data("{}".utf8)
    let tokens = try (0..<20).map { _ in try signer.token(payload: payload) }
    #expect(Set(tokens).count == 20)
    #expect(Set(tokens.map { $0.split(separator: ".").prefix(2) }).count == 1)
  }
}
