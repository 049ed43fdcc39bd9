import Foundation
import Tandem
import TestSupport
import Testing

@Model private class Craft {
  var name: String
  var flag: String? = nil
  init(name: String) { self.name = name }
}

@Model private final class Barge: Craft {
  var note: String? = nil
  var line: String?
  var decks = 2
  override init(name: String) { super.init(name: name) }
}

/// Rows that are inserted without objects leave the store as objects with the same values do, after one save.
struct InsertAllOracleTests {
  /// Carries out both ways, each on a store of its own that `prepare` filled alike, and compares what the stores say.
  private func expectEqual(
    _ types: [any PersistentModel.Type], sourceLocation: SourceLocation = #_sourceLocation,
    prepare: @escaping (ModelContext) throws -> Void = { _ in }, objects: @escaping (ModelContext) throws -> Void,
    rows: @escaping (ModelContext) throws -> Void
  ) async throws {
    var stores: [StoreLines] = []
    for insert in [objects, rows] {
      try await withContainer(for: types, sourceLocation: sourceLocation) { container in
        let first = ModelContext(container)
        try prepare(first)
        try first.save()
        let context = ModelContext(container)
        try insert(context)
        try context.save()
        stores.append(try StoreLines(container))
      }
    }
    #expect(!stores[0].lines.isEmpty, sourceLocation: sourceLocation)
    for (object, row) in zip(stores[0].lines, stores[1].lines) where object != row {
      Issue.record("by objects: \(object)\nby rows:    \(row)", sourceLocation: sourceLocation)
      return
    }
    #expect(stores[0].lines.count == stores[1].lines.count, sourceLocation: sourceLocation)
  }

  @Test func `attributes of every type, given or left out, are the same bytes`() async throws {
    var random = SeededGenerator.announced()
    let rows = (0..<60).map { _ in EverythingRow(&random) }
    try await expectEqual(
      tripTypes, objects: { context in for row in rows { context.insert(row.object) } },
      rows: { context in try context.insertAll(Everything.self, rows) { $0.fill(&$1) } })
  }

  @Test func `a unique value gives its record the values, a later row more than an earlier one`() async throws {
    var random = SeededGenerator.announced()
    let codes = (0..<40).map { _ in "code \(Int.random(in: 0..<15, using: &random))" }
    let prices = codes.map { _ in Decimal(Int.random(in: 0..<100, using: &random)) }
    try await expectEqual(
      tripTypes,
      prepare: { context in for number in 0..<8 { context.insert(Trip(code: "code \(number)", name: "there")) } },
      objects: { context in
        for (code, price) in zip(codes, prices) { context.insert(Trip(code: code, name: "new", price: price)) }
      },
      rows: { context in
        let outcome = try context.insertAll(Trip.self, zip(codes, prices)) { row, trip in
          trip.code = row.0
          trip.price = row.1
          trip.name = "new"
          trip.start = Date(timeIntervalSinceReferenceDate: 0)
        }
        #expect(outcome.rows == 40)
        #expect(outcome.inserted == Set(codes).subtracting((0..<8).map { "code \($0)" }).count)
        #expect(outcome.saves == 1)
      })
  }

  @Test func `links of every kind are written on both sides`() async throws {
    try await expectEqual(
      tripTypes,
      prepare: { context in
        for number in 0..<4 { context.insert(Trip(code: "\(number)")) }
        for number in 0..<4 { context.insert(Insurance(policy: "policy \(number)")) }
        for number in 0..<4 { context.insert(Page(text: "page \(number)")) }
        for number in 0..<4 { context.insert(Stop(place: "stop \(number)")) }
      },
      objects: { context in
        let trips = try context.fetch(FetchDescriptor<Trip>())
        for number in 0..<8 { context.insert(Stop(place: "\(number)", order: number, trip: trips[number % 4])) }
        try context.save()
        for number in 0..<3 { context.insert(Booking(number: number, trip: trips[number])) }
        try context.save()
        for number in 0..<3 {
          let tag = Tag(name: "tag \(number)")
          context.insert(tag)
          tag.trips = [trips[number], trips[number + 1]]
        }
        try context.save()
        let pages = try context.fetch(FetchDescriptor<Page>())
        let album = Album(title: "album")
        context.insert(album)
        album.pages = pages
        album.cover = pages[1]
      },
      rows: { context in
        let trips = try context.fetch(FetchDescriptor<Trip>())
        try context.insertAll(Stop.self, 0..<8) { number, stop in
          stop.place = "\(number)"
          stop.order = number
          stop.trip = trips[number % 4]
        }
        try context.insertAll(Booking.self, 0..<3) { number, booking in
          booking.number = number
          booking.link(\.trip, to: trips[number].persistentModelID)
        }
        try context.insertAll(Tag.self, 0..<3) { number, tag in
          tag.name = "tag \(number)"
          tag.trips = [trips[number], trips[number + 1]]
        }
        let pages = try context.fetchIdentifiers(FetchDescriptor<Page>())
        try context.insertAll(Album.self, ["album"]) { title, album in
          album.title = title
          album.link(\.pages, to: pages)
          album.link(\.cover, to: pages[1])
        }
      })
  }

