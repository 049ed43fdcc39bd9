import Foundation
import SwiftData
import Testing

// A feed of a web service, decoded and kept, as Apple's sample of earthquakes and its imitations do it.

struct Coordinates: Codable, Hashable {
  var longitude: Double
  var latitude: Double
}

@Model
final class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Coordinates
  var place: String?
  @Attribute(.externalStorage) var shakeMap: Data?
  var link: URL?

  init(
    code: String, magnitude: Double, time: Date, location: Coordinates, place: String? = nil, link: URL? = nil
  ) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = location
    self.place = place
    self.link = link
  }
}

extension Quake {
  static func predicate(searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent)
    -> Predicate<Quake>
  {
    let start = calendar.startOfDay(for: searchDate)
    let end = calendar.date(byAdding: .init(day: 1), to: start) ?? start

    return #Predicate<Quake> { quake in
      (searchText.isEmpty || (quake.place?.contains(searchText) ?? false))
        && (quake.time > start && quake.time < end)
    }
  }

  static func totalQuakes(modelContext: ModelContext) -> Int {
    (try? modelContext.fetchCount(FetchDescriptor<Quake>())) ?? 0
  }

  static func dateRange(modelContext: ModelContext) -> ClosedRange<Date> {
    var descriptor = FetchDescriptor<Quake>(sortBy: [.init(\.time, order: .forward)])
    descriptor.fetchLimit = 1
    guard let first = try? modelContext.fetch(descriptor).first?.time else { return .distantPast ... .distantFuture }
    descriptor.sortBy = [.init(\.time, order: .reverse)]
    guard let last = try? modelContext.fetch(descriptor).first?.time else { return .distantPast ... .distantFuture }
    return first...last
  }
}

struct QuakeFeed: Decodable {
  struct Feature: Decodable {
    struct Properties: Decodable {
      let mag: Double
      let place: String?
      let time: Date
      let code: String
      let url: URL?
    }

    struct Geometry: Decodable {
      let coordinates: [Double]
    }

    let properties: Properties
    let geometry: Geometry
  }

  let features: [Feature]

  static func decode(_ text: String) throws -> QuakeFeed {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(QuakeFeed.self, from: Data(text.utf8))
  }
}

extension Quake {
  convenience init(from feature: QuakeFeed.Feature) {
    self.init(
      code: feature.properties.code, magnitude: feature.properties.mag, time: feature.properties.time,
      location: Coordinates(
        longitude: feature.geometry.coordinates[0], latitude: feature.geometry.coordinates[1]),
      place: feature.properties.place, link: feature.properties.url)
  }
}

