import AppStorePurchases
import Foundation
import Testing

/// Tokens that are good but for a few random changes: none may be believed, and none may end the process.
///
/// 2,000 by default; `TANDEM_MUTANTS=100000` for the long form, `TANDEM_SEED` for other changes.
@Suite struct MutationTests {
  @Test func `no mutant of a good token is believed`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["TANDEM_MUTANTS"].flatMap(Int.init) ?? 2000
    let seed = environment["TANDEM_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: .min ... .max)
    print("mutants: \(count) with TANDEM_SEED=\(seed)")
    let (text, verifier) = try TokenForge().make()
    let twin = SecondForm.of(text)
    var mutator = TokenMutator(seed: seed)
    var tried = 0
    for number in 0..<count {
      let mutant = mutator.mutate(text)
      guard mutant != text, mutant != twin else { continue }
      tried += 1
      let believed = try? await verifier.transaction(from: mutant, now: TokenForge.signed)
      #expect(believed == nil, "mutant \(number) of seed \(seed) was believed")
    }
    #expect(tried > count / 2)
  }
}

/// Changes a token in its characters, or in the bytes behind them, so that the deeper steps are reached too.
private struct TokenMutator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func mutate(_ text: String) -> String {
    var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let part = below(3)
    switch below(6) {
    case 0: return String(decoding: change(Array(text.utf8)), as: UTF8.self)
    case 1: parts[part] = bytes(of: parts[part]) { $0.change($1) }
    case 2 where part != 2: parts[part] = bytes(of: parts[part]) { $0.changeNumber($1) }
    case 3: parts.swapAt(part, below(3))
    case 4: parts[0] = bytes(of: parts[0]) { $0.changeCertificate($1) }
    default: parts[2] = bytes(of: parts[2]) { $0.change($1) }
    }
    return parts.joined(separator: ".")
  }

  private mutating func bytes(of part: String, _ change: (inout TokenMutator, [UInt8]) -> [UInt8]) -> String {
    let padded = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let data = Data(base64Encoded: padded + String(repeating: "=", count: (4 - part.utf8.count % 4) % 4)) ?? Data()
    return TokenForge.base64URL(Data(change(&self, Array(data))))
  }

  /// One to three bytes set, removed, doubled or flipped in one bit.
  private mutating func change(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(3) where !bytes.isEmpty {
      let index = below(bytes.count)
      switch below(4) {
      case 0: bytes[index] = UInt8(below(256))
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      default: bytes[index] ^= 1 << UInt8(below(8))
      }
    }
    return bytes
  }

  /// A digit of the JSON becomes another: dates, ids, prices.
  private mutating func changeNumber(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
    guard !digits.isEmpty else { return bytes }
    bytes[digits[below(digits.count)]] = 0x30 + UInt8(below(10))
    return bytes
  }

  /// Bytes of a certificate change, and the base64 around them stays right.
  private mutating func changeCertificate(_ bytes: [UInt8]) -> [UInt8] {
    guard var header = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
      var list = header["x5c"] as? [String]
    else { return bytes }
    let index = below(2)
    list[index] = Data(change(Array(Data(base64Encoded: list[index]) ?? Data()))).base64EncodedString()
    header["x5c"] = list
    return (try? JSONSerialization.data(withJSONObject: header)).map(Array.init) ?? bytes
  }

  /// splitmix64.
  private mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(bound))
  }
}
