extension Product.SubscriptionPeriod {
  /// Reads a duration of ISO 8601 with one unit, such as `P1M` or `P3D`: how tokens and `.storekit` files write
  /// periods.
  ///
  /// Nil for anything else, for zero, and for numbers of more than four digits.
  init?(iso8601 text: String) {
    let digits = text.dropFirst().dropLast()
    guard text.first == "P", (1...4).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(digits), value > 0
    else { return nil }
    switch text.last {
    case "D": self.init(unit: .day, value: value)
    case "W": self.init(unit: .week, value: value)
    case "M": self.init(unit: .month, value: value)
    case "Y": self.init(unit: .year, value: value)
    default: return nil
    }
  }
}
