import Foundation
import Tandem

// One schema for the tests of objects, so that a reader learns it once.

@Model final class Trip {
  @Attribute(.unique) var code: String
  var name: String
  var start: Date
  var price: Decimal
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
  @Relationship(deleteRule: .deny, inverse: \Booking.trip) var bookings: [Booking] = []
  @Relationship(deleteRule: .cascade, inverse: \Insurance.trip) var insurance: Insurance?

  init(code: String, name: String = "", start: Date = Date(timeIntervalSinceReferenceDate: 0), price: Decimal = 0) {
    self.code = code
    self.name = name
    self.start = start
    self.price = price
  }
}

@Model final class Stop {
  var place: String
  var order: Int
  var trip: Trip?
  @Relationship(deleteRule: .nullify, inverse: \Photo.stop) var photos: [Photo] = []

  init(place: String, order: Int = 0, trip: Trip? = nil) {
    self.place = place
    self.order = order
    self.trip = trip
  }
}

@Model final class Photo {
  var title: String
  var stop: Stop?
  init(title: String, stop: Stop? = nil) {
    self.title = title
    self.stop = stop
  }
}

@Model final class Tag {
  @Attribute(.unique) var name: String
  var trips: [Trip] = []
  init(name: String) { self.name = name }
}

@Model final class Booking {
  var number: Int
  /// Must not be nil: a booking without its trip is not shown.
  var trip: Trip
  init(number: Int, trip: Trip) {
    self.number = number
    self.trip = trip
  }
}

@Model final class Insurance {
  var policy: String
  var trip: Trip?
  init(policy: String) { self.policy = policy }
}

/// Relationships without an inverse.
@Model final class Album {
  var title: String
  var pages: [Page] = []
  var cover: Page?
  init(title: String) { self.title = title }
}

@Model final class Page {
  var text: String
  init(text: String) { self.text = text }
}

enum Season: String, Codable, CaseIterable { case spring, summer, autumn, winter }
enum Level: Int, Codable { case low = 1, high = 2 }
struct Address: Codable, Equatable {
  var street: String
  var number: Int
}

/// Every type that an attribute can have.
@Model final class Everything {
  var bool: Bool = true
  var int: Int = -1
  var int8: Int8 = -8
  var int16: Int16 = -16
  var int32: Int32 = -32
  var int64: Int64 = .min
  var uint: UInt = .max
  var uint8: UInt8 = 8
  var uint64: UInt64 = .max
  var float: Float = 1.5
  var double: Double = .pi
  var decimal: Decimal = Decimal(string: "1234567890.0987654321")!
  var string: String = "a string that is longer than fifteen bytes"
  var short: String = "short"
  var date: Date = Date(timeIntervalSinceReferenceDate: 123.456)
  var uuid: UUID = UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!
  var data: Data = Data([0, 1, 255])
  var url: URL = URL(string: "https://example.org/a?b=c")!
  var season: Season = Season.autumn
  var level: Level = Level.high
  var address: Address = Address(street: "Rynok", number: 1)
  var numbers: [Int] = [3, 1, 2]
  var words: [String: Int] = ["one": 1]
  var optionalInt: Int?
  var optionalString: String? = "there"
  var optionalSeason: Season?
  var optionalAddress: Address?
  var optionalDecimal: Decimal? = 3
  init() {}
}

let tripTypes: [any PersistentModel.Type] = [Trip.self, Album.self, Everything.self]

extension String {
  /// A fixed order for comparing sets of names.
  static func list(_ names: some Sequence<String>) -> String { names.sorted().joined(separator: " ") }
}
