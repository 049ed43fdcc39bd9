public import Foundation

/// How often a subscription is charged. The raw values are the stored and imported names.
public enum BillingFrequency: String, CaseIterable, Codable, Hashable, Sendable {
  /// Every seven days.
  case weekly = "hebdomadaire"
  /// Every month.
  case monthly = "mensuel"
  /// Every three months.
  case quarterly = "trimestriel"
  /// Every year.
  case yearly = "annuel"

  /// Reads the stored name or the English one, in any case.
  public init(named text: String) throws {
    let name = text.lowercased()
    guard let match = Self.allCases.first(where: { $0.rawValue == name || "\($0)" == name }) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw SubscriptionError(.invalidValue, "the frequency “\(text)” is not known: use one of \(names)")
    }
    self = match
  }

  /// Charges in a year.
  public var chargesPerYear: Int {
    switch self {
    case .weekly: 52
    case .monthly: 12
    case .quarterly: 4
    case .yearly: 1
    }
  }

  /// A month's charges: 52/12, 1, 1/3, 1/12.
  public var monthlyMultiplier: Decimal { Decimal(chargesPerYear) / 12 }

  /// The name shown to people, in French.
  public var displayName: String {
    switch self {
    case .weekly: "Hebdomadaire"
    case .monthly: "Mensuel"
    case .quarterly: "Trimestriel"
    case .yearly: "Annuel"
    }
  }

  /// The distance of two charges: whole weeks, or whole months counted from the billing day.
  var step: Step {
    switch self {
    case .weekly: .days(7)
    case .monthly: .months(1)
    case .quarterly: .months(3)
    case .yearly: .months(12)
    }
  }

  enum Step: Hashable {
    case days(Int)
    case months(Int)
  }
}
