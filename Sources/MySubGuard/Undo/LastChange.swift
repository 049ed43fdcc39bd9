import Foundation
import LocalizedTexts

/// The last change that a program made on this device, with all that is needed to take it back.
struct LastChange: Codable, Hashable {
  /// The kind of the change.
  enum Kind: String, Codable, CaseIterable {
    case added, edited, deleted, priced, paid, imported, undone
  }

  /// One subscription before and after; nil where there was none, or is none.
  struct Edit: Codable, Hashable {
    var before: SubscriptionSnapshot?
    var after: SubscriptionSnapshot?
  }

  var kind: Kind
  /// Subscriptions that the change made. Their ids are enough to take them away.
  var added: [UUID] = []
  var edits: [Edit] = []

  init(_ kind: Kind) { self.kind = kind }

  var isEmpty: Bool { added.isEmpty && edits.isEmpty }

  static func decimal(_ text: String) throws -> Decimal {
    guard let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
      throw SubscriptionError(.invalidValue, Sentence(.notAnAmount, .text(text)))
    }
    return value
  }

  static func currency(_ text: String) throws -> Currency {
    guard let currency = Currency(rawValue: text) else {
      throw SubscriptionError(.invalidValue, Sentence(.notACurrency, .text(text)))
    }
    return currency
  }
}
