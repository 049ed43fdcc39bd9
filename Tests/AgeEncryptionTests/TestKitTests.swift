import AgeEncryption
import Crypto
import Foundation
import Testing

/// What the format's own vectors say of each file.
struct TestKitTests {
  /// Of 71 vectors, 19 are of armour and of recipients that are not built.
  @Test(.enabled(if: TestKit.isThere, "the vectors do not lie beside the project"))
  func `each vector of the format ends as it says`() throws {
    var count = 0
    for vector in try TestKit.vectors() where vector.isOfWhatIsBuilt {
      guard let file = try vector.unpacked() else {
        print("\(vector.name) is left out: python3, which unpacks it, is not here")
        continue
      }
      #expect(try outcome(of: vector, file) == vector.facts["expect"]?.first, "\(vector.name)")
      count += 1
    }
    #expect(count >= 40)
  }

  private func outcome(of vector: TestKit.Vector, _ file: [UInt8]) throws -> String {
    let identities =
      try (vector.facts["identity"] ?? []).map { AgeIdentity.x25519(try X25519Identity($0)) }
      + (vector.facts["passphrase"] ?? []).map { .passphrase(ScryptPassphrase($0)) }
    do {
      let plain = try AgeFile.decrypt(file, with: identities)
      let hash = SHA256.hash(data: plain).map { String(format: "%02x", $0) }.joined()
      #expect(hash == vector.facts["payload"]?.first, "\(vector.name)")
      return "success"
    } catch let error as AgeError {
      switch error.code {
      case .malformedHeader: return "header failure"
      case .forgedHeader: return "HMAC failure"
      case .wrongKey: return "no match"
      case .damagedPayload: return "payload failure"
      case .malformedKey: return "malformed key"
      }
    }
  }
}
