import LocalizedTexts

/// The payer: the business or the person. The raw values are the stored and imported names.
public enum SubscriptionCategory: String, CaseIterable, Codable, Hashable, Sendable {
  /// Paid by the business.
  case professional = "pro"
  /// Paid by the person.
  case personal

  /// Reads the stored name, and those that build 0.1.0 stored: `Pro` and `Personnel`.
  public init?(rawValue: String) {
    switch rawValue {
    case "pro", "Pro": self = .professional
    case "personal", "Personnel": self = .personal
    default: return nil
    }
  }

  /// Reads the stored name, the shown one, or the English one, in any case.
  public init(named text: String) throws {
    switch text.lowercased() {
    case "pro", "professional": self = .professional
    case "personal", "personnel": self = .personal
    default: throw SubscriptionError(.invalidValue, Sentence(.notACategory, .text(text)))
    }
  }

  /// The name shown to people, in French.
  public var displayName: String { name(in: AppLocale(.french)) }

  /// The name shown to people.
  public func name(in locale: AppLocale = .current) -> String {
    switch self {
    case .professional: locale.text(.professional)
    case .personal: locale.text(.personal)
    }
  }
}
