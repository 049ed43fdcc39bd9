/// The orders in which a receiver's files arrive one by one: all of them for few files, a drawn choice for many.
///
/// Every order up to ``exhaustive`` files (24 orders of 4); of more files ``drawn`` orders: as they were written, the
/// other way round, and others drawn with a seed.
struct FileOrders {
  static let exhaustive = 4
  static let drawn = 24

  /// How many orders are tried where a receiver gets so many files at most.
  static func count(of files: Int) -> Int {
    files > exhaustive ? drawn : (1...max(1, files)).reduce(1, *)
  }

  /// The places of the files in the order with this number, counted from 0: the order in which they were written.
  static func order(of files: Int, number: Int, seed: UInt64) -> [Int] {
    guard files > exhaustive else { return permutation(of: files, number % count(of: files)) }
    switch number {
    case 0: return Array(0..<files)
    case 1: return (0..<files).reversed()
    default:
      var generator = MixedNumbers(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      return (0..<files).shuffled(using: &generator)
    }
  }

  private static func permutation(of count: Int, _ number: Int) -> [Int] {
    var rest = Array(0..<count)
    var number = number
    return (0..<count).map { place in
      let smaller = (1...max(1, count - place - 1)).reduce(1, *)
      defer { number %= smaller }
      return rest.remove(at: number / smaller)
    }
  }

  /// Equal for equal scenarios, on every machine.
  static func seed(of scenario: String) -> UInt64 {
    scenario.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// SplitMix64.
private struct MixedNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