  @Test func `a one-to-one link takes its target from the former holder`() async throws {
    try await expectEqual(
      tripTypes,
      prepare: { context in
        for number in 0..<3 {
          let trip = Trip(code: "\(number)")
          context.insert(trip)
          trip.insurance = Insurance(policy: "old \(number)")
        }
      },
      objects: { context in
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        for number in 0..<2 {
          let insurance = Insurance(policy: "new \(number)")
          context.insert(insurance)
          insurance.trip = trips[number]
        }
        try context.save()
        let insurances = try context.fetch(FetchDescriptor<Insurance>(sortBy: [SortDescriptor(\.policy)]))
        let trip = Trip(code: "last")
        context.insert(trip)
        trip.insurance = insurances[0]
      },
      rows: { context in
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
        try context.insertAll(Insurance.self, 0..<2) { number, insurance in
          insurance.policy = "new \(number)"
          insurance.trip = trips[number]
        }
        let insurances = try context.fetch(FetchDescriptor<Insurance>(sortBy: [SortDescriptor(\.policy)]))
        try context.insertAll(Trip.self, ["last"]) { code, trip in
          trip.code = code
          trip.name = ""
          trip.start = Date(timeIntervalSinceReferenceDate: 0)
          trip.price = 0
          trip.insurance = insurances[0]
        }
      })
  }

  @Test func `an ordered relationship has its order from both sides`() async throws {
    try await expectEqual(
      [Playlist.self, Track.self, Cover.self],
      prepare: { context in
        for name in ["a", "b"] {
          let playlist = Playlist(name: name)
          context.insert(playlist)
          playlist.tracks = (0..<3).map { Track(title: "\(name)\($0)") }
          for number in 0..<3 { context.insert(Cover(title: "\(name)\(number)")) }
        }
      },
      objects: { context in
        let playlists = try context.fetch(FetchDescriptor<Playlist>(sortBy: [SortDescriptor(\.name)]))
        for number in 0..<6 { context.insert(Track(title: "\(number)", playlist: playlists[number % 2])) }
        try context.save()
        let covers = try context.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.title, order: .reverse)]))
        let tracks = try context.fetch(FetchDescriptor<Track>(sortBy: [SortDescriptor(\.title)]))
        let playlist = Playlist(name: "c")
        context.insert(playlist)
        playlist.covers = covers
        playlist.tracks = [tracks[5], tracks[1], tracks[3]]
      },
      rows: { context in
        let playlists = try context.fetch(FetchDescriptor<Playlist>(sortBy: [SortDescriptor(\.name)]))
        try context.insertAll(Track.self, 0..<6) { number, track in
          track.title = "\(number)"
          track.playlist = playlists[number % 2]
        }
        let covers = try context.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.title, order: .reverse)]))
        let tracks = try context.fetch(FetchDescriptor<Track>(sortBy: [SortDescriptor(\.title)]))
        try context.insertAll(Playlist.self, ["c"]) { name, playlist in
          playlist.name = name
          playlist.covers = covers
          playlist.tracks = [tracks[5], tracks[1], tracks[3]]
        }
      })
  }

  @Test func `defaults of nil, and properties of a subclass that are left out, are the same bytes`() async throws {
    try await expectEqual(
      [Craft.self, Barge.self],
      objects: { context in
        context.insert(Craft(name: "a"))
        try context.save()
        context.insert(Barge(name: "b"))
      },
      rows: { context in
        try context.insertAll(Craft.self, ["a"]) { $1.name = $0 }
        try context.insertAll(Barge.self, ["b"]) { $1.name = $0 }
      })
  }

  @Test func `classes that inherit share a table and keep their class`() async throws {
    try await expectEqual(
      Office.types, prepare: { context in context.insert(Office.Badge(name: "lamp")) },
      objects: { context in
        let lamp = try context.fetch(FetchDescriptor<Office.Badge>())[0]
        for number in 0..<4 {
          if number.isMultiple(of: 2) {
            context.insert(Office.Team(name: "\(number)"))
          } else {
            let team = Office.NightTeam(name: "\(number)")
            context.insert(team)
            team.mark = number
            team.lamp = lamp
          }
          try context.save()
        }
      },
      rows: { context in
        let lamp = try context.fetch(FetchDescriptor<Office.Badge>())[0]
        for number in 0..<4 {
          if number.isMultiple(of: 2) {
            try context.insertAll(Office.Team.self, [number]) { $1.name = "\($0)" }
          } else {
            try context.insertAll(Office.NightTeam.self, [number]) { number, team in
              team.name = "\(number)"
              team.mark = number
              team.lamp = lamp
            }
          }
        }
      })
  }
}

