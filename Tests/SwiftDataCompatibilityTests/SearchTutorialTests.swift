import Foundation
import SwiftData
import Testing

// What people ask of a predicate when a search has scopes, tokens and optional choices.

@Model
final class Podcast {
  var title: String
  var host: String?
  var language: Language
  var minutes: Int
  var price: Decimal
  var published: Date
  var keywords: [String]
  var status: Status?
  var isExplicit: Bool
  var show: Show?
  @Relationship(inverse: \Speaker.podcasts) var guests: [Speaker] = []

  enum Language: String, Codable { case english = "en", ukrainian = "uk" }
  enum Status: Int, Codable, CaseIterable { case queued = 1, playing, finished }

  init(
    _ title: String, host: String? = nil, language: Language = .english, minutes: Int = 30, price: Decimal = 0,
    day: Int = 0, keywords: [String] = [], status: Status? = nil, isExplicit: Bool = false
  ) {
    self.title = title
    self.host = host
    self.language = language
    self.minutes = minutes
    self.price = price
    self.published = Date(timeIntervalSince1970: Double(day) * 86_400)
    self.keywords = keywords
    self.status = status
    self.isExplicit = isExplicit
  }
}

@Model
final class Show {
  var name: String
  var minimumMinutes: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \Podcast.show) var podcasts: [Podcast] = []

  init(name: String, minimumMinutes: Int = 0) {
    self.name = name
    self.minimumMinutes = minimumMinutes
  }
}

@Model
final class Speaker {
  var name: String
  var podcasts: [Podcast] = []
  init(name: String) { self.name = name }
}

