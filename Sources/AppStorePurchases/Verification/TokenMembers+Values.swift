import Foundation

/// The kinds of values that tokens hold. Each throws ``VerificationFailure`` of step `properties` instead of trapping.
extension TokenMembers {
  /// Times in milliseconds since 1970, up to the end of the year 9999: what every calendar code below can count.
  static let milliseconds = 0..<253_402_300_800_000.0

  func date(_ name: String) throws -> Date {
    try Self.unwrap(optionalDate(name), name)
  }

  func optionalDate(_ name: String) throws -> Date? {
    guard let milliseconds: Double = try optional(name) else { return nil }
    guard Self.milliseconds.contains(milliseconds) else { throw Self.mistyped(name) }
    return Date(timeIntervalSince1970: milliseconds / 1000)
  }

  /// A string that is not empty.
  func text(_ name: String) throws -> String {
    let text: String = try required(name)
    guard !text.isEmpty else { throw Self.mistyped(name) }
    return text
  }

  /// An id, written as a string of digits without leading zeros.
  func identifier(_ name: String) throws -> UInt64 {
    let text: String = try required(name)
    guard let number = UInt64(text), String(number) == text else { throw Self.mistyped(name) }
    return number
  }

  /// Nil when absent; else as ``identifier(_:)``.
  func optionalIdentifier(_ name: String) throws -> UInt64? {
    guard let _: String = try optional(name) else { return nil }
    return try identifier(name)
  }

  func uuid(_ name: String) throws -> UUID? {
    guard let text: String = try optional(name) else { return nil }
    guard let uuid = UUID(uuidString: text) else { throw Self.mistyped(name) }
    return uuid
  }

  /// An amount in thousandths, exact, not negative.
  func thousandths(_ name: String) throws -> Decimal? {
    guard let number: Int64 = try optional(name) else { return nil }
    guard number >= 0 else { throw Self.mistyped(name) }
    return Decimal(number) / 1000
  }

  func currency(_ name: String) throws -> Locale.Currency? {
    guard let code: String = try optional(name) else { return nil }
    guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { throw Self.mistyped(name) }
    return Locale.Currency(code)
  }

  func base64(_ name: String) throws -> Data? {
    guard let text: String = try optional(name) else { return nil }
    guard let data = Data(base64Encoded: text) else { throw Self.mistyped(name) }
    return data
  }

  func period(_ name: String) throws -> Product.SubscriptionPeriod? {
    guard let text: String = try optional(name) else { return nil }
    guard let period = Product.SubscriptionPeriod(iso8601: text) else { throw Self.mistyped(name) }
    return period
  }
}
