import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

@Suite struct `The course of a subscription` {
  /// A product of the fixture, as the account would buy it.
  private static let assortment: Assortment? = {
    var files = LedgerProducts()
    (files.storeKitFile, files.priceTable) = (ShopFixture.storeKitFile, ShopFixture.priceTable)
    return try? Assortment(files)
  }()

  private static func course(
    month: Int?, canBeCharged: Bool = true, grace: Int = 0, renewals: Int? = nil
  ) -> SubscriptionCourse {
    SubscriptionCourse(
      periods: PeriodLength(millisecondsPerMonth: month), gracePeriodDays: grace, maximumRenewals: renewals,
      canBeCharged: canBeCharged, product: { assortment?.product($0, in: "USA") })
  }

  private static func subscription(_ product: String, end: Date) -> LedgerSubscription {
    var subscription = LedgerSubscription(account: "anna", groupID: ShopFixture.group, resetCount: 0)
    (subscription.productID, subscription.renewalProductID) = (product, product)
    (subscription.startDate, subscription.anchorDate) = (ShopFixture.start, ShopFixture.start)
    subscription.expirationDate = end
    return subscription
  }

  /// Any look, however often repeated, finds the charges of a single look at the end.
  @Test(arguments: [nil, 30_000, 1000] as [Int?])
  func `many looks charge what one look charges`(month: Int?) throws {
    var random = SeededGenerator.announced()
    for _ in 0..<40 {
      let product = random.pick([ShopFixture.monthly, ShopFixture.yearly, ShopFixture.basic])
      let course = Self.course(month: month, renewals: random.pick([nil, 3, 20]))
      let period = try #require(Self.assortment?.product(product, in: "USA")?.subscription?.subscriptionPeriod)
      let end = course.periods.end(after: ShopFixture.start, of: period, from: ShopFixture.start)
      let span = Double(month ?? 2_629_800_000) / 1000 * Double.random(in: 0...90, using: &random)
      let last = ShopFixture.start.addingTimeInterval(span)
      var (once, often) = (Self.subscription(product, end: end), Self.subscription(product, end: end))
      let expected = course.advance(&once, to: last)
      var charges: [SubscriptionCourse.Charge] = []
      for moment in (0..<20).map({ _ in Double.random(in: 0...span, using: &random) }).sorted() {
        charges += course.advance(&often, to: ShopFixture.start.addingTimeInterval(moment))
      }
      charges += course.advance(&often, to: last)
      #expect(charges == expected)
      #expect(often == once)
    }
  }

  @Test func `periods follow each other without a gap and end after they begin`() throws {
    for product in [ShopFixture.monthly, ShopFixture.yearly] {
      let course = Self.course(month: nil)
      var subscription = Self.subscription(product, end: ShopFixture.start.addingTimeInterval(86400))
      let charges = course.advance(&subscription, to: ShopFixture.start.addingTimeInterval(10 * 365 * 86400))
      #expect(charges.count >= 9)
      for (before, after) in zip(charges, charges.dropFirst()) { #expect(before.end == after.start) }
      #expect(charges.allSatisfy { $0.start < $0.end })
    }
  }

  @Test func `a year from a leap day ends on 28 February, and on the 29th when there is one`() throws {
    let leapDay = try #require(ISO8601DateFormatter().date(from: "2028-02-29T12:00:00Z"))
    let periods = PeriodLength(millisecondsPerMonth: nil)
    var ends: [String] = []
    var date = leapDay
    for _ in 0..<4 {
      date = periods.end(after: date, of: .yearly, from: leapDay)
      ends.append(String(ISO8601DateFormatter().string(from: date).prefix(10)))
    }
    #expect(ends == ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
  }

  @Test(arguments: [1, 29, 30, 1000])
  func `even the shortest months end`(month: Int) {
    let periods = PeriodLength(millisecondsPerMonth: month)
    for period in [Product.SubscriptionPeriod.weekly, .monthly, .yearly, .everyThreeDays] {
      let end = periods.end(after: ShopFixture.start, of: period, from: ShopFixture.start)
      #expect(end > ShopFixture.start)
      #expect(periods.end(after: end, of: period, from: ShopFixture.start) > end)
    }
  }

  @Test func `a service that is no longer sold ends with its reason`() {
    let course = SubscriptionCourse(
      periods: PeriodLength(millisecondsPerMonth: nil), gracePeriodDays: 0, maximumRenewals: nil, canBeCharged: true,
      product: { _ in nil })
    var subscription = Self.subscription(ShopFixture.monthly, end: ShopFixture.start)
    #expect(course.advance(&subscription, to: ShopFixture.start).isEmpty)
    #expect(subscription.state == .expired)
    #expect(subscription.expirationReason == 4)
  }
}
