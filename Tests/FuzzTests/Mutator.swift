import TestSupport

/// Changes inputs as libFuzzer's own mutations do: bits, bytes, numbers at the ends of their ranges, pieces copied,
/// moved, left out, or taken from another input.
struct Mutator: Sendable {
  private let corpus: [[UInt8]]
  private var generator: SeededGenerator
  var seed: UInt64 { generator.seed }

  /// Numbers that arithmetic trips over, little-endian.
  private static let numbers: [[UInt8]] = {
    let edges: [UInt64] = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, .max / 2, .max]
    let fixed = edges.flatMap { edge in
      [1, 2, 4, 8].map { width in (0..<width).map { UInt8(truncatingIfNeeded: edge >> UInt64(8 * $0)) } }
    }
    // The greatest number of variable length.
    return fixed + [[UInt8](repeating: 0xFF, count: 9) + [1]]
  }()

  init(_ corpus: [[UInt8]], generator: SeededGenerator) {
    self.corpus = corpus
    self.generator = generator
  }

  /// One of the corpus with one to eight changes.
  mutating func next(maximumByteCount: Int) -> [UInt8] {
    var input = generator.pick(corpus)
    for _ in 0..<Int.random(in: 1...8, using: &generator) { change(&input) }
    return Array(input.prefix(maximumByteCount))
  }

  private mutating func change(_ input: inout [UInt8]) {
    guard !input.isEmpty else {
      input = Self.numbers[0]
      return
    }
    let place = Int.random(in: 0..<input.count, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: input[place] = UInt8.random(in: 0...255, using: &generator)
    case 2: input.replaceSubrange(place..<input.count, with: overwritten(input[place...]))
    case 3: input.removeSubrange(piece(from: place, of: input))
    case 4: input.insert(contentsOf: input[piece(from: place, of: input)], at: place)
    case 5: input.insert(contentsOf: Self.numbers[Int.random(in: 0..<Self.numbers.count, using: &generator)], at: place)
    case 6: input.removeSubrange(place...)
    default:
      let other = generator.pick(corpus)
      guard !other.isEmpty else { return }
      let start = Int.random(in: 0..<other.count, using: &generator)
      input.replaceSubrange(place..<place, with: other[piece(from: start, of: other)])
    }
  }

  /// The same bytes with a number of the edges over the first of them.
  private mutating func overwritten(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let number = generator.pick(Self.numbers)
    return Array((number + bytes.dropFirst(number.count)).prefix(bytes.count))
  }

  private mutating func piece(from place: Int, of bytes: [UInt8]) -> Range<Int> {
    place..<min(bytes.count, place + Int.random(in: 1...64, using: &generator))
  }
}
