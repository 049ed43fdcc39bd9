import AppStorePurchases
import Foundation
import Testing

/// A path of certificates is checked once, and never believed longer, or for more, than when it is checked anew.
@Suite struct PathCacheTests {
  @Test func `tokens of one path check it once, those of another path check that`() async throws {
    let (text, verifier) = try TokenForge().make()
    for _ in 0..<5 { _ = try await verifier.transaction(from: text, now: TokenForge.signed) }
    #expect(verifier.paths.checkedCount == 1)
    let (other, _) = try TokenForge().make()
    await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: other, now: TokenForge.signed)
    }
    #expect(verifier.paths.checkedCount == 1)
  }

  @Test func `a path that is known holds only within its validity`() async throws {
    var forge = TokenForge()
    forge.plan.leafDates = TokenForge.signed.addingTimeInterval(-10)...TokenForge.signed.addingTimeInterval(10)
    let chain = try TestChain(forge.plan)
    let verifier = try TokenForge.verifier(trusting: chain)
    for (offset, isGood) in [(0.0, true), (10, true), (11, false), (-10, true), (-11, false)] {
      let milliseconds = Int(TokenForge.signed.timeIntervalSince1970 + offset) * 1000
      var payload = TokenForge.goodPayload
      payload["signedDate"] = milliseconds
      let text = try forge.token(payload, of: chain)
      if isGood {
        _ = try await verifier.transaction(from: text, now: TokenForge.signed)
      } else {
        let failure = await #expect(throws: VerificationFailure.self) {
          try await verifier.transaction(from: text, now: TokenForge.signed)
        }
        #expect(failure?.step == .certificatePath, "\(offset)")
      }
    }
    #expect(verifier.paths.checkedCount == 1)
  }

  @Test func `a bad signature is refused on a path that is known`() async throws {
    let forge = TokenForge()
    let chain = try TestChain(forge.plan)
    let verifier = try TokenForge.verifier(trusting: chain)
    let text = try forge.token(TokenForge.goodPayload, of: chain)
    _ = try await verifier.transaction(from: text, now: TokenForge.signed)
    let parts = text.split(separator: ".")
    let forged = "\(parts[0]).\(parts[1]).\(TokenForge.base64URL(Data(count: 64)))"
    let failure = await #expect(throws: VerificationFailure.self) {
      try await verifier.transaction(from: forged, now: TokenForge.signed)
    }
    #expect(failure?.step == .signature)
  }

  @Test func `a known header is known by each of its bytes`() async throws {
    let forge = TokenForge()
    let chain = try TestChain(forge.plan)
    let verifier = try TokenForge.verifier(trusting: chain)
    let text = try forge.token(TokenForge.goodPayload, of: chain)
    _ = try await verifier.transaction(from: text, now: TokenForge.signed)
    // A sign for Kelvin is canonically a K, and no character of base64url.
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let letter = try #require(parts[0].firstIndex(of: "K"))
    let kelvin = parts[0].replacingCharacters(in: letter..<parts[0].index(after: letter), with: "\u{212A}")
    #expect(kelvin == parts[0])
    for header in [kelvin, parts[0].dropLast() + "", "", parts[0] + "=", parts[0] + "."] {
      await #expect(throws: VerificationFailure.self, "\(header.suffix(8))") {
        try await verifier.transaction(from: "\(header).\(parts[1]).\(parts[2])", now: TokenForge.signed)
      }
    }
    _ = try await verifier.transaction(from: text, now: TokenForge.signed)
  }

  @Test func `many tokens at once have the results that each has alone, in their order`() async throws {
    let forge = TokenForge()
    let chain = try TestChain(forge.plan)
    let verifier = try TokenForge.verifier(trusting: chain)
    var texts: [String] = []
    for number in 1...100 {
      var payload = TokenForge.goodPayload
      payload["transactionId"] = "\(number)"
      if number % 7 == 0 { payload["bundleId"] = "com.example.other" }
      texts.append(try forge.token(payload, of: chain))
    }
    let results = try await verifier.results(for: texts, now: TokenForge.signed)
    #expect(results.map(\.unsafePayloadValue.id) == Array(1...100))
    #expect(results.map { $0.verificationFailure == nil } == (1...100).map { $0 % 7 != 0 })
    #expect(try await verifier.results(for: [], now: TokenForge.signed).isEmpty)
    await #expect(throws: VerificationFailure.self) {
      try await verifier.results(for: texts + ["no token"], now: TokenForge.signed)
    }
  }
}

extension TokenForge {
  fileprivate static func verifier(trusting chain: TestChain) throws -> TransactionVerifier {
    TransactionVerifier(
      try VerifierConfiguration(
        anchors: [chain.root], bundleID: bundleID, environments: [.xcode], deviceVerificationID: deviceID))
  }

  /// A token with a payload, signed by a chain that is there already.
  fileprivate func token(_ payload: Object, of chain: TestChain) throws -> String {
    var header = header
    header["x5c"] = chain.x5c
    let signedText = try [header, payload].map { Self.base64URL(Data(try Self.json($0).utf8)) }
      .joined(separator: ".")
    return signedText + "." + Self.base64URL(try signature(Data(signedText.utf8), chain))
  }
}
