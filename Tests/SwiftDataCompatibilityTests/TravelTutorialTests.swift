import Foundation
import SwiftData
import Testing

// Destinations and sights: searching, sorting by what the person chose, descriptors kept in extensions.

@Model
class Destination {
  var name: String
  var details: String
  var date: Date
  var priority: Int
  @Relationship(deleteRule: .cascade) var sights = [Sight]()
  var country: Country?

  init(name: String = "", details: String = "", date: Date = .now, priority: Int = 2) {
    self.name = name
    self.details = details
    self.date = date
    self.priority = priority
  }
}

@Model
class Sight {
  var name: String
  var destination: Destination?

  init(name: String) {
    self.name = name
  }
}

@Model
class Country {
  var name: String
  var continent: Continent
  @Relationship(deleteRule: .deny, inverse: \Destination.country) var destinations: [Destination] = []

  enum Continent: String, Codable, CaseIterable {
    case europe, asia, africa
  }

  init(name: String, continent: Continent) {
    self.name = name
    self.continent = continent
  }
}

extension FetchDescriptor where T == Destination {
  static var byPriority: FetchDescriptor<Destination> {
    FetchDescriptor(sortBy: [SortDescriptor(\.priority, order: .reverse), SortDescriptor(\.name)])
  }

  static func upcoming(after date: Date, limit: Int) -> Self {
    var descriptor = Self(predicate: #Predicate { $0.date > date }, sortBy: [SortDescriptor(\.date)])
    descriptor.fetchLimit = limit
    return descriptor
  }
}

extension Destination {
  static let mustSee = #Predicate<Destination> { $0.priority == 3 }
}

/// What a listing's view gets handed from the one above it.
struct DestinationListing {
  var descriptor: FetchDescriptor<Destination>

  init(sort: SortDescriptor<Destination>, searchString: String) {
    descriptor = FetchDescriptor(
      predicate: #Predicate {
        if searchString.isEmpty {
          return true
        } else {
          return $0.name.localizedStandardContains(searchString)
            || $0.sights.contains { $0.name.localizedStandardContains(searchString) }
        }
      }, sortBy: [sort])
  }
}

@MainActor
struct TravelTutorialTests {
  private let context: ModelContext

