public import Foundation
import LocalizedTexts

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
  /// Every four weeks, which is thirteen times a year.
  case fourWeekly = "quadrihebdomadaire"
  /// Every two months.
  case twoMonthly = "bimestriel"
  /// Every six months.
  case halfYearly = "semestriel"

  /// Reads the stored name or the English one, in any case: `half-yearly` and `halfYearly` are the same.
  public init(named text: String) throws {
    let name = text.lowercased().filter { $0 != "-" && $0 != " " }
    guard let match = Self.allCases.first(where: { $0.rawValue == name || "\($0)".lowercased() == name }) else {
      throw SubscriptionError(.invalidValue, Sentence(.notAFrequency, .text(text)))
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
    case .fourWeekly: 13
    case .twoMonthly: 6
    case .halfYearly: 2
    }
  }

  /// A month's charges: 52/12, 1, 1/3, 1/12; of the others 13/12, 1/2, 1/6.
  public var monthlyMultiplier: Decimal { Decimal(chargesPerYear) / 12 }

  /// The name shown to people, in French.
  public var displayName: String { name(in: AppLocale(.french)) }

  /// The name shown to people.
  public func name(in locale: AppLocale = .current) -> String {
    switch self {
    case .weekly: locale.text(.weekly)
    case .monthly: locale.text(.monthly)
    case .quarterly: locale.text(.quarterly)
    case .yearly: locale.text(.yearly)
    case .fourWeekly: locale.text(.fourWeekly)
    case .twoMonthly: locale.text(.twoMonthly)
    case .halfYearly: locale.text(.halfYearly)
    }
  }

  /// The distance of two charges: whole weeks, or whole months counted from the billing day.
  var step: Step {
    switch self {
    case .weekly: .days(7)
    case .fourWeekly: .days(28)
    case .monthly: .months(1)
    case .twoMonthly: .months(2)
    case .quarterly: .months(3)
    case .halfYearly: .months(6)
    case .yearly: .months(12)
    }
  }

  enum Step: Hashable {
    case days(Int)
    case months(Int)

    var isDays: Bool { if case .days = self { true } else { false } }
  }
}
