/// SplitMix64: equal numbers for equal seeds, on every machine.
struct HistoryRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True so many times in a hundred.
  mutating func chance(_ percent: Int) -> Bool { number(in: 0..<100) < percent }

  mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(in: 0..<values.count)] }

  mutating func pickIfAny<Value>(_ values: [Value]) -> Value? { values.isEmpty ? nil : pick(values) }
}
