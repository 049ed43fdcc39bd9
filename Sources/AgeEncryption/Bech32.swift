/// The text form of keys: BIP 173 without its limit of 90 characters, as age uses it.
///
/// `<prefix>1<data><checksum>`: five bits a character, most significant first, and a checksum of six characters that
/// tells any four wrong ones. Either all letters are small or all are capital.
package enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let checksumCount = 6
  /// Longer than any key, so that a hostile text costs nothing.
  private static let greatestCount = 1024

  /// In small letters.
  package static func encode(_ bytes: [UInt8], prefix: String) -> String {
    let data = regroup(bytes, from: 8, to: 5, isPadded: true) ?? []
    let sum = checksum(expanded(Array(prefix.utf8)) + data + [UInt8](repeating: 0, count: checksumCount)) ^ 1
    let check = (0..<checksumCount).map { UInt8(truncatingIfNeeded: sum >> (5 * (5 - UInt32($0))) & 31) }
    return prefix + "1" + String(decoding: (data + check).map { alphabet[Int($0)] }, as: UTF8.self)
  }

  /// The bytes of a text with this prefix, which is given in small letters; nil for every other text.
  package static func decode(_ text: String, prefix: String) -> [UInt8]? {
    guard text.utf8.count <= greatestCount, text == text.lowercased() || text == text.uppercased() else { return nil }
    let text = Array(text.lowercased().utf8)
    let head = Array(prefix.utf8)
    guard text.starts(with: head + [UInt8(ascii: "1")]) else { return nil }
    let values = text.dropFirst(head.count + 1).map { alphabet.firstIndex(of: $0).map(UInt8.init) }
    let data = values.compactMap(\.self)
    guard data.count == values.count, data.count >= checksumCount, checksum(expanded(head) + data) == 1 else {
      return nil
    }
    return regroup(data.dropLast(checksumCount), from: 5, to: 8, isPadded: false)
  }

  private static func expanded(_ prefix: [UInt8]) -> [UInt8] {
    prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
  }

  private static func checksum(_ values: [UInt8]) -> UInt32 {
    let generators: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    return values.reduce(1) { sum, value in
      let top = sum >> 25
      let shifted = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
      return generators.enumerated().reduce(shifted) { top >> UInt32($1.offset) & 1 == 1 ? $0 ^ $1.element : $0 }
    }
  }

  /// Nil where bits are left over that are no padding.
  private static func regroup(
    _ values: some Collection<UInt8>, from: UInt32, to: UInt32, isPadded: Bool
  ) -> [UInt8]? {
    var (bits, count): (UInt32, UInt32) = (0, 0)
    var result: [UInt8] = []
    for value in values {
      bits = bits << from | UInt32(value)
      count += from
      while count >= to {
        count -= to
        result.append(UInt8(truncatingIfNeeded: bits >> count & ((1 << to) - 1)))
      }
      bits &= (1 << count) - 1
    }
    if isPadded {
      if count > 0 { result.append(UInt8(truncatingIfNeeded: bits << (to - count) & ((1 << to) - 1))) }
    } else {
      guard count < from, bits == 0 else { return nil }
    }
    return result
  }
}
