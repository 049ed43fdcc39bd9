/// Numbers of properties. No allocation below 64.
struct PropertySet {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  func forEach(_ body: (Int) throws -> Void) rethrows {
    var rest = low
    while rest != 0 {
      try body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    if high.isEmpty { return }
    for index in high.sorted() { try body(index) }
  }
}
