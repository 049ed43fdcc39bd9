public import Foundation

/// Random numbers that can be had again: SplitMix64 from a seed, which is printed when it is drawn.
///
/// `TANDEM_SEED=<number>` in the environment repeats a run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Draws a seed, or takes the one of the environment, and prints it with the name of the test.
  ///
  /// The name counts too: runs of several names under one seed differ from each other.
  public static func announced(_ name: String = #function) -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["TANDEM_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(name): TANDEM_SEED=\(seed)")
    // FNV-1a: the same in every process.
    let mark = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    var generator = SeededGenerator(seed: seed)
    generator.state ^= mark
    return generator
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The bytes that a seed gives, always the same.
  public static func bytes(_ count: Int, _ seed: UInt64) -> Data {
    var generator = SeededGenerator(seed: seed)
    return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
  }

  /// True once in `count` times.
  public mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  public mutating func pick<Values: Collection>(_ values: Values) -> Values.Element {
    guard let value = values.randomElement(using: &self) else {
      preconditionFailure("there is something to pick from")
    }
    return value
  }
}
