import Foundation
import Tandem
import Testing

@testable import MySubGuard

/// The rows of the app's document that name values, texts and formulas; the article Requirements lists them.
@Suite struct DocumentedRequirementsTests {
  @Test func `a month of each rhythm is its part of the year`() {
    #expect(BillingFrequency.monthly.monthlyMultiplier == 1)
    #expect(BillingFrequency.weekly.monthlyMultiplier == Decimal(52) / 12)
    #expect(BillingFrequency.quarterly.monthlyMultiplier == Decimal(1) / 3)
    #expect(BillingFrequency.yearly.monthlyMultiplier == Decimal(1) / 12)
    #expect(BillingFrequency.fourWeekly.monthlyMultiplier == Decimal(13) / 12)
    #expect(BillingFrequency.twoMonthly.monthlyMultiplier == Decimal(1) / 2)
    #expect(BillingFrequency.halfYearly.monthlyMultiplier == Decimal(1) / 6)
  }

  @Test func `frequencies have the raw values and the names of the document`() {
    let frequencies: [BillingFrequency] = [.weekly, .monthly, .quarterly, .yearly]
    #expect(frequencies.map(\.rawValue) == ["hebdomadaire", "mensuel", "trimestriel", "annuel"])
    #expect(frequencies.map(\.displayName) == ["Hebdomadaire", "Mensuel", "Trimestriel", "Annuel"])
    #expect(BillingFrequency.allCases.count == 7)
  }

  @Test func `categories have the raw values and the names of the document`() {
    #expect(SubscriptionCategory.allCases.map(\.rawValue) == ["pro", "personal"])
    #expect(SubscriptionCategory.allCases.map(\.displayName) == ["Pro", "Personnel"])
    #expect(SubscriptionCategory(rawValue: "Pro") == .professional)
    #expect(SubscriptionCategory(rawValue: "Personnel") == .personal)
    #expect(SubscriptionCategory(rawValue: "else") == nil)
  }

  @Test func `a subscription costs its amount times its charges in a year, and a twelfth in a month`() throws {
    let rows: [(BillingFrequency, String)] = [
      (.weekly, "519.48"), (.monthly, "119.88"), (.quarterly, "39.96"), (.yearly, "9.99"),
    ]
    for (frequency, year) in rows {
      let amount = try Amount.parse("9.99")
      let subscription = try Subscription(name: "x", amount: amount, frequency: frequency, nextBillingDate: .now)
      let annual = try Amount.parse(year)
      #expect(subscription.annualAmount == annual)
      #expect(subscription.monthlyAmount == annual / 12)
    }
  }

  @Test func `a subscription is made of the values of the document`() throws {
    let (id, next) = (UUID(), try CalendarDay(iso: "2026-01-31"))
    let made = Date(timeIntervalSince1970: 1_700_000_000)
    let subscription = try Subscription(
      id: id, name: "Fibre", amount: 40, frequency: .monthly, nextBillingDate: next.date, category: .professional,
      createdAt: made)
    let details = try subscription.details
    #expect(details.id == id && details.name == "Fibre" && details.amount == 40)
    #expect(details.schedule == BillingSchedule(frequency: .monthly, nextDay: next))
    #expect(details.category == .professional && details.createdAt == made)
    let plain = try Subscription(name: "x", amount: 1, frequency: .yearly, nextBillingDate: next.date)
    #expect(plain.category == .personal && plain.currency == .euro)
    let refusal = #expect(throws: SubscriptionError.self) {
      try Subscription(name: "", amount: 1, frequency: .yearly, nextBillingDate: next.date)
    }
    #expect(refusal?.code == .invalidValue)
  }
}
