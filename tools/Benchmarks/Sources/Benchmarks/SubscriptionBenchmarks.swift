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

  /// The bound of every operation, in milliseconds.
  private static let most = 100.0

  /// The medians, and each of them beside its bound.
  func all() throws -> (measurements: [Measurement], ceilings: [Ceiling]) {
    let list = try (0..<count).map(subscription)
    let device = try device("person")
    let importing = try bench.times { run in
      let device = try self.device("import-\(run)")
      return try Stopwatch.seconds { try Self.importAll(list, device) }.0
    }
    try Self.importAll(list, device)
    try addHistory(to: list, on: device)
    let measurements =
      try [measurement("import 10,000", importing)] + reading(device, list[4_711].name) + changing(device, list)
    let ceilings = measurements.map {
      Ceiling($0.name, unit: "ms", figure: $0.median * 1_000, most: Self.most)
    }
    return (measurements, ceilings)
  }

  /// Every tenth subscription has changed its price, and is paid ahead.
  private func addHistory(to list: [SubscriptionDetails], on device: URL) throws {
    let book = try SubscriptionBook(device: device, today: today)
    for details in list.prefix(count / 10) {
      let price = Money(details.amount + 1, .euro)
      let step = PriceStep(
        since: today.adding(days: -30), price: price, before: details.storedPrice, notedAt: .now)
      try book.note(step, of: details.id)
      guard let day = details.firstCharge(onOrAfter: today) else { continue }
      try book.pay(PaidCharge(day: day, price: price, paidOn: today), of: details.id)
    }
  }

  private func all(on device: URL) throws -> [SubscriptionDetails] {
    try SubscriptionBook(device: device, access: .readOnly, today: today).subscriptions()
  }

  private func reading(_ device: URL, _ name: String) throws -> [Measurement] {
    [
      try measure("list 10,000") { _ = try all(on: device) },
      try measure("list 10,000, sorted by year, in French") {
        let book = try SubscriptionBook(device: device, access: .readOnly, today: today)
        let french = AppLocale(.french)
        _ = try book.subscriptions(sortedBy: .year).map { french.text($0.annualPrice(on: today)) }
      },
      try measure("search 10,000") {
        _ = try SubscriptionBook(device: device, access: .readOnly, today: today).subscriptions(matching: "4711")
      },
      try measure("show one of 10,000 by name") {
        _ = try SubscriptionBook(device: device, access: .readOnly, today: today).subscription(named: name)
      },
      try measure("totals of 10,000") { _ = SubscriptionTotals(of: try all(on: device), on: today) },
      try measure("upcoming 30 days of 10,000") {
        _ = UpcomingCharge.all(of: try all(on: device), from: today, through: today.adding(days: 29))
      },
      try measure("year of 10,000 with its chart") {
        _ = YearChart(YearOutlook(of: try all(on: device), from: today)).svg
      },
      try measure("export 10,000 as CSV") { _ = SubscriptionList.csv(try all(on: device)) },
      try measure("widget of 10,000") {
        _ = WidgetPicture(WidgetContent(of: try all(on: device), today: today), size: .medium).svg
      },
    ]
  }

  private func changing(_ device: URL, _ list: [SubscriptionDetails]) throws -> [Measurement] {
    var price = Decimal(1)
    let details = list[4_711]
    return [
      try measure("edit one of 10,000 by name") {
        let book = try SubscriptionBook(device: device, today: today)
        price += 1
        try book.replace(with: book.subscription(named: details.name).edited(amount: price, today: today))
      },
      try measure("note a price of one of 10,000") {
        let book = try SubscriptionBook(device: device, today: today)
        price += 1
        let step = PriceStep(
          since: today, price: Money(price, .euro), before: Money(price - 1, .euro), notedAt: .now)
        try book.note(step, of: book.subscription(named: details.name).id)
      },
      try measure("pay one of 10,000, and undo it") {
        let book = try SubscriptionBook(device: device, today: today)
        let charge = PaidCharge(day: details.schedule.nextDay, price: details.storedPrice, paidOn: today)
        try book.pay(charge, of: details.id)
        _ = try book.undo()
      },
      try measure("add one and delete it") {
        let book = try SubscriptionBook(device: device, today: today)
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
    let frequency = BillingFrequency.allCases[number % BillingFrequency.allCases.count]
    let day = today.adding(days: number % 365 - 100)
    return try SubscriptionDetails(
      id: UUID(), name: "Subscription \(number)", amount: Decimal(number % 10_000) / 100,
      schedule: BillingSchedule(frequency: frequency, nextDay: day),
      category: number % 3 == 0 ? .professional : .personal, createdAt: .now)
  }
}
