import Foundation
import SwiftData
import Testing

// Inheritance as WWDC25 shows it: a base class, two below it, searches by kind, and a plan that got there.

@Model
class Journey {
  #Unique<Journey>([\.name, \.startDate])
  #Index<Journey>([\.startDate])

  @Attribute(.preserveValueOnDeletion) var name: String
  var destination: String
  var startDate: Date
  @Relationship(deleteRule: .cascade, inverse: \Lodging.journey) var lodging: Lodging?

  init(name: String, destination: String, startDate: Date) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
  }

  var headline: String { "\(name): \(destination)" }
}

@Model
final class BusinessJourney: Journey {
  var purpose: String
  var perDiem: Double = 0.0

  init(name: String, destination: String, startDate: Date, purpose: String, perDiem: Double = 0) {
    self.purpose = purpose
    self.perDiem = perDiem
    super.init(name: name, destination: destination, startDate: startDate)
  }

  override var headline: String { "\(super.headline) for \(purpose)" }
}

@Model
final class PersonalJourney: Journey {
  enum Reason: String, CaseIterable, Codable, Identifiable {
    case family, reunion, wellness
    var id: Self { self }
  }

  var reason: Reason

  init(name: String, destination: String, startDate: Date, reason: Reason) {
    self.reason = reason
    super.init(name: name, destination: destination, startDate: startDate)
  }
}

@Model
final class Lodging {
  var place: String
  var journey: Journey?

  init(place: String) { self.place = place }
}

enum JourneyKind: CaseIterable {
  case all, personal, business
}

@MainActor
struct InheritanceTutorialTests {
  private let context: ModelContext

