import Foundation
import MySubGuard

/// What a person with 10,000 subscriptions waits for; every operation opens the store, as the programs do.
struct SubscriptionBenchmarks {
  let bench: Workbench
  private let count = 10_000
  private let today: CalendarDay

  init(bench: Workbench) throws {
    self.bench = bench
    today = try CalendarDay(iso: "2026-01-30")
  }

  func all() throws -> [Measurement] {
    let list = try (0..<count).map(subscription)
    let device = try device("person")
    let importing = try bench.times { run in
      let device = try self.device("import-\(run)")
      return try Stopwatch.seconds { try Self.importAll(list, device) }.0
    }
    try Self.importAll(list, device)
    var price = Decimal(1)
    return [
      measurement("import 10,000", importing),
      try measure("list 10,000") { _ = try SubscriptionBook(device: device, access: .readOnly).subscriptions() },
      try measure("totals of 10,000") {
        _ = SubscriptionTotals(of: try SubscriptionBook(device: device, access: .readOnly).subscriptions())
      },
      try measure("upcoming 30 days of 10,000") {
        let all = try SubscriptionBook(device: device, access: .readOnly).subscriptions()
        _ = UpcomingCharge.all(of: all, from: today, through: today.adding(days: 29))
      },
      try measure("widget of 10,000") {
        let all = try SubscriptionBook(device: device, access: .readOnly).subscriptions()
        _ = WidgetPicture(WidgetContent(of: all, today: today), size: .medium).svg
      },
      try measure("edit one of 10,000 by name") {
        let book = try SubscriptionBook(device: device)
        price += 1
        try book.replace(with: book.subscription(named: list[4_711].name).edited(amount: price, today: today))
      },
      try measure("add one and delete it") {
        let book = try SubscriptionBook(device: device)
        let new = try subscription(count)
        try book.add(new)
        try book.delete(new.id)
      },
    ]
  }

  private func measure(_ name: String, _ body: () throws -> Void) throws -> Measurement {
    measurement(name, try bench.times { _ in try Stopwatch.seconds(body).0 })
  }

  private func measurement(_ name: String, _ seconds: [Double]) -> Measurement {
    Measurement(name: "MySubGuard: " + name, unit: "time", operations: 1, seconds: seconds)
  }

  private static func importAll(_ list: [SubscriptionDetails], _ device: URL) throws {
    _ = try SubscriptionBook(device: device).importList(SubscriptionList(list))
  }

  private func device(_ name: String) throws -> URL {
    let url = bench.folder.appending(path: name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  private func subscription(_ number: Int) throws -> SubscriptionDetails {
    let frequency = BillingFrequency.allCases[number % 4]
    let day = today.adding(days: number % 365 - 100)
    return try SubscriptionDetails(
      id: UUID(), name: "Subscription \(number)", amount: Decimal(number % 10_000) / 100,
      schedule: BillingSchedule(frequency: frequency, nextDay: day),
      category: number % 3 == 0 ? .professional : .personal, createdAt: .now)
  }
}
