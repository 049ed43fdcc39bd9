import Foundation
import Testing

@testable import MySubGuard

@Suite struct AmountTests {
  @Test(arguments: [
    ("12.99", "12.99"), ("12,99", "12.99"), ("0", "0.00"), ("7.5", "7.50"), ("1000000", "1000000.00"), ("007", "7.00"),
  ])
  func `amounts are read exactly`(text: String, expected: String) throws {
    #expect(Amount.text(try Amount.parse(text)) == expected)
  }

  @Test(arguments: [
    "", "-1", "+1", "1.", ".5", "1,299", "1.234,5", "1e3", "12 €", "1000000000.01", "12345678901", "nan", "١٢",
  ])
  func `text that is not an amount is refused`(text: String) {
    #expect(#expect(throws: SubscriptionError.self) { try Amount.parse(text) }?.code == .invalidValue)
  }

  @Test func `an amount with three decimals is refused`() {
    let refusal = #expect(throws: SubscriptionError.self) { try Amount.checked(Decimal(string: "4.999") ?? 0) }
    #expect(refusal?.code == .invalidValue)
    #expect(#expect(throws: SubscriptionError.self) { try Amount.checked(.nan) }?.code == .invalidValue)
  }

  @Test func `a year is exact where binary fractions are not`() throws {
    let day = try CalendarDay(iso: "2026-01-01")
    func annual(_ amount: String, _ frequency: BillingFrequency) throws -> String {
      let schedule = BillingSchedule(frequency: frequency, nextDay: day)
      return Amount.text(
        try SubscriptionDetails(
          id: UUID(), name: "x", amount: Amount.parse(amount), schedule: schedule, category: .personal, createdAt: .now
        ).annualAmount)
    }
    #expect(try annual("0.10", .weekly) == "5.20")
    #expect(try annual("4.99", .monthly) == "59.88")
    #expect(try annual("19.99", .quarterly) == "79.96")
    #expect(try annual("999999.99", .weekly) == "51999999.48")
    #expect(try annual("69.90", .yearly) == "69.90")
  }

  @Test func `totals sum exact years and divide once`() throws {
    let schedule = BillingSchedule(frequency: .yearly, nextDay: try CalendarDay(iso: "2026-01-01"))
    let cents = try (0..<1_200).map { index in
      try SubscriptionDetails(
        id: UUID(), name: "\(index)", amount: Amount.parse("0.01"), schedule: schedule,
        category: index < 600 ? .personal : .professional, createdAt: .now)
    }
    let totals = SubscriptionTotals(of: cents, on: schedule.nextDay)
    #expect(totals.currencies == [.euro])
    #expect(totals[.euro].annual == 12)
    #expect(totals[.euro].monthly == 1)
    #expect(totals[.euro, .personal].count == 600)
    #expect(totals[.euro, .professional].annual == 6)
  }

  @Test func `halves of a cent are rounded to even`() {
    #expect(Amount.cents(Decimal(string: "0.125") ?? 0) == Decimal(string: "0.12"))
    #expect(Amount.cents(Decimal(string: "0.135") ?? 0) == Decimal(string: "0.14"))
  }
}
