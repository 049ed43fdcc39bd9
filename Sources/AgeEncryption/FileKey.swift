import Crypto
import Foundation

/// The 16 bytes, drawn by lot or of a seed, from which the other keys of one file follow.
struct FileKey {
  private static let byteCount = 16
  static let wrappedBytes = byteCount + 16
  /// A wrapping key is used once.
  private static let wrappingNonce = [UInt8](repeating: 0, count: 12)
  private let key: SymmetricKey

  init() { key = SymmetricKey(size: .bits128) }

  init(bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

  /// Nil where the key does not fit.
  init?(wrapped: [UInt8], by wrapping: SymmetricKey) {
    do {
      let box = try ChaChaPoly.SealedBox(combined: FileKey.wrappingNonce + wrapped)
      let bytes = try ChaChaPoly.open(box, using: wrapping)
      guard bytes.count == FileKey.byteCount else { return nil }
      key = SymmetricKey(data: bytes)
    } catch {
      // Another's stanza.
      return nil
    }
  }

  func wrapped(by wrapping: SymmetricKey) throws -> [UInt8] {
    let box = try ChaChaPoly.seal(
      key.withUnsafeBytes { Data($0) }, using: wrapping, nonce: .init(data: FileKey.wrappingNonce))
    return Array(box.ciphertext + box.tag)
  }

  func headerCode(of signed: some DataProtocol) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: signed, using: derived("header", salt: [])))
  }

  func isHeaderCode(_ code: [UInt8], of signed: some DataProtocol) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: derived("header", salt: []))
  }

  func payloadKey(nonce: [UInt8]) -> SymmetricKey { derived("payload", salt: nonce) }

  private func derived(_ purpose: String, salt: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: Array(purpose.utf8), outputByteCount: 32)
  }
}