@MainActor
@Suite("Quakes") struct QuakeTutorialTests {
  let container: ModelContainer
  var modelContext: ModelContext { container.mainContext }
  let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .gmt
    return calendar
  }()

  private static let feed = """
    {"type": "FeatureCollection", "features": [
      {"properties": {"mag": 2.5, "place": "10 km N of Paso Robles", "time": 86401000, "code": "a1",
        "url": "https://example.com/a1"}, "geometry": {"type": "Point", "coordinates": [-120.5, 35.5, 8]}},
      {"properties": {"mag": 6.25, "place": "Kuril Islands", "time": 90000000, "code": "b2"},
        "geometry": {"type": "Point", "coordinates": [155.0, 46.25, 30]}},
      {"properties": {"mag": 4.75, "place": null, "time": 172801000, "code": "c3"},
        "geometry": {"type": "Point", "coordinates": [20.0, -5.0, 5]}}
    ]}
    """

  init() throws {
    container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for feature in try QuakeFeed.decode(Self.feed).features {
      modelContext.insert(Quake(from: feature))
    }
    try modelContext.save()
  }

  private func codes(_ predicate: Predicate<Quake>? = nil, _ sortBy: [SortDescriptor<Quake>] = [.init(\.code)]) throws
    -> [String]
  {
    try modelContext.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy)).map(\.code)
  }

  @Test func `a feed becomes objects`() throws {
    let quakes = try modelContext.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude, order: .reverse)]))
    #expect(quakes.map(\.magnitude) == [6.25, 4.75, 2.5])
    #expect(quakes.map(\.place) == ["Kuril Islands", nil, "10 km N of Paso Robles"])
    #expect(quakes[2].location == Coordinates(longitude: -120.5, latitude: 35.5))
    #expect(quakes[2].time == Date(timeIntervalSince1970: 86_401))
    #expect(quakes[2].link?.host() == "example.com" && quakes[0].link == nil)
  }

  @Test func `a second feed updates what is there`() throws {
    let update = """
      {"features": [
        {"properties": {"mag": 2.75, "place": "Paso Robles", "time": 86402000, "code": "a1"},
          "geometry": {"coordinates": [1, 2]}},
        {"properties": {"mag": 1.0, "place": "Here", "time": 1000, "code": "d4"}, "geometry": {"coordinates": [3, 4]}}
      ]}
      """
    let first = try #require(try modelContext.fetch(FetchDescriptor<Quake>(sortBy: [.init(\.code)])).first)
    for feature in try QuakeFeed.decode(update).features {
      modelContext.insert(Quake(from: feature))
    }
    try modelContext.save()
    #expect(Quake.totalQuakes(modelContext: modelContext) == 4)
    #expect(try codes() == ["a1", "b2", "c3", "d4"])
    let again = try modelContext.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "a1" }))
    #expect(again.map(\.magnitude) == [2.75] && again.map(\.place) == ["Paso Robles"])
    #expect(again.first?.location == Coordinates(longitude: 1, latitude: 2))
    #expect(first.magnitude == 2.75)
  }

  @Test func `a day and a text select`() throws {
    let day = Date(timeIntervalSince1970: 100_000)
    #expect(try codes(Quake.predicate(searchText: "", searchDate: day, calendar: calendar)) == ["a1", "b2"])
    #expect(try codes(Quake.predicate(searchText: "Kuril", searchDate: day, calendar: calendar)) == ["b2"])
    #expect(try codes(Quake.predicate(searchText: "kuril", searchDate: day, calendar: calendar)) == [])
    let next = Date(timeIntervalSince1970: 180_000)
    #expect(try codes(Quake.predicate(searchText: "", searchDate: next, calendar: calendar)) == ["c3"])
    #expect(try codes(Quake.predicate(searchText: "Kuril", searchDate: next, calendar: calendar)) == [])
  }

  @Test func `members of a structure are asked and sorted by`() throws {
    #expect(try codes(#Predicate { $0.location.latitude < 0 }) == ["c3"])
    #expect(try codes(#Predicate { $0.location.longitude > -130 && $0.location.longitude < 30 }) == ["a1", "c3"])
    #expect(try codes(nil, [SortDescriptor(\.location.latitude)]) == ["c3", "a1", "b2"])
    #expect(try codes(nil, [SortDescriptor(\.location.longitude, order: .reverse)]) == ["b2", "c3", "a1"])
  }

  @Test func `the range of dates is that of the oldest and the newest`() throws {
    #expect(
      Quake.dateRange(modelContext: modelContext)
        == Date(timeIntervalSince1970: 86_401)...Date(timeIntervalSince1970: 172_801))
    try modelContext.delete(model: Quake.self)
    #expect(Quake.dateRange(modelContext: modelContext) == Date.distantPast...Date.distantFuture)
    #expect(Quake.totalQuakes(modelContext: modelContext) == 0)
  }

  @Test func `the selected ones are deleted`() throws {
    let selection = Set(
      try modelContext.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 4 })).map(\.id))
    for quake in try modelContext.fetch(FetchDescriptor<Quake>()) where selection.contains(quake.id) {
      modelContext.delete(quake)
    }
    #expect(try codes() == ["a1"])
    #expect(Quake.totalQuakes(modelContext: modelContext) == 1)
    modelContext.rollback()
    #expect(try codes(#Predicate { selection.contains($0.persistentModelID) }) == ["b2", "c3"])
  }

  @Test func `large data are set, kept and removed`() throws {
    let quake = try #require(try modelContext.fetch(FetchDescriptor<Quake>(sortBy: [.init(\.code)])).first)
    let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    quake.shakeMap = image
    try modelContext.save()
    let other = ModelContext(container)
    let withMap = FetchDescriptor<Quake>(predicate: #Predicate { $0.shakeMap != nil })
    #expect(try other.fetch(withMap).map(\.shakeMap) == [image])
    quake.shakeMap = nil
    try modelContext.save()
    #expect(try other.fetch(withMap).isEmpty)
  }
}
