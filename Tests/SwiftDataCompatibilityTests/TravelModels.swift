import SwiftData

// Models as an app for Apple's systems has them: this file knows SwiftData and nothing else.

enum TripPurpose: String, Codable, CaseIterable {
  case leisure, work
}

struct Weather: Codable, Hashable {
  var degrees: Double
  var isDry: Bool
}

@Model
final class Trip {
  #Unique<Trip>([\.name, \.start])
  #Index<Trip>([\.start], [\.purpose, \.start])

  @Attribute(.unique) var code: String
  var name: String
  var destination: String
  var start: Date
  var end: Date?
  var purpose: TripPurpose
  var budget: Decimal = 0
  var isFavorite = false
  var tags: [String] = []
  var weather: Weather?
  @Attribute(.externalStorage) var photo: Data?
  @Attribute(originalName: "remarks") var notes: String = ""
  @Transient var isSelected = false

  @Relationship(deleteRule: .cascade, inverse: \Stop.trip)
  var stops: [Stop] = []
  @Relationship(deleteRule: .nullify)
  var companions: [Traveler] = []
  var lead: Traveler?

  var length: TimeInterval { (end ?? start).timeIntervalSince(start) }

  init(
    code: String, name: String, destination: String, start: Date, end: Date? = nil,
    purpose: TripPurpose = .leisure
  ) {
    self.code = code
    self.name = name
    self.destination = destination
    self.start = start
    self.end = end
    self.purpose = purpose
  }
}

@Model
final class Stop {
  var place: String
  var order: Int
  var trip: Trip?

  init(place: String, order: Int) {
    self.place = place
    self.order = order
  }
}

@Model
final class Traveler {
  @Attribute(.unique) var email: String
  var firstName: String
  @Relationship(inverse: \Trip.companions) var trips: [Trip] = []
  @Relationship(deleteRule: .deny) var passport: Passport?

  init(email: String, firstName: String) {
    self.email = email
    self.firstName = firstName
  }
}

@Model
final class Passport {
  var number: String
  init(number: String) { self.number = number }
}

@MainActor
func makeContainer() throws -> ModelContainer {
  let schema = Schema([Trip.self, Stop.self, Traveler.self, Passport.self])
  let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
  return try ModelContainer(for: schema, configurations: [configuration])
}

extension Date {
  static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }
}
