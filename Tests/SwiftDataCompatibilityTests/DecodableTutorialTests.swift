import Foundation
import SwiftData
import Testing

// Models that are Codable themselves, and values of every kind.

@Model
final class Film: Codable {
  enum CodingKeys: String, CodingKey {
    case id, title
    case releaseDate = "release_date"
    case rating = "vote_average"
    case genres, cast
  }

  @Attribute(.unique) var id: Int
  var title: String
  @Attribute(originalName: "release") var releaseDate: Date?
  var rating: Double
  var genres: [String]
  @Relationship(deleteRule: .cascade, inverse: \Performer.film) var cast: [Performer]
  var isFavorite = false

  init(id: Int, title: String, releaseDate: Date? = nil, rating: Double = 0, genres: [String] = []) {
    self.id = id
    self.title = title
    self.releaseDate = releaseDate
    self.rating = rating
    self.genres = genres
    self.cast = []
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    title = try container.decode(String.self, forKey: .title)
    releaseDate = try container.decodeIfPresent(Date.self, forKey: .releaseDate)
    rating = try container.decodeIfPresent(Double.self, forKey: .rating) ?? 0
    genres = try container.decodeIfPresent([String].self, forKey: .genres) ?? []
    cast = try container.decodeIfPresent([Performer].self, forKey: .cast) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(releaseDate, forKey: .releaseDate)
    try container.encode(rating, forKey: .rating)
    try container.encode(genres, forKey: .genres)
    try container.encode(cast.sorted { $0.billing < $1.billing }, forKey: .cast)
  }
}

@Model
class Performer: Codable, Comparable {
  var name: String
  var billing: Int
  var film: Film?

  private enum CodingKeys: CodingKey {
    case name, billing
  }

  init(name: String, billing: Int) {
    self.name = name
    self.billing = billing
  }

  required init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.name = try values.decode(String.self, forKey: .name)
    self.billing = try values.decode(Int.self, forKey: .billing)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(billing, forKey: .billing)
  }

  static func < (lhs: Performer, rhs: Performer) -> Bool { lhs.billing < rhs.billing }
}

struct FilmPage: Decodable {
  let page: Int
  let results: [Film]
}

protocol Archivable: PersistentModel {
  var archivedAt: Date? { get set }
}

extension Archivable {
  var isArchived: Bool { archivedAt != nil }
  func archive(at date: Date) { archivedAt = date }
}

@Model
final class Device: Archivable {
  var serial: UUID
  var name: String
  var manual: URL
  var icon: Data
  var price: Decimal
  var weight: Float
  var ports: [Port]
  var owner: PersonNameComponents?
  var warranty: DateInterval?
  var size: Size
  var lastSeen: TimeInterval
  var locale: Locale
  var archivedAt: Date?

  enum Port: Int, Codable { case usb = 1, thunderbolt, hdmi }
  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
    var depth: Int?
    var area: Int { width * height }
  }

  init(name: String, manual: URL) {
    serial = UUID()
    self.name = name
    self.manual = manual
    icon = Data([0, 1, 255])
    price = Decimal(19) / 2
    weight = 1.25
    ports = [.usb, .hdmi]
    size = Size(width: 3, height: 4)
    lastSeen = 0.1
    locale = Locale(identifier: "uk_UA")
  }
}

@MainActor
struct DecodableTutorialTests {
  private let context: ModelContext

  init() throws {
    let schema = Schema([Film.self, Performer.self, Device.self])
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    context = container.mainContext
  }

  private static let page = """
    {"page": 1, "results": [
      {"id": 2, "title": "Earth", "release_date": "1930-04-08T00:00:00Z", "vote_average": 7.25,
        "genres": ["Drama"], "cast": [{"name": "Svashenko", "billing": 2}, {"name": "Shkurat", "billing": 1}]},
      {"id": 1, "title": "Enthusiasm"}
    ]}
    """

  private func decodePage(_ text: String = page) throws -> FilmPage {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(FilmPage.self, from: Data(text.utf8))
  }