  init() throws {
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Destination.self, Country.self, configurations: config)
    context = ModelContext(container)
    let italy = Country(name: "Italy", continent: .europe)
    let nepal = Country(name: "Nepal", continent: .asia)
    let rome = Destination(name: "Rome", date: Date(timeIntervalSince1970: 300), priority: 3)
    let florence = Destination(name: "Florence", date: Date(timeIntervalSince1970: 100))
    let naples = Destination(name: "Naples", date: Date(timeIntervalSince1970: 200), priority: 1)
    let pokhara = Destination(name: "Pokhara", date: Date(timeIntervalSince1970: 400), priority: 3)
    let nowhere = Destination(name: "nowhere 10", date: Date(timeIntervalSince1970: 500))
    for destination in [rome, florence, naples, pokhara, nowhere] { context.insert(destination) }
    italy.destinations = [rome, florence, naples]
    pokhara.country = nepal
    for name in ["Colosseum", "Pantheon"] { rome.sights.append(Sight(name: name)) }
    florence.sights = [Sight(name: "Duomo di Firenze")]
    naples.sights = [Sight(name: "Café Gambrinus")]
    try context.save()
  }

  private func names(_ listing: DestinationListing) throws -> [String] {
    try context.fetch(listing.descriptor).map(\.name)
  }

  @Test func `a listing is searched by its own name and by its sights`() throws {
    let byName = SortDescriptor(\Destination.name)
    #expect(
      try names(.init(sort: byName, searchString: ""))
        == ["Florence", "Naples", "nowhere 10", "Pokhara", "Rome"])
    #expect(try names(.init(sort: byName, searchString: "ro")) == ["Rome"])
    #expect(try names(.init(sort: byName, searchString: "o")) == ["Florence", "nowhere 10", "Pokhara", "Rome"])
    #expect(try names(.init(sort: byName, searchString: "cafe")) == ["Naples"])
    #expect(try names(.init(sort: byName, searchString: "pantheon")) == ["Rome"])
    #expect(try names(.init(sort: byName, searchString: "atlantis")) == [])
  }

  @Test(arguments: [
    (SortDescriptor(\Destination.name, order: .reverse), ["Rome", "Pokhara", "nowhere 10", "Naples", "Florence"]),
    (SortDescriptor(\Destination.date), ["Florence", "Naples", "Rome", "Pokhara", "nowhere 10"]),
    (SortDescriptor(\Destination.date, order: .reverse), ["nowhere 10", "Pokhara", "Rome", "Naples", "Florence"]),
    (
      SortDescriptor(\Destination.name, comparator: .lexical),
      ["Florence", "Naples", "Pokhara", "Rome", "nowhere 10"]
    ),
  ])
  func `the menu's order is that of the list`(order: SortDescriptor<Destination>, expected: [String]) throws {
    #expect(try names(.init(sort: order, searchString: "")) == expected)
  }

  @Test func `descriptors of an extension`() throws {
    #expect(
      try context.fetch(.byPriority).map(\.name) == ["Pokhara", "Rome", "Florence", "nowhere 10", "Naples"])
    let date = Date(timeIntervalSince1970: 150)
    #expect(try context.fetch(.upcoming(after: date, limit: 2)).map(\.name) == ["Naples", "Rome"])
    #expect(try context.fetchCount(.upcoming(after: date, limit: 10)) == 4)
    #expect(try context.fetchCount(FetchDescriptor(predicate: Destination.mustSee)) == 2)
  }

  @Test func `related values sort, and those without come first`() throws {
    let byCountry = FetchDescriptor<Destination>(
      sortBy: [SortDescriptor(\.country?.name, order: .forward), SortDescriptor(\.date)])
    #expect(try context.fetch(byCountry).map(\.name) == ["nowhere 10", "Florence", "Naples", "Rome", "Pokhara"])
    let reversed = FetchDescriptor<Destination>(
      sortBy: [SortDescriptor(\.country?.name, order: .reverse), SortDescriptor(\.name, order: .reverse)])
    #expect(try context.fetch(reversed).map(\.name) == ["Pokhara", "Rome", "Naples", "Florence", "nowhere 10"])
    let sights = FetchDescriptor<Sight>(sortBy: [SortDescriptor(\.destination?.name), SortDescriptor(\.name)])
    #expect(
      try context.fetch(sights).map(\.name) == ["Duomo di Firenze", "Café Gambrinus", "Colosseum", "Pantheon"])
  }

  @Test func `a related value is compared with a constant and with nil`() throws {
    func names(_ predicate: Predicate<Destination>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [.init(\.name)])).map(\.name)
    }
    #expect(try names(#Predicate { $0.country == nil }) == ["nowhere 10"])
    #expect(try names(#Predicate { $0.country != nil && $0.country?.name != "Italy" }) == ["Pokhara"])
    let asia = Country.Continent.asia
    #expect(try names(#Predicate { $0.country?.continent == asia }) == ["Pokhara"])
    let wanted = ["Rome", "Naples", "Paris"]
    #expect(try names(#Predicate { wanted.contains($0.name) }) == ["Naples", "Rome"])
    #expect(
      try names(#Predicate { !wanted.contains($0.name) && $0.priority >= 2 })
        == ["Florence", "nowhere 10", "Pokhara"])
    let countries = try context.fetch(FetchDescriptor<Country>(predicate: #Predicate { $0.destinations.count > 1 }))
    #expect(countries.map(\.name) == ["Italy"])
  }

  @Test func `a deny rule keeps the country while it has destinations`() throws {
    let nepal = try #require(
      try context.fetch(FetchDescriptor<Country>(predicate: #Predicate { $0.name == "Nepal" })).first)
    context.delete(nepal)
    #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .deleteDenied)
    context.rollback()
    let pokhara = try #require(nepal.destinations.first)
    pokhara.country = nil
    context.delete(nepal)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Country>()).map(\.name) == ["Italy"])
    #expect(pokhara.country == nil && pokhara.name == "Pokhara")
  }

  @Test func `sights go with their destination, and one sight goes alone`() throws {
    let rome = try #require(try context.fetch(.byPriority).first { $0.name == "Rome" })
    let sight = try #require(rome.sights.first { $0.name == "Pantheon" })
    rome.sights.removeAll { $0 == sight }
    context.delete(sight)
    #expect(rome.sights.map(\.name) == ["Colosseum"])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sight>()) == 3)
    context.delete(rome)
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Sight>(sortBy: [.init(\.name)])).map(\.name)
        == ["Café Gambrinus", "Duomo di Firenze"])
  }
}