@MainActor
struct SearchTutorialTests {
  private let context: ModelContext
  private let swift = Show(name: "Swift", minimumMinutes: 25)
  private let history = Show(name: "History")
  private let defaultLanguage = Podcast.Language.ukrainian

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Podcast.self, Show.self, Speaker.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let macros = Podcast("Macros", host: "Ann", minutes: 45, price: 2, day: 1, keywords: ["swift", "syntax"])
    let actors = Podcast("Actors", minutes: 20, day: 2, keywords: ["swift"], status: .playing)
    let kozaks = Podcast("Козаки", host: "Bohdan", language: .ukrainian, minutes: 60, day: 3, status: .finished)
    let rome = Podcast("Résumé of Rome", host: "ann", minutes: 30, price: 1, day: 4, status: .queued, isExplicit: true)
    for podcast in [macros, actors, kozaks, rome] { context.insert(podcast) }
    macros.show = swift
    actors.show = swift
    kozaks.show = history
    let guest = Speaker(name: "Zoe")
    guest.podcasts = [macros, kozaks]
    try context.save()
  }

  private func titles(_ predicate: Predicate<Podcast>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.published)])).map(\.title)
  }

  private func search(text: String? = nil, show: Show? = nil, status: Podcast.Status? = nil) throws -> [String] {
    let showID = show?.persistentModelID
    let raw = status
    return try titles(
      #Predicate<Podcast> { podcast in
        if let text {
          podcast.title.localizedStandardContains(text) || podcast.host?.localizedStandardContains(text) == true
        } else if let showID {
          podcast.show?.persistentModelID == showID
        } else if raw != nil {
          podcast.status == raw
        } else {
          true
        }
      })
  }

  @Test func `choices that are optional are bound in the predicate`() throws {
    #expect(try search() == ["Macros", "Actors", "Козаки", "Résumé of Rome"])
    #expect(try search(text: "ANN") == ["Macros", "Résumé of Rome"])
    #expect(try search(text: "resume") == ["Résumé of Rome"])
    #expect(try search(text: "КОЗ") == ["Козаки"])
    #expect(try search(show: swift) == ["Macros", "Actors"])
    #expect(try search(show: history) == ["Козаки"])
    #expect(try search(status: .playing) == ["Actors"])
  }

  @Test func `a choice of nil asks for everything`() throws {
    for (show, expected) in [(swift, ["Macros", "Actors"]), (nil, ["Macros", "Actors", "Козаки", "Résumé of Rome"])] {
      let id = show?.persistentModelID
      #expect(try titles(#Predicate { id == nil || $0.show?.persistentModelID == id }) == expected)
      let name = show?.name
      #expect(try titles(#Predicate { name == nil ? true : $0.show?.name == name }) == expected)
    }
    let none: Podcast.Status? = nil
    #expect(try titles(#Predicate { $0.status == none }) == ["Macros"])
    #expect(try titles(#Predicate { $0.status != nil }) == ["Actors", "Козаки", "Résumé of Rome"])
  }

  @Test func `tokens are taken from sets, arrays and ranges`() throws {
    let ids = try context.fetch(FetchDescriptor<Podcast>(predicate: #Predicate { $0.minutes > 40 }))
      .map(\.persistentModelID)
    #expect(try titles(#Predicate { ids.contains($0.persistentModelID) }) == ["Macros", "Козаки"])
    #expect(try titles(#Predicate { [20, 30].contains($0.minutes) }) == ["Actors", "Résumé of Rome"])
    #expect(try titles(#Predicate { (30...45).contains($0.minutes) }) == ["Macros", "Résumé of Rome"])
    let statuses: [Podcast.Status?] = [.queued, nil]
    #expect(try titles(#Predicate { statuses.contains($0.status) }) == ["Macros", "Résumé of Rome"])
    let languages: Set<Podcast.Language> = [.ukrainian]
    #expect(try titles(#Predicate { languages.contains($0.language) }) == ["Козаки"])
    let token = "swift"
    #expect(try titles(#Predicate { $0.keywords.contains(token) }) == ["Macros", "Actors"])
    #expect(try titles(#Predicate { $0.keywords.contains { $0 == "syntax" } }) == ["Macros"])
    #expect(try titles(#Predicate { $0.keywords.isEmpty && !$0.isExplicit }) == ["Козаки"])
  }

  @Test func `a closure within a predicate uses the outer object`() throws {
    let shows = FetchDescriptor<Show>(
      predicate: #Predicate { show in
        show.podcasts.contains { podcast in podcast.minutes < show.minimumMinutes }
      })
    #expect(try context.fetch(shows).map(\.name) == ["Swift"])
    let withGuest = FetchDescriptor<Show>(
      predicate: #Predicate { show in
        show.podcasts.contains { podcast in podcast.guests.contains { guest in guest.name == "Zoe" } }
      }, sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(withGuest).map(\.name) == ["History", "Swift"])
    let allLong = FetchDescriptor<Show>(predicate: #Predicate { $0.podcasts.allSatisfy { $0.minutes >= 45 } })
    #expect(try context.fetch(allLong).map(\.name) == ["History"])
  }

  @Test func `a property of self and a stored preference are captured`() throws {
    #expect(try titles(#Predicate { $0.language == defaultLanguage }) == ["Козаки"])
    let own = defaultLanguage
    #expect(try titles(#Predicate { $0.language != own && $0.minutes < 30 }) == ["Actors"])
    let preferences = (minimum: 25, isExplicitShown: false)
    #expect(
      try titles(
        #Predicate { $0.minutes >= preferences.minimum && (preferences.isExplicitShown || !$0.isExplicit) })
        == ["Macros", "Козаки"])
  }

  @Test func `texts are compared in the ways of a search field`() throws {
    let text = "ANN"
    #expect(
      try titles(#Predicate { $0.host?.caseInsensitiveCompare(text) == .orderedSame }) == ["Macros", "Résumé of Rome"])
    #expect(try titles(#Predicate { $0.host?.localizedCompare("Ann") == .orderedSame }) == ["Macros"])
    #expect(try titles(#Predicate { ($0.host ?? "Nobody") == "Nobody" }) == ["Actors"])
    #expect(
      try titles(#Predicate { $0.title.starts(with: "R") || $0.title.contains("ct") }) == ["Actors", "Résumé of Rome"])
    #expect(try titles(#Predicate { $0.title > "B" && $0.title < "N" }) == ["Macros"])
    #expect(try titles(#Predicate { $0.host != nil && $0.host!.count == 3 }) == ["Macros", "Résumé of Rome"])
  }

  @Test func `numbers and dates are computed in the predicate`() throws {
    let factor = 2
    let limit = Decimal(3)
    #expect(try titles(#Predicate { $0.minutes * factor >= 90 }) == ["Macros", "Козаки"])
    #expect(try titles(#Predicate { $0.price * 2 >= limit }) == ["Macros"])
    #expect(try titles(#Predicate { $0.minutes / 20 == 1 && -$0.minutes < -20 }) == ["Résumé of Rome"])
    let now = Date(timeIntervalSince1970: 4 * 86_400)
    let week = now.addingTimeInterval(-2 * 86_400)
    #expect(try titles(#Predicate { $0.published >= week && $0.published < now }) == ["Actors", "Козаки"])
  }
}
