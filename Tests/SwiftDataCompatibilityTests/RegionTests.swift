import SwiftData
import Testing

enum RegionModels {
  @Model
  final class Visit {
    #Index<Visit>([\.start], [\.name])

    var name: String
    var start: Date
    var end: Date?
    var fee: Decimal

    init(_ name: String, start: Date, end: Date? = nil, fee: Decimal = 0) {
      self.name = name
      self.start = start
      self.end = end
      self.fee = fee
    }
  }

  /// In Kyiv the night of the 25th of October 2026 has three o'clock twice, and that of the 29th of March has none.
  static let dates: [(name: String, start: String)] = [
    ("Trip 10", "2026-03-28T23:30:00Z"), ("trip 2", "2026-03-29T00:59:59Z"), ("Ivan", "2026-03-29T01:00:00Z"),
    ("ivy", "2026-10-24T20:59:59Z"), ("Özil", "2026-10-24T21:00:00Z"), ("ozone", "2026-10-25T00:30:00Z"),
    ("Istanbul", "2026-10-25T01:30:00Z"), ("ısı", "2026-10-25T21:59:59Z"), ("İzmir", "2026-10-25T22:00:00Z"),
    ("ärger", "2026-12-31T23:59:59Z"),
  ]

  static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

  static func container(at path: String) throws -> ModelContainer {
    try ModelContainer(
      for: Visit.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path).appending(path: "store")))
  }

  /// Gives the process a zone and a language, before anything asks for them.
  static func enter(_ zone: String, _ language: String) {
    for (name, value) in [("TZ", zone), ("LC_ALL", language), ("LANG", language)] { setenv(name, value, 1) }
    NSTimeZone.resetSystemTimeZone()
  }

  /// What is found between two instants, oldest first.
  static func names(_ context: ModelContext, from: Date, to: Date) throws -> [String] {
    let between = #Predicate<Visit> { $0.start >= from && $0.start < to }
    let descriptor = FetchDescriptor(predicate: between, sortBy: [SortDescriptor(\.start)])
    #expect(try descriptor.explain(in: context).contains("index"))
    return try context.fetch(descriptor).map(\.name)
  }

  /// What is found of the day of an instant, as a calendar has it.
  static func names(_ context: ModelContext, dayOf instant: String, _ calendar: Calendar) throws -> [String] {
    let day = try #require(calendar.dateInterval(of: .day, for: date(instant)))
    return try names(context, from: day.start, to: day.end)
  }
}

/// The zone and the language of a process say how an app shows dates and texts. They never say which it finds.
@Suite struct RegionTests {
  @Test(arguments: [
    ["UTC", "C"], ["Pacific/Kiritimati", "tr_TR.UTF-8"], ["America/St_Johns", "ar_EG.UTF-8"],
    ["Asia/Kathmandu", "sv_SE.UTF-8"], ["Europe/Kyiv", "uk_UA.UTF-8"],
  ])
  func `dates in predicates are instants, and texts have one order, in every zone and language`(
    _ region: [String]
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-test-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try RegionModels.container(at: folder.path)
    let context = ModelContext(container)
    for (name, start) in RegionModels.dates {
      context.insert(RegionModels.Visit(name, start: try RegionModels.date(start), fee: 1234.5))
    }
    try context.save()
    let (zone, language, path) = (region[0], region[1], folder.path)
    await #expect(processExitsWith: .success) {
      [zone = zone as String, language = language as String, path = path as String] in
      RegionModels.enter(zone, language)
      // Foundation's name for UTC.
      try #require(TimeZone.current.identifier == (zone == "UTC" ? "GMT" : zone))
      let context = ModelContext(try RegionModels.container(at: path))
      var kyiv = Calendar(identifier: .gregorian)
      kyiv.timeZone = try #require(TimeZone(identifier: "Europe/Kyiv"))
      // Days of 23 and 25 hours.
      #expect(
        try RegionModels.names(context, dayOf: "2026-03-29T12:00:00Z", kyiv) == ["Trip 10", "trip 2", "Ivan"])
      #expect(
        try RegionModels.names(context, dayOf: "2026-10-25T12:00:00Z", kyiv) == ["Özil", "ozone", "Istanbul", "ısı"])
      // Days of the process's own zone, as Swift finds them among all.
      let all = try context.fetch(FetchDescriptor<RegionModels.Visit>(sortBy: [SortDescriptor(\.start)]))
      for (_, start) in RegionModels.dates {
        let day = Calendar.current.startOfDay(for: try RegionModels.date(start))
        #expect(
          try RegionModels.names(context, dayOf: start, .current)
            == all.filter { Calendar.current.startOfDay(for: $0.start) == day }.map(\.name))
      }
      #expect(try all.map(\.start) == RegionModels.dates.map { try RegionModels.date($0.start) })
      let byName = try context.fetch(FetchDescriptor<RegionModels.Visit>(sortBy: [SortDescriptor(\.name)]))
      #expect(
        byName.map(\.name)
          == ["ärger", "ısı", "Istanbul", "Ivan", "ivy", "İzmir", "Özil", "ozone", "trip 2", "Trip 10"])
      let expensive = #Predicate<RegionModels.Visit> { $0.fee > 1234.25 && $0.name.localizedStandardContains("OZ") }
      #expect(try context.fetchCount(FetchDescriptor(predicate: expensive)) == 2)
      context.insert(RegionModels.Visit("new", start: try RegionModels.date("2026-06-01T00:00:00Z"), fee: 0.1))
      try context.save()
    }
    let new = try #require(try context.fetch(FetchDescriptor<RegionModels.Visit>()).first { $0.name == "new" })
    #expect(try new.start == RegionModels.date("2026-06-01T00:00:00Z"))
    #expect(new.fee == Decimal(string: "0.1"))
  }
}
