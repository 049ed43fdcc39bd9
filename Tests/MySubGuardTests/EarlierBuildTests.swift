import Foundation
import Tandem
import Testing

@testable import MySubGuard

/// Stores of build 0.1.0, which knew neither currencies nor trials, pauses, ends, price histories and payments.
@Suite struct EarlierBuildTests {
  private let id = UUID()

  private func makeEarlierStore(on device: TestDevice) throws {
    let configuration = ModelConfiguration(
      SubscriptionBook.storeName, groupContainer: .identifier(SubscriptionBook.groupIdentifier),
      containerRoot: device.url)
    let context = ModelContext(try ModelContainer(for: EarlierBook.Subscription.self, configurations: configuration))
    context.insert(EarlierBook.Subscription(id: id, name: "Fibre", category: "Personnel"))
    context.insert(EarlierBook.Subscription(id: UUID(), name: "Hébergement", category: "Pro"))
    try context.save()
  }

  @Test func `a store of build 0-1-0 opens in euros, with its categories, and is charged as before`() throws {
    try withDevice { device in
      try makeEarlierStore(on: device)
      let all = try SubscriptionBook(device: device.url).subscriptions(sortedBy: .name)
      #expect(all.map(\.name) == ["Fibre", "Hébergement"])
      #expect(all.map(\.category) == [.personal, .professional])
      #expect(all.allSatisfy { $0.currency == .euro && $0.standing == Standing() && $0.prices.steps.isEmpty })
      #expect(all.map(\.amount) == [Decimal(string: "39.99"), Decimal(string: "39.99")])
      #expect(all.first?.schedule.billingDay == 31)
      let personal = try SubscriptionBook(device: device.url).subscriptions(in: .personal)
      #expect(personal.map(\.name) == ["Fibre"])
    }
  }

  /// Neither of them may write, so neither brings the store to the newer schema.
  @Test func `the list and the widget read a store of build 0-1-0 as it is`() throws {
    try withDevice { device in
      try makeEarlierStore(on: device)
      let list = try device.run("list", "--today", "2026-01-15")
      #expect(list.code == 0 && list.output.hasSuffix("2 subscriptions\n"), "\(list.output)\(list.trouble)")
      let widget = try ProgramRun(
        "mysubguard-widget", "--device", device.url.path, "--today", "2026-01-15", in: device.url)
      #expect(widget.code == 0 && widget.output.contains("in 16 days  Jan 31  Fibre"), "\(widget.output)")
      let show = try device.run("show", "Fibre", "--today", "2026-01-15")
      #expect(show.code == 0 && show.output.contains("€39.99 · Monthly"), "\(show.output)\(show.trouble)")
    }
  }

  @Test func `a program of build 0-1-0 goes on beside this one, on the same store`() throws {
    try withDevice { device in
      try makeEarlierStore(on: device)
      let configuration = ModelConfiguration(
        SubscriptionBook.storeName, groupContainer: .identifier(SubscriptionBook.groupIdentifier),
        containerRoot: device.url)
      let earlier = ModelContext(try ModelContainer(for: EarlierBook.Subscription.self, configurations: configuration))
      let book = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-03-10"))
      let step = PriceStep(
        since: try CalendarDay(iso: "2026-03-01"), price: Money(42, .euro),
        before: Money(Decimal(3_999) / 100, .euro), notedAt: .now)
      try book.note(step, of: id)
      let id = id
      let fibre = try #require(
        try earlier.fetch(FetchDescriptor<EarlierBook.Subscription>(predicate: #Predicate { $0.id == id })).first)
      #expect(fibre.amount == 42)
      // A price that no row of the history knows stands.
      fibre.amount = 45
      try earlier.save()
      #expect(try book.subscription(named: "Fibre").amount == 45)
    }
  }
}

/// The model as build 0.1.0 had it; the category is a text, because its names were others.
private enum EarlierBook {
  @Model final class Subscription {
    #Index<Subscription>([\.category, \.nextBillingDate])
    @Attribute(.unique) var id: UUID
    var name: String
    var amount: Decimal
    var frequency: String
    var nextBillingDate: Date
    var billingDay: Int
    var category: String
    var createdAt: Date

    init(id: UUID, name: String, category: String) {
      self.id = id
      self.name = name
      amount = Decimal(3_999) / 100
      frequency = "mensuel"
      nextBillingDate = Date(timeIntervalSince1970: 1_769_817_600)
      billingDay = 31
      self.category = category
      createdAt = Date(timeIntervalSince1970: 1_700_000_000)
    }
  }
}