  @Test func `models are decoded, inserted and fetched`() throws {
    let page = try decodePage()
    #expect(page.page == 1 && page.results.count == 2)
    page.results.forEach { context.insert($0) }
    try context.save()
    let other = ModelContext(context.container)
    let films = try other.fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.id)]))
    #expect(films.map(\.title) == ["Enthusiasm", "Earth"])
    #expect(films.map(\.releaseDate) == [nil, Date(timeIntervalSince1970: -1_253_923_200)])
    #expect(films.map(\.rating) == [0, 7.25] && films.map(\.genres) == [[], ["Drama"]])
    #expect(films[1].cast.sorted().map(\.name) == ["Shkurat", "Svashenko"])
    #expect(films[1].cast.allSatisfy { $0.film === films[1] })
  }

  @Test func `a second page updates by the unique number`() throws {
    try decodePage().results.forEach { context.insert($0) }
    try context.save()
    try decodePage(#"{"page": 2, "results": [{"id": 2, "title": "Zemlya", "vote_average": 8}]}"#).results
      .forEach { context.insert($0) }
    try context.save()
    let films = try context.fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.id)]))
    #expect(films.map(\.title) == ["Enthusiasm", "Zemlya"] && films.map(\.rating) == [0, 8])
  }

  @Test func `a model is encoded`() throws {
    try decodePage().results.forEach { context.insert($0) }
    try context.save()
    let film = try #require(try context.fetch(FetchDescriptor<Film>(predicate: #Predicate { $0.id == 2 })).first)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys]
    let text = String(decoding: try encoder.encode(film), as: UTF8.self)
    #expect(
      text == """
        {"cast":[{"billing":1,"name":"Shkurat"},{"billing":2,"name":"Svashenko"}],"genres":["Drama"],"id":2,\
        "release_date":"1930-04-08T00:00:00Z","title":"Earth","vote_average":7.25}
        """)
  }

  @Test func `a list of texts and an identifier of one's own are asked`() throws {
    try decodePage().results.forEach { context.insert($0) }
    let drama = "Drama"
    let dramas = FetchDescriptor<Film>(predicate: #Predicate { $0.genres.contains(drama) })
    #expect(try context.fetch(dramas).map(\.id) == [2])
    let ids: Set<Int> = [1, 5]
    #expect(try context.fetch(FetchDescriptor<Film>(predicate: #Predicate { ids.contains($0.id) })).map(\.id) == [1])
    let actor = "Shkurat"
    let withActor = FetchDescriptor<Film>(
      predicate: #Predicate { film in film.cast.contains(where: { $0.name == actor && $0.billing == 1 }) })
    #expect(try context.fetch(withActor).map(\.title) == ["Earth"])
  }

  @Test func `values of every kind come back as they were`() throws {
    let device = Device(name: "Lamp", manual: try #require(URL(string: "https://example.com/lamp.pdf")))
    device.owner = PersonNameComponents(givenName: "Lesya", familyName: "Ukrainka")
    device.warranty = DateInterval(start: Date(timeIntervalSince1970: 0), duration: 3_600)
    context.insert(device)
    try context.save()
    let copy = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Device>()).first)
    #expect(copy.serial == device.serial && copy.name == "Lamp" && copy.manual.pathExtension == "pdf")
    #expect(copy.icon == Data([0, 1, 255]) && copy.price == Decimal(string: "9.5") && copy.weight == 1.25)
    #expect(copy.ports == [.usb, .hdmi] && copy.size == Device.Size(width: 3, height: 4) && copy.size.area == 12)
    #expect(copy.owner?.givenName == "Lesya" && copy.warranty?.duration == 3_600 && copy.lastSeen == 0.1)
    #expect(copy.locale.identifier == "uk_UA" && !copy.isArchived)
    let (serial, url) = (device.serial, device.manual)
    let found = FetchDescriptor<Device>(predicate: #Predicate { $0.serial == serial && $0.manual == url })
    #expect(try context.fetchCount(found) == 1)
    let wide = FetchDescriptor<Device>(predicate: #Predicate { $0.size.width < 4 && $0.size.depth == nil })
    #expect(try context.fetchCount(wide) == 1)
  }

  @Test func `a protocol of models gives them what they share`() throws {
    func archived<T: Archivable>(_ type: T.Type) throws -> [T] {
      try context.fetch(FetchDescriptor<T>()).filter(\.isArchived)
    }
    func delete<T: PersistentModel>(allOf type: T.Type) throws {
      for object in try context.fetch(FetchDescriptor<T>()) { context.delete(object) }
    }
    let url = URL(filePath: "/tmp/manual")
    let (lamp, radio) = (Device(name: "Lamp", manual: url), Device(name: "Radio", manual: url))
    context.insert(lamp)
    context.insert(radio)
    radio.archive(at: Date(timeIntervalSince1970: 5))
    #expect(try archived(Device.self).map(\.name) == ["Radio"])
    let since = Date(timeIntervalSince1970: 4)
    let recent = FetchDescriptor<Device>(predicate: #Predicate { ($0.archivedAt ?? since) > since })
    #expect(try context.fetch(recent).map(\.name) == ["Radio"])
    try delete(allOf: Device.self)
    #expect(try context.fetchCount(FetchDescriptor<Device>()) == 0)
  }
}
