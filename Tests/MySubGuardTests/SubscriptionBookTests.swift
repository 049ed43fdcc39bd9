import Foundation
import Testing

@testable import MySubGuard

@Suite struct SubscriptionBookTests {
  private func subscription(_ name: String, _ amount: String, _ day: String, id: UUID = UUID()) throws
    -> SubscriptionDetails
  {
    try SubscriptionDetails(
      id: id, name: name, amount: Amount.parse(amount),
      schedule: BillingSchedule(frequency: .monthly, nextDay: CalendarDay(iso: day)), category: .personal,
      createdAt: Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func `every value comes back from the store as it was, the billing day too`() throws {
    try withDevice { device in
      let details = try subscription("Café “Été” 日本", "999999.99", "2026-01-31")
      let moved = try SubscriptionDetails(
        id: details.id, name: details.name, amount: details.amount,
        schedule: details.schedule.advanced(to: CalendarDay(iso: "2026-02-10")), category: .professional,
        createdAt: details.createdAt)
      try SubscriptionBook(device: device.url).add(details)
      #expect(try SubscriptionBook(device: device.url, access: .readOnly).subscriptions() == [details])
      try SubscriptionBook(device: device.url).replace(with: moved)
      let read = try SubscriptionBook(device: device.url, access: .readOnly).subscriptions()
      #expect(read == [moved])
      #expect(read.first?.schedule.billingDay == 31)
      #expect(read.first?.schedule.day(1).description == "2026-03-31")
    }
  }

  @Test func `two books on one device see each other's saves`() throws {
    try withDevice { device in
      let (left, right) = (try SubscriptionBook(device: device.url), try SubscriptionBook(device: device.url))
      let details = try subscription("Fibre", "39.99", "2026-01-31")
      try left.add(details)
      #expect(try right.subscription(named: "fibre") == details)
      try right.replace(with: details.edited(amount: 42, today: details.schedule.nextDay))
      #expect(try left.subscription(named: details.id.uuidString).amount == 42)
      try left.delete(details.id)
      #expect(try right.subscriptions().isEmpty)
    }
  }

  @Test func `names and the beginnings of ids find one, and say so when there are several`() throws {
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url)
      let ids = ["ABCDEF00-0000-4000-8000-000000000001", "ABCDFF00-0000-4000-8000-000000000002"].map {
        UUID(uuidString: $0)
      }
      for (id, name) in zip(ids, ["Musique", "Radio"]) {
        try book.add(subscription(name, "1", "2026-01-01", id: #require(id)))
      }
      #expect(try book.subscription(named: "abcde").name == "Musique")
      #expect(try book.subscription(named: "radio").name == "Radio")
      #expect(#expect(throws: SubscriptionError.self) { try book.subscription(named: "abc") }?.code == .notFound)
      let error = #expect(throws: SubscriptionError.self) { try book.subscription(named: "ABCD") }
      #expect(error?.code == .ambiguous)
    }
  }

  @Test func `subscriptions of one category come by their next billing date`() throws {
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url)
      let list = try SubscriptionList(
        contentsOf: Fixtures.devices.appending(path: "laptop.csv"), importedAt: .distantPast)
      _ = try book.importList(list)
      for category in SubscriptionCategory.allCases {
        let expected = list.subscriptions.filter { $0.category == category }.sorted {
          ($0.schedule.nextDay, $0.name) < ($1.schedule.nextDay, $1.name)
        }
        #expect(try book.subscriptions(in: category) == expected)
      }
    }
  }

  /// By code points all small letters come after all capital ones, and É after both.
  @Test func `subscriptions of one day come in the order of the alphabet`() throws {
    let names = ["abo", "eau 2", "Eau 10", "Écran", "Zoo"]
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url)
      for name in names.reversed() { try book.add(subscription(name, "1", "2026-01-31")) }
      let listed = try book.subscriptions()
      #expect(listed.map(\.name) == names)
      let day = try CalendarDay(iso: "2026-01-31")
      let charges = UpcomingCharge.all(of: try book.subscriptions(sortedBy: .name), from: day, through: day)
      #expect(charges.map(\.subscription) == listed)
    }
  }

  @Test func `adding an id that is taken throws and leaves the other as it was`() throws {
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url)
      let details = try subscription("a", "1", "2026-01-01")
      try book.add(details)
      let refusal = #expect(throws: SubscriptionError.self) {
        try book.add(subscription("b", "2", "2026-01-02", id: details.id))
      }
      #expect(refusal?.code == .ambiguous)
      #expect(try book.subscriptions() == [details])
    }
  }

  @Test func `a reader of a device without subscriptions creates nothing`() throws {
    try withDevice { device in
      let error = #expect(throws: SubscriptionError.self) {
        try SubscriptionBook(device: device.url, access: .readOnly)
      }
      #expect(error?.code == .noStore)
      let names = try FileManager.default.contentsOfDirectory(atPath: device.url.path)
      #expect(names.isEmpty)
    }
  }
}
