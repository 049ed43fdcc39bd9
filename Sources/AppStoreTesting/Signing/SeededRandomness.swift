import Crypto
import Foundation

/// Random bytes that a seed and a label give again: SHA-256 of the seed, the label and a counter, block by block.
///
/// Keys made of it are as weak as the seed. That is right here: they sign nothing outside a test.
struct SeededRandomness: RandomNumberGenerator {
  private let prefix: [UInt8]
  private var counter: UInt64 = 0
  private var block: [UInt8] = []

  init(seed: UInt64, label: String) {
    prefix = withUnsafeBytes(of: seed.littleEndian) { Array($0) } + Array(label.utf8)
  }

  mutating func bytes(count: Int) -> [UInt8] {
    while block.count < count {
      counter += 1
      let suffix = withUnsafeBytes(of: counter.littleEndian) { Array($0) }
      block += SHA256.hash(data: prefix + [0] + suffix)
    }
    defer { block.removeFirst(count) }
    return Array(block.prefix(count))
  }

  mutating func next() -> UInt64 {
    bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A version 8 UUID of the next bytes.
  mutating func uuid() -> UUID {
    var bytes = bytes(count: 16)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  static func uuid(seed: UInt64, label: String) -> UUID {
    var randomness = SeededRandomness(seed: seed, label: label)
    return randomness.uuid()
  }
}