  init() throws {
    let schema = Schema([Journey.self, BusinessJourney.self, PersonalJourney.self, Lodging.self])
    context = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    ).mainContext
    let plain = Journey(name: "Plain", destination: "Kyiv", startDate: Date(timeIntervalSince1970: 1))
    let conference = BusinessJourney(
      name: "Conference", destination: "Berlin", startDate: Date(timeIntervalSince1970: 2), purpose: "talk",
      perDiem: 80.5)
    let wedding = PersonalJourney(
      name: "Wedding", destination: "Lviv", startDate: Date(timeIntervalSince1970: 3), reason: .family)
    let spa = PersonalJourney(
      name: "Spa", destination: "Berlin", startDate: Date(timeIntervalSince1970: 4), reason: .wellness)
    for journey in [plain, conference, wedding, spa] { context.insert(journey) }
    wedding.lodging = Lodging(place: "Grandma's")
    conference.lodging = Lodging(place: "Hotel")
    try context.save()
  }

  private func search(_ kind: JourneyKind, _ text: String = "") throws -> [String] {
    let classPredicate: Predicate<Journey>? =
      switch kind {
      case .all: nil
      case .personal: #Predicate { $0 is PersonalJourney }
      case .business: #Predicate { $0 is BusinessJourney }
      }
    let searchPredicate = #Predicate<Journey> {
      text.isEmpty ? true : $0.name.localizedStandardContains(text) || $0.destination.localizedStandardContains(text)
    }
    let full: Predicate<Journey>
    if let classPredicate {
      full = #Predicate { classPredicate.evaluate($0) && searchPredicate.evaluate($0) }
    } else {
      full = searchPredicate
    }
    return try context.fetch(FetchDescriptor(predicate: full, sortBy: [SortDescriptor(\.startDate)])).map(\.name)
  }

  @Test func `a segmented picker and a search field make one predicate`() throws {
    #expect(try search(.all) == ["Plain", "Conference", "Wedding", "Spa"])
    #expect(try search(.personal) == ["Wedding", "Spa"])
    #expect(try search(.business) == ["Conference"])
    #expect(try search(.all, "berlin") == ["Conference", "Spa"])
    #expect(try search(.personal, "BERLIN") == ["Spa"])
    #expect(try search(.business, "kyiv") == [])
  }

  @Test func `a fetch of the base class gives objects of their own classes`() throws {
    let journeys = try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.startDate)]))
    #expect(
      journeys.map(\.headline)
        == ["Plain: Kyiv", "Conference: Berlin for talk", "Wedding: Lviv", "Spa: Berlin"])
    #expect(journeys.compactMap { ($0 as? BusinessJourney)?.perDiem } == [80.5])
    let kinds = journeys.map { journey in
      switch journey {
      case let personal as PersonalJourney: personal.reason.rawValue
      case is BusinessJourney: "business"
      default: "none"
      }
    }
    #expect(kinds == ["none", "business", "family", "wellness"])
  }

  @Test func `a fetch of a subclass sorts and filters by what both have`() throws {
    let personal = FetchDescriptor<PersonalJourney>(sortBy: [SortDescriptor(\.startDate, order: .reverse)])
    #expect(try context.fetch(personal).map(\.name) == ["Spa", "Wedding"])
    let family = PersonalJourney.Reason.family
    let found = FetchDescriptor<PersonalJourney>(predicate: #Predicate { $0.reason == family && $0.name != "" })
    #expect(try context.fetch(found).map(\.destination) == ["Lviv"])
    #expect(try context.fetchCount(FetchDescriptor<BusinessJourney>()) == 1)
    let cast = #Predicate<Journey> { journey in
      if let business = journey as? BusinessJourney { business.perDiem > 80 } else { false }
    }
    #expect(try context.fetch(FetchDescriptor(predicate: cast)).map(\.name) == ["Conference"])
  }

  @Test func `relationships of the base class serve all`() throws {
    let lodgings = try context.fetch(FetchDescriptor<Lodging>(sortBy: [SortDescriptor(\.place)]))
    #expect(lodgings.map(\.place) == ["Grandma's", "Hotel"])
    #expect(lodgings[0].journey is PersonalJourney && lodgings[1].journey is BusinessJourney)
    let berlin = FetchDescriptor<Lodging>(predicate: #Predicate { $0.journey?.destination == "Berlin" })
    #expect(try context.fetch(berlin).map(\.place) == ["Hotel"])
    for journey in try context.fetch(FetchDescriptor<BusinessJourney>()) { context.delete(journey) }
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Lodging>()).map(\.place) == ["Grandma's"])
    #expect(try search(.all) == ["Plain", "Wedding", "Spa"])
  }

  @Test func `the newest history is fetched first`() throws {
    context.insert(
      PersonalJourney(
        name: "Reunion", destination: "Lviv", startDate: Date(timeIntervalSince1970: 9), reason: .reunion))
    try context.save()
    var latest = HistoryDescriptor<DefaultHistoryTransaction>()
    latest.sortBy = [.init(\.transactionIdentifier, order: .reverse)]
    latest.fetchLimit = 1
    let transaction = try #require(try context.fetchHistory(latest).first)
    #expect(transaction.changes.map(\.changedPersistentIdentifier.entityName) == ["PersonalJourney"])
    let token = transaction.token
    context.insert(Journey(name: "Last", destination: "Rivne", startDate: Date(timeIntervalSince1970: 10)))
    try context.save()
    let since = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    let entities = ["Journey", "PersonalJourney", "BusinessJourney"]
    let changed = try context.fetchHistory(since).flatMap(\.changes).map(\.changedPersistentIdentifier)
      .filter { entities.contains($0.entityName) }
    #expect(changed.compactMap { (context.model(for: $0) as? Journey)?.name } == ["Last"])
  }

  @Test func `a unique pair of the base class holds across the classes below it`() throws {
    context.insert(
      PersonalJourney(
        name: "Spa", destination: "Truskavets", startDate: Date(timeIntervalSince1970: 4), reason: .wellness))
    try context.save()
    #expect(try search(.all, "spa") == ["Spa"])
    #expect(try search(.personal, "truskavets") == ["Spa"])
    try context.delete(model: PersonalJourney.self)
    try context.save()
    #expect(try search(.all) == ["Plain", "Conference"])
  }
}
