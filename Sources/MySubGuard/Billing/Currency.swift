import Foundation
import LocalizedTexts

/// A currency by its code of ISO 4217, such as `EUR`.
public struct Currency: RawRepresentable, Codable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Three capital letters.
  public let rawValue: String

  /// The currency of subscriptions for which nobody named one.
  public static let euro = Currency(known: "EUR")

  /// Nil for anything but three capital letters. A code that is not in use is taken: a newer build of another device
  /// may know it.
  public init?(rawValue: String) {
    guard rawValue.utf8.count == 3, rawValue.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
      return nil
    }
    self.rawValue = rawValue
  }

  private init(known code: String) { rawValue = code }

  /// Reads a code in any case.
  /// - Throws: ``SubscriptionError`` `invalidValue` where no country uses the currency.
  public init(code text: String) throws {
    guard let currency = Currency(rawValue: text.uppercased()), Self.used.contains(currency.rawValue) else {
      throw SubscriptionError(.invalidValue, Sentence(.notACurrency, .text(text)))
    }
    self = currency
  }

  private static let used = Set(Locale.commonISOCurrencyCodes)

  /// The number of digits behind the point.
  public var decimals: Int { MinorUnit.decimals(of: rawValue) }

  /// The code.
  public var description: String { rawValue }

  /// By the code.
  public static func < (left: Currency, right: Currency) -> Bool { left.rawValue < right.rawValue }
}