/// A row for ``Everything``: of each property nothing, or a value.
private struct EverythingRow {
  var int: Int?
  var int8: Int8?
  var uint64: UInt64?
  var float: Float?
  var decimal: Decimal?
  var string: String?
  var date: Date?
  var uuid: UUID?
  var data: Data?
  var url: URL?
  var season: Season?
  var level: Level?
  var address: Address?
  var numbers: [Int]?
  var optionalInt: Int??
  var optionalString: String??
  var optionalSeason: Season??
  var optionalAddress: Address??

  init(_ random: inout SeededGenerator) {
    func maybe<Value>(_ value: Value) -> Value? { random.oneIn(2) ? value : nil }
    let number = Int.random(in: -1000...1000, using: &random)
    int = maybe(number)
    int8 = maybe(Int8(truncatingIfNeeded: number))
    uint64 = maybe(UInt64.random(in: 0 ... .max, using: &random))
    float = maybe(Float(number) / 3)
    decimal = maybe(Decimal(number) / 7)
    string = maybe(String(repeating: "é", count: abs(number) % 40))
    date = maybe(Date(timeIntervalSinceReferenceDate: Double(number)))
    uuid = maybe(UUID())
    data = maybe(Data("\(number)".utf8))
    url = maybe(URL(filePath: "/\(number)"))
    season = maybe(Season.allCases[abs(number) % 4])
    level = maybe(.low)
    address = maybe(Address(street: "Street", number: number))
    numbers = maybe([number, 1])
    optionalInt = maybe(maybe(number))
    optionalString = maybe(maybe("\(number)"))
    optionalSeason = maybe(maybe(.spring))
    optionalAddress = maybe(maybe(Address(street: "Way", number: number)))
  }

  var object: Everything {
    let object = Everything()
    if let int { object.int = int }
    if let int8 { object.int8 = int8 }
    if let uint64 { object.uint64 = uint64 }
    if let float { object.float = float }
    if let decimal { object.decimal = decimal }
    if let string { object.string = string }
    if let date { object.date = date }
    if let uuid { object.uuid = uuid }
    if let data { object.data = data }
    if let url { object.url = url }
    if let season { object.season = season }
    if let level { object.level = level }
    if let address { object.address = address }
    if let numbers { object.numbers = numbers }
    if let optionalInt { object.optionalInt = optionalInt }
    if let optionalString { object.optionalString = optionalString }
    if let optionalSeason { object.optionalSeason = optionalSeason }
    if let optionalAddress { object.optionalAddress = optionalAddress }
    return object
  }

  func fill(_ record: inout NewRecord<Everything>) {
    if let int { record.int = int }
    if let int8 { record.int8 = int8 }
    if let uint64 { record.uint64 = uint64 }
    if let float { record.float = float }
    if let decimal { record.decimal = decimal }
    if let string { record.string = string }
    if let date { record.date = date }
    if let uuid { record.uuid = uuid }
    if let data { record.data = data }
    if let url { record.url = url }
    if let season { record.season = season }
    if let level { record.level = level }
    if let address { record.address = address }
    if let numbers { record.numbers = numbers }
    if let optionalInt { record.optionalInt = optionalInt }
    if let optionalString { record.optionalString = optionalString }
    if let optionalSeason { record.optionalSeason = optionalSeason }
    if let optionalAddress { record.optionalAddress = optionalAddress }
  }
}
