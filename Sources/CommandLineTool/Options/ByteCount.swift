import ArgumentParser

/// A number of bytes as a person writes it: `500000`, `500K`, `20M`, `1G`.
struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
  let value: Int

  init?(argument: String) {
    let units: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
    let unit = argument.last.flatMap { units[Character($0.lowercased())] }
    guard let number = Int(unit == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
    let (value, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge else { return nil }
    self.value = value
  }
}
