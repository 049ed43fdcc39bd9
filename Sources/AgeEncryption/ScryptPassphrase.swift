import Crypto
import CryptoExtras

/// A passphrase, and how much work each guess at it costs.
package struct ScryptPassphrase: Hashable, Sendable, CustomStringConvertible {
  static let stanzaType = "scrypt"
  /// The most that a reader does for a stranger's file: 2²⁰ rounds take 1 GiB and a few seconds.
  static let greatestWorkFactor = 20
  private static let saltBytes = 16
  private let passphrase: String
  private let workFactor: Int

  /// `workFactor`: the binary logarithm of the rounds; 18 takes 256 MiB and about a second.
  package init(_ passphrase: String, workFactor: Int = 18) {
    precondition(
      (1...ScryptPassphrase.greatestWorkFactor).contains(workFactor), "a work factor lies between 1 and 20")
    self.passphrase = passphrase
    self.workFactor = workFactor
  }

  package var description: String { "a passphrase" }

  func wrap(_ fileKey: FileKey) throws -> AgeStanza {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    return AgeStanza(
      type: ScryptPassphrase.stanzaType, arguments: [CanonicalBase64.encode(salt), "\(workFactor)"],
      body: try fileKey.wrapped(by: key(salt: salt, workFactor: workFactor)))
  }

  /// The file key; nil for another passphrase. Throws ``AgeError`` `malformedHeader`.
  func unwrap(_ stanza: AgeStanza) throws -> FileKey? {
    guard stanza.type == ScryptPassphrase.stanzaType else { return nil }
    guard stanza.arguments.count == 2, let salt = CanonicalBase64.decode(Array(stanza.arguments[0].utf8)[...]),
      salt.count == ScryptPassphrase.saltBytes, stanza.body.count == FileKey.wrappedBytes,
      let factor = ScryptPassphrase.factor(stanza.arguments[1])
    else { throw AgeError.malformed("a stanza for a passphrase does not have the form of one") }
    guard factor <= ScryptPassphrase.greatestWorkFactor else {
      throw AgeError.malformed(
        "its passphrase asks for 2^\(factor) rounds of work, and this program does at most "
          + "2^\(ScryptPassphrase.greatestWorkFactor)"
      )
    }
    return FileKey(wrapped: stanza.body, by: try key(salt: salt, workFactor: factor))
  }

  /// Decimal digits of which the first is no zero.
  private static func factor(_ text: String) -> Int? {
    guard text.utf8.count <= 2, text.utf8.first != UInt8(ascii: "0"),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  private func key(salt: [UInt8], workFactor: Int) throws -> SymmetricKey {
    let rounds = 1 << workFactor
    return try KDF.Scrypt.deriveKey(
      from: Array(passphrase.utf8), salt: Array("age-encryption.org/v1/scrypt".utf8) + salt, outputByteCount: 32,
      rounds: rounds, blockSize: 8, parallelism: 1, maxMemory: 1024 * rounds + (4 << 20))
  }
}
