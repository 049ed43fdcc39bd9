import AppStorePurchases
import Crypto
import Foundation
import Testing

/// Makes one token, good unless a test turns a knob, and the configuration that is to judge it.
///
/// Written apart from the minting of `AppStoreTesting`, so that the two check each other.
struct TokenForge {
  typealias Object = [String: any Sendable]

  static let bundleID = "com.example.app"
  static let deviceID = UUID(uuidString: "0F0E0D0C-0B0A-0908-0706-050403020100")!
  static let nonce = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
  static let signed = Date(timeIntervalSince1970: 1_780_000_000)

  var plan = TestChain.Plan()
  var header: Object = ["alg": "ES256", "kid": "ignored", "typ": "JWT"]
  var payload: Object = Self.goodPayload
  var certificates: @Sendable (TestChain) -> any Sendable = { $0.x5c }
  var hasCertificates = true
  var signature: @Sendable (Data, TestChain) throws -> Data = { data, chain in
    try chain.leafKey.signature(for: data).rawRepresentation
  }
  var headerText: String?
  var payloadText: String?
  var text: @Sendable (String) -> String = { $0 }
  var environments: Set<AppStore.Environment> = [.xcode]
  var denied: @Sendable (TestChain) -> [Data] = { _ in [] }
  var anchor: @Sendable (TestChain) throws -> Data = { $0.root }
  var deviceID: UUID? = Self.deviceID
  /// The app that the verifier is configured for.
  var appID = Self.bundleID
  var appAppleID: UInt64?
  var xcodeCertificates: @Sendable (TestChain) -> Set<Data> = { _ in [] }

  static var goodPayload: Object {
    [
      "transactionId": "0", "originalTransactionId": "0", "bundleId": bundleID, "productId": "com.example.credit",
      "purchaseDate": 1_779_999_000_000, "originalPurchaseDate": 1_779_999_000_000, "quantity": 2,
      "type": "Consumable", "inAppOwnershipType": "PURCHASED", "signedDate": 1_780_000_000_000, "environment": "Xcode",
      "transactionReason": "PURCHASE", "storefront": "UKR", "storefrontId": "143492", "price": 4990,
      "currency": "USD", "appAccountToken": "6a1f0f4e-6f0d-4b43-9f53-2f6c7a3a0b11",
      "deviceVerification": DeviceVerification.value(nonce: nonce, deviceID: deviceID).base64EncodedString(),
      "deviceVerificationNonce": nonce.uuidString.lowercased(),
    ]
  }

  /// A token and the verifier for it.
  func make() throws -> (text: String, verifier: TransactionVerifier) { try make(by: TestChain(plan)) }

  /// A token that `chain` signs, and the verifier for it.
  func make(by chain: TestChain) throws -> (text: String, verifier: TransactionVerifier) {
    var header = header
    if hasCertificates { header["x5c"] = certificates(chain) }
    let parts = try [
      headerText ?? Self.json(header), payloadText ?? Self.json(payload),
    ].map { Self.base64URL(Data($0.utf8)) }
    let signedText = parts.joined(separator: ".")
    let token = signedText + "." + Self.base64URL(try signature(Data(signedText.utf8), chain))
    var configuration = try VerifierConfiguration(
      anchors: [anchor(chain)], bundleID: appID, environments: environments,
      deniedCertificates: Set(denied(chain).map { Data(SHA256.hash(data: $0)) }), deviceVerificationID: deviceID)
    configuration.xcodeCertificates = xcodeCertificates(chain)
    configuration.appAppleID = appAppleID
    return (text(token), TransactionVerifier(configuration))
  }

  static func json(_ object: Object) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
  }

  static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}

/// A way to spoil, or to keep, a token, named for the test's output.
struct TokenCase: Sendable, CustomTestStringConvertible {
  let name: String
  let step: VerificationFailure.Step?
  let change: @Sendable (inout TokenForge) -> Void

  var testDescription: String { name }

  static func bad(
    _ step: VerificationFailure.Step, _ name: String, _ change: @escaping @Sendable (inout TokenForge) -> Void
  ) -> TokenCase {
    TokenCase(name: name, step: step, change: change)
  }

  static func good(_ name: String, _ change: @escaping @Sendable (inout TokenForge) -> Void) -> TokenCase {
    TokenCase(name: name, step: nil, change: change)
  }
}
