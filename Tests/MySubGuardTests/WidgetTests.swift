import Foundation
import Testing

@testable import MySubGuard

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct WidgetTests {
  private func subscription(
    _ name: String, _ amount: String, _ frequency: BillingFrequency, _ day: String,
    _ category: SubscriptionCategory = .personal
  ) throws -> SubscriptionDetails {
    try SubscriptionDetails(
      id: UUID(), name: name, amount: Amount.parse(amount),
      schedule: BillingSchedule(frequency: frequency, nextDay: CalendarDay(iso: day)), category: category,
      createdAt: .distantPast)
  }

  @Test func `the next charges repeat a weekly subscription before a later yearly one`() throws {
    let all = [
      try subscription("weekly", "5", .weekly, "2026-01-01"), try subscription("yearly", "60", .yearly, "2026-01-20"),
    ]
    let next = UpcomingCharge.next(4, of: all, from: try CalendarDay(iso: "2026-01-05"))
    #expect(
      next.map { "\($0.day) \($0.subscription.name)" }
        == ["2026-01-08 weekly", "2026-01-15 weekly", "2026-01-20 yearly", "2026-01-22 weekly"])
    #expect(UpcomingCharge.next(60, of: [all[1]], from: try CalendarDay(iso: "2026-01-21")).count == 60)
    #expect(UpcomingCharge.next(3, of: [], from: try CalendarDay(iso: "2026-01-05")).isEmpty)
  }

  @Test func `the next charges are the first of all charges for any limit`() throws {
    let list = try SubscriptionList(
      contentsOf: Fixtures.devices.appending(path: "phone.csv"), importedAt: .distantPast)
    let today = try CalendarDay(iso: "2026-03-15")
    let all = UpcomingCharge.all(of: list.subscriptions, from: today, through: today.adding(days: 500))
    for limit in [0, 1, 2, 5, 28, 29, 30, 57, 200] {
      #expect(UpcomingCharge.next(limit, of: list.subscriptions, from: today) == Array(all.prefix(limit)))
    }
  }

  @Test func `the text names each charge with its day, amount and category`() throws {
    let content = WidgetContent(
      of: [
        try subscription("Fibre", "39.99", .monthly, "2026-01-31"),
        try subscription("Hébergement web", "7", .yearly, "2026-02-01", .professional),
      ], today: try CalendarDay(iso: "2026-01-31"), limit: 2)
    #expect(
      content.text == """
        MySubGuard · 2 subscriptions · €40.57 per month
          today     Jan 31  Fibre            €39.99  Personal
          tomorrow   Feb 1  Hébergement web   €7.00  Pro
        """)
  }

  @Test(arguments: WidgetPicture.Size.allCases)
  func `the picture is valid XML for any name and for no subscriptions`(size: WidgetPicture.Size) throws {
    let today = try CalendarDay(iso: "2026-01-31")
    let names = ["<script>&\"'", String(repeating: "W", count: 100), "日本語の新聞を毎月読む会員の申し込み", "🇫🇷 \u{FFFE}"]
    let some = try names.map { try subscription($0, "999999.99", .weekly, "2026-02-01", .professional) }
    for subscriptions in [[], some] {
      let picture = WidgetPicture(WidgetContent(of: subscriptions, today: today), size: size)
      let parser = XMLParser(data: Data(picture.svg.utf8))
      #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
      #expect(!picture.svg.contains("<script>"))
    }
  }

  @Test func `text that is too wide ends in an ellipsis inside its space`() {
    let text = SVGText("Panier de légumes La Bonne Botte", x: 0, y: 0, style: "name", size: 10)
    #expect(text.fitted(to: 1_000).contains("Bonne Botte<"))
    #expect(text.fitted(to: 80).contains("…<"))
  }
}
