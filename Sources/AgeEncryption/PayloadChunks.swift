import Crypto
import Foundation

/// The payload's chunks: 64 KiB of plaintext each, sealed by ChaCha20-Poly1305 under a counter; the last one's nonce
/// says that it is the last, so that nothing can be cut off, put in another order or added.
struct PayloadChunks {
  static let plainBytes = 64 << 10
  static let tagBytes = 16
  static let sealedBytes = plainBytes + tagBytes
  static let nonceBytes = 16

  private let key: SymmetricKey
  private(set) var count: UInt64 = 0

  init(_ fileKey: FileKey, nonce: [UInt8]) { key = fileKey.payloadKey(nonce: nonce) }

  mutating func seal(_ plain: ArraySlice<UInt8>, isLast: Bool, into output: inout [UInt8]) throws {
    let box = try ChaChaPoly.seal(plain, using: key, nonce: .init(data: nextNonce(isLast)))
    output.append(contentsOf: box.ciphertext)
    output.append(contentsOf: box.tag)
  }

  /// Throws ``AgeError`` `damagedPayload`.
  mutating func open(_ sealed: ArraySlice<UInt8>, isLast: Bool, into output: inout [UInt8]) throws {
    // A last chunk without content would be a second way to write the same file.
    let isSuperfluous = sealed.count == PayloadChunks.tagBytes && count > 0
    guard sealed.count >= PayloadChunks.tagBytes, !isSuperfluous else { throw PayloadChunks.damage }
    do {
      let nonce = try ChaChaPoly.Nonce(data: nextNonce(isLast))
      let box = try ChaChaPoly.SealedBox(
        nonce: nonce, ciphertext: sealed.dropLast(PayloadChunks.tagBytes), tag: sealed.suffix(PayloadChunks.tagBytes))
      output.append(contentsOf: try ChaChaPoly.open(box, using: key))
    } catch {
      throw PayloadChunks.damage
    }
  }

  static let damage = AgeError(.damagedPayload, "its content was changed, cut short or lengthened")

  /// Eleven bytes of the counter, most significant first, and one that is 1 for the last chunk.
  private mutating func nextNonce(_ isLast: Bool) -> [UInt8] {
    defer { count += 1 }
    var nonce = [UInt8](repeating: 0, count: 12)
    for offset in 0..<8 { nonce[10 - offset] = UInt8(truncatingIfNeeded: count >> (8 * UInt64(offset))) }
    nonce[11] = isLast ? 1 : 0
    return nonce
  }
}
