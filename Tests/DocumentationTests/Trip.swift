import Foundation
import Tandem

// The classes of the articles Fetching, History and LiveResults.

enum Purpose: String, Codable, CaseIterable { case leisure, work }

@Model final class Trip {
  #Index<Trip>([\.start])
  @Attribute(.unique, .preserveValueOnDeletion) var code: String
  var name: String
  var destination: String
  var start: Date
  var nights: Int
  var purpose: Purpose
  var lead: Traveler?
  @Relationship(deleteRule: .cascade, inverse: \Errand.trip) var errands: [Errand] = []

  init(
    code: String, name: String = "", destination: String = "", start: Date = .now, nights: Int = 1,
    purpose: Purpose = .leisure
  ) {
    self.code = code
    self.name = name
    self.destination = destination
    self.start = start
    self.nights = nights
    self.purpose = purpose
  }
}

@Model final class Traveler {
  var firstName: String
  @Relationship(inverse: \Trip.lead) var trips: [Trip] = []
  init(firstName: String) { self.firstName = firstName }
}

@Model final class Errand {
  var isDone: Bool
  var trip: Trip?
  init(isDone: Bool) { self.isDone = isDone }
}
