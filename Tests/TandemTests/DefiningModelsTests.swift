import Foundation
import Tandem
import Testing

// The code of the article DefiningModels. `the article's code is this file's` keeps the two equal.

enum Mode: String, Codable, CaseIterable { case train, bus, foot }

struct Fare: Codable, Equatable {
  var amount: Decimal
  var currency = "UAH"
}

enum Ending: Codable, Equatable {
  case open
  case arrived(Date)
  case cancelled(reason: String)
}

struct Tint: Equatable {
  var red: UInt8
  var green: UInt8
}

final class TintTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Tint).map { Data([$0.red, $0.green]) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 2 else { return nil }
    return Tint(red: data[0], green: data[1])
  }
}

@Model final class Ride {
  #Unique<Ride>([\.line, \.departure])
  #Index<Ride>([\.departure], [\.mode, \.departure])

  var line: String
  var departure: Date
  var mode: Mode = Mode.train
  var fare: Fare?
  var ending: Ending = Ending.open
  var stations: [String] = []
  var delays: [String: Int] = [:]

  @Attribute(.unique(.throw)) var ticket: UUID
  @Attribute(originalName: "remarks") var notes: String = ""
  @Attribute(.externalStorage) var map: Data?
  @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint = Tint(red: 0, green: 128)
  @Attribute(.ephemeral) var zoom: Double = 1
  @Transient var isSelected = false

  private(set) var kilometres: Double = 0
  var isLong: Bool { kilometres > 300 }

  init(line: String, departure: Date, ticket: UUID = UUID()) {
    self.line = line
    self.departure = departure
    self.ticket = ticket
  }
}

@Model class Place {
  #Unique<Place>([\.name])
  var name: String
  var visits = 0
  init(name: String) { self.name = name }
}

@Model class Station: Place {
  var platforms: Int
  init(name: String, platforms: Int) {
    self.platforms = platforms
    super.init(name: name)
  }
}

@Model final class Terminus: Station {
  var city: String = ""
  override init(name: String, platforms: Int) { super.init(name: name, platforms: platforms) }
}

enum RideSchema: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Ride.self]
}

func upload(_ ride: Ride, from context: ModelContext) async throws -> Int {
  guard let map = try context.externalValue(of: \.map, for: ride), map.isAvailable else { return 0 }
  var sent = 0
  for try await piece in map.chunks(of: 1 << 20) { sent += piece.count }
  return sent
}

func count(_ map: ExternalValue) async throws -> Int {
  let pieces: ExternalValue.Chunks = map.chunks(of: 64 << 10)
  let byteCount = try await pieces.reduce(0) { $0 + $1.count }
  return byteCount
}

func maps(arrivingFor rides: [Ride], in context: ModelContext, _ show: (Ride, Data) -> Void) async throws {
  for try await value in try context.container.externalValueArrivals() {
    for ride in rides where try context.externalValue(of: \.map, for: ride)?.sha256 == value.sha256 {
      show(ride, try value.data())
    }
  }
}

struct DefiningModelsTests {
  @Test func `the article's model behaves as it says`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema(versionedSchema: RideSchema.self), configurations: configuration)
    let context = ModelContext(container)
    let departure = Date(timeIntervalSinceReferenceDate: 0)

    let ride = Ride(line: "43", departure: departure)
    ride.fare = Fare(amount: 120)
    ride.ending = .cancelled(reason: "snow")
    ride.delays["Skole", default: 0] += 5
    context.insert(ride)
    try context.save()

    ride.zoom = 3
    ride.isSelected = true
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Ride>()).first)
    #expect(found.fare == Fare(amount: 120) && found.ending == .cancelled(reason: "snow"))
    #expect(found.delays == ["Skole": 5] && found.tint == Tint(red: 0, green: 128))
    #expect(found.zoom == 1 && !found.isSelected && !found.isLong)

    context.insert(Ride(line: "43", departure: departure))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Ride>()) == 1)

    context.insert(Ride(line: "7", departure: departure, ticket: try #require(try ticket(context))))
    expectError(.uniquenessViolation) { try context.save() }
  }

  @Test func `the article's upload sends each byte of a large value`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rides-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let container = try ModelContainer(
      for: Schema(versionedSchema: RideSchema.self),
      configurations: ModelConfiguration(url: folder.appending(path: "rides.store")))
    let context = ModelContext(container)
    let ride = Ride(line: "43", departure: Date(timeIntervalSinceReferenceDate: 0))
    context.insert(ride)
    try context.save()
    #expect(try await upload(ride, from: context) == 0)
    ride.map = Data(repeating: 7, count: 3_000_000)
    try context.save()
    #expect(try await upload(ride, from: context) == 3_000_000)
    let map = try #require(try context.externalValue(of: \.map, for: ride))
    #expect(try await count(map) == 3_000_000)
  }

  @Test func `the article's hierarchy behaves as it says`() throws {
    let container = try ModelContainer(
      for: Terminus.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Place(name: "Hoverla"))
    context.insert(Station(name: "Skole", platforms: 2))
    context.insert(Terminus(name: "Lviv", platforms: 12))
    try context.save()
    let stations = #Predicate<Place> { $0 is Station }
    let large = #Predicate<Place> { ($0 as? Station)?.platforms == 12 }
    #expect(try context.fetch(FetchDescriptor(predicate: stations)).map(\.name).sorted() == ["Lviv", "Skole"])
    #expect(try context.fetch(FetchDescriptor(predicate: large)).map { "\(type(of: $0))" } == ["Terminus"])
    for predicate in [stations, large] {
      #expect(try !FetchDescriptor(predicate: predicate).explain(in: context).contains("in Swift"))
    }
    context.insert(Terminus(name: "Skole", platforms: 3))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Terminus>()) == 2)
  }

  private func ticket(_ context: ModelContext) throws -> UUID? {
    try context.fetch(FetchDescriptor<Ride>()).first?.ticket
  }
}
