import Crypto
import Foundation

/// A token with one thing wrong, and all else right.
struct DefectiveToken {
  private let defect: TokenDefect
  private let state: TokenState

  init(_ defect: TokenDefect, _ state: TokenState) {
    self.defect = defect
    self.state = state
  }

  func text(payload: Data) throws -> String {
    switch defect {
    case .foreignCertificates: return try TokenSigner(foreignChain()).token(payload: payload)
    case .expiredCertificate: return try TokenSigner(expiredChain()).token(payload: payload)
    case .missingProperty:
      return try TokenSigner(state.material.chain).token(payload: withoutType(payload))
    case .wrongDevice, .wrongBundleID, .wrongEnvironment:
      return try TokenSigner(state.material.chain).token(payload: changed(payload))
    default: return try damaged(TokenSigner(state.material.chain).token(payload: payload))
    }
  }

  /// Another App Store's certificates.
  private func foreignChain() throws -> SigningChain { try SigningChain(seed: ~state.settings.seed) }

  private func expiredChain() throws -> SigningChain {
    try state.material.chain.rotated(
      seed: state.settings.seed, includingRoot: false, leafNotAfter: CertificateAuthority.lapsedEnd(at: state.now))
  }

  /// A payload that is signed well and says something wrong.
  private func changed(_ payload: Data) throws -> Data {
    var members = try JSONDecoder().decode(TransactionPayload.self, from: payload)
    switch defect {
    case .wrongDevice:
      let other = SeededRandomness.uuid(seed: state.settings.seed, label: "no device")
      let nonce = SeededRandomness.uuid(seed: state.settings.seed, label: "no nonce")
      members.deviceVerification = TransactionPayload.deviceVerification(nonce: nonce, device: other)
      members.deviceVerificationNonce = nonce.uuidString.lowercased()
    case .wrongBundleID: members.bundleId += ".other"
    default: members.environment = "Sandbox"
    }
    return try members.json()
  }

  /// A payload that is signed well and does not say what kind of product it is about.
  private func withoutType(_ payload: Data) throws -> Data {
    var members = try JSONSerialization.jsonObject(with: payload) as? [String: Any] ?? [:]
    members["type"] = nil
    return try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys])
  }

  /// A token that was changed after it was signed.
  private func damaged(_ token: String) throws -> String {
    var parts = token.split(separator: ".").map(String.init)
    let bytes = parts.map { Base64URL.decode($0) ?? Data() }
    switch defect {
    case .invalidSignature:
      var signature = bytes[2]
      signature[signature.startIndex + 40] ^= 1
      parts[2] = Base64URL.encode(signature)
    case .shortSignature: parts[2] = Base64URL.encode(bytes[2].dropLast())
    case .alteredPayload:
      var members = try JSONDecoder().decode(TransactionPayload.self, from: bytes[1])
      members.quantity = members.quantity == 10 ? 9 : 10
      parts[1] = Base64URL.encode(try members.json())
    case .otherAlgorithm: parts[0] = header { $0.replacing("\"ES256\"", with: "\"HS256\"") }
    default: parts[0] = header { $0.replacing(#/,"[^",]*"\]/#, with: "]") }
    }
    return parts.joined(separator: ".")

    func header(_ change: (String) -> String) -> String {
      Base64URL.encode(Data(change(String(decoding: bytes[0], as: UTF8.self)).utf8))
    }
  }
}
