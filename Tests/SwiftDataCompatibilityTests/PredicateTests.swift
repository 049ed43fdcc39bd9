import SwiftData
import Testing

enum WorkoutModels {
  enum Sport: String, Codable, CaseIterable { case run, swim, ride }
  enum Effort: Int, Codable { case easy = 1, hard = 5 }
  struct Spot: Codable, Hashable {
    var city: String
    var code: Int?
  }

  @Model
  final class Workout {
    #Index<Workout>([\.date], [\.sport, \.date])
    var title: String
    var notes: String?
    var date: Date
    var ended: Date?
    var sport: Sport
    var effort: Effort?
    var place: Spot
    var goal: Spot?
    var laps: [Int]
    var splits: [String: Int]
    var meters: Int
    var pace: Double
    var price: Decimal
    var code: UUID
    var link: URL?
    var isPublic: Bool
    var athlete: Athlete?
    @Relationship(deleteRule: .cascade, inverse: \Comment.workout) var comments: [Comment] = []
    var kilometers: Int { meters / 1000 }

    init(_ number: Int, sport: Sport, effort: Effort? = nil, place: Spot) {
      title = "Workout \(number)"
      notes = number % 2 == 0 ? nil : "Note \(number)"
      date = Workout.day(number)
      ended = number % 3 == 0 ? nil : Workout.day(number + 1)
      self.sport = sport
      self.effort = effort
      self.place = place
      goal = number == 2 ? place : nil
      laps = Array(0..<number)
      splits = ["first": number]
      meters = number * 1000
      pace = Double(number) / 2
      price = Decimal(number) / 4
      code = Workout.code(number)
      link = number == 1 ? nil : URL(string: "https://example.com/\(number)")
      isPublic = number > 2
    }

    static func day(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(number) * 86_400) }
    static func code(_ number: Int) -> UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number))) }
  }

  @Model
  final class Athlete {
    var name: String
    var club: Club?
    @Relationship(inverse: \Workout.athlete) var workouts: [Workout] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Club {
    var name: String
    @Relationship(inverse: \Athlete.club) var members: [Athlete] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Comment {
    var text: String
    var stars: Int?
    var workout: Workout?
    init(text: String, stars: Int? = nil) {
      self.text = text
      self.stars = stars
    }
  }
}

/// Each expression that `#Predicate` knows, as an app writes it, over workouts 0 to 4.
@MainActor
@Suite struct PredicateTests {
  private typealias Sport = WorkoutModels.Sport
  private typealias Effort = WorkoutModels.Effort
  private typealias Spot = WorkoutModels.Spot
  private typealias Workout = WorkoutModels.Workout
  private typealias Athlete = WorkoutModels.Athlete
  private typealias Club = WorkoutModels.Club
  private typealias Comment = WorkoutModels.Comment

  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Workout.self, Athlete.self, configurations: configuration)
    context = container.mainContext
    let club = Club(name: "Dynamo")
    let olena = Athlete(name: "Olena")
    let ivan = Athlete(name: "ivan")
    olena.club = club
    let kyiv = Spot(city: "Kyiv", code: 44)
    let lviv = Spot(city: "Lviv")
    let workouts = [
      Workout(0, sport: .run, place: kyiv), Workout(1, sport: .swim, effort: .easy, place: lviv),
      Workout(2, sport: .run, effort: .hard, place: kyiv), Workout(3, sport: .ride, place: lviv),
      Workout(4, sport: .run, effort: .easy, place: kyiv),
    ]
    for (number, workout) in workouts.enumerated() {
      context.insert(workout)
      workout.athlete = number == 4 ? nil : number < 2 ? olena : ivan
      workout.comments = (0..<number).map { Comment(text: $0 == 0 ? "Bravo" : "nice \($0)", stars: $0 == 1 ? nil : $0) }
    }
  }

  /// The numbers of the workouts that a predicate accepts, which a save does not change.
  private func numbers(_ predicate: Predicate<Workout>, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> [Int]
  {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.date)])
    let unsaved = try context.fetch(descriptor).map(\.kilometers)
    try context.save()
    let saved = try context.fetch(descriptor).map(\.kilometers)
    #expect(unsaved == saved, sourceLocation: sourceLocation)
    #expect(try context.fetchCount(descriptor) == saved.count, sourceLocation: sourceLocation)
    let other = ModelContext(context.container)
    #expect(try other.fetch(descriptor).map(\.kilometers) == saved, sourceLocation: sourceLocation)
    return saved
  }

  @Test func `comparisons and logic`() throws {
    #expect(try numbers(#Predicate { $0.meters == 2000 }) == [2])
    #expect(try numbers(#Predicate { $0.meters != 2000 && $0.meters > 0 }) == [1, 3, 4])
    #expect(try numbers(#Predicate { $0.pace <= 0.5 || $0.pace >= 2 }) == [0, 1, 4])
    #expect(try numbers(#Predicate { !($0.title < "Workout 3") }) == [3, 4])
    #expect(try numbers(#Predicate { $0.isPublic }) == [3, 4])
    #expect(try numbers(#Predicate { $0.isPublic == false && $0.meters != 0 }) == [1, 2])
    #expect(try numbers(#Predicate { $0.isPublic ? $0.meters > 3000 : $0.meters < 1000 }) == [0, 4])
    #expect(try numbers(#Predicate { if $0.isPublic { $0.meters > 3000 } else { $0.meters < 1000 } }) == [0, 4])
    #expect(try numbers(#Predicate { _ in true }) == [0, 1, 2, 3, 4])
    #expect(try numbers(.true) == [0, 1, 2, 3, 4])
    #expect(try numbers(.false) == [])
  }

  @Test func `dates, identifiers, decimals and links`() throws {
    let future = Date.distantFuture
    let past = Date.distantPast
    let day = Workout.day(2)
    let code = Workout.code(3)
    let price = Decimal(string: "0.5")!
    let link = URL(string: "https://example.com/4")
    #expect(try numbers(#Predicate { $0.date > day }) == [3, 4])
    #expect(try numbers(#Predicate { $0.date == day }) == [2])
    #expect(try numbers(#Predicate { $0.date < future && $0.date > past }) == [0, 1, 2, 3, 4])
    #expect(try numbers(#Predicate { $0.code == code }) == [3])
    #expect(try numbers(#Predicate { $0.code != code && $0.meters > 0 }) == [1, 2, 4])
    #expect(try numbers(#Predicate { $0.price >= price }) == [2, 3, 4])
    #expect(try numbers(#Predicate { $0.link == link }) == [4])
    #expect(try numbers(#Predicate { $0.link == nil }) == [1])
  }

  @Test func `optionals`() throws {
    let day = Workout.day(3)
    #expect(try numbers(#Predicate { $0.ended == nil }) == [0, 3])
    #expect(try numbers(#Predicate { $0.ended != nil && $0.ended! < day }) == [1])
    #expect(try numbers(#Predicate { ($0.ended ?? day) > day }) == [4])
    #expect(try numbers(#Predicate { if let ended = $0.ended { ended >= day } else { false } }) == [2, 4])
    #expect(
      try numbers(
        #Predicate { workout in
          if let ended = workout.ended, let notes = workout.notes { ended < day && !notes.isEmpty } else { false }
        })
        == [1])
    #expect(try numbers(#Predicate { $0.ended.flatMap { $0 < day } ?? true }) == [0, 1, 3])
    #expect(try numbers(#Predicate { $0.notes?.contains("3") == true }) == [3])
    #expect(try numbers(#Predicate { $0.notes?.count == 6 }) == [1, 3])
    #expect(try numbers(#Predicate { $0.ended! > day }) == [4])
    #expect(try numbers(#Predicate { ($0.notes ?? "") == "" }) == [0, 2, 4])
  }

  @Test func `enumerations and composed values`() throws {
    let run = Sport.run
    let hard = Effort.hard
    let sports: Set<Sport> = [.swim, .ride]
    let kyiv = Spot(city: "Kyiv", code: 44)
    #expect(try numbers(#Predicate { $0.sport == run }) == [0, 2, 4])
    #expect(try numbers(#Predicate { $0.sport.rawValue == "swim" }) == [1])
    #expect(try numbers(#Predicate { sports.contains($0.sport) }) == [1, 3])
    #expect(try numbers(#Predicate { $0.effort == hard }) == [2])
    #expect(try numbers(#Predicate { $0.effort == nil }) == [0, 3])
    #expect(try numbers(#Predicate { $0.effort?.rawValue == 1 }) == [1, 4])
    #expect(try numbers(#Predicate { $0.place.city == "Lviv" }) == [1, 3])
    #expect(try numbers(#Predicate { $0.place.code == nil }) == [1, 3])
    #expect(try numbers(#Predicate { $0.place == kyiv }) == [0, 2, 4])
    #expect(try numbers(#Predicate { $0.goal?.city == "Kyiv" }) == [2])
    #expect(try numbers(#Predicate { $0.goal?.code ?? 0 > 40 }) == [2])
  }

  @Test func `texts`() throws {
    let same = ComparisonResult.orderedSame
    let ascending = ComparisonResult.orderedAscending
    #expect(try numbers(#Predicate { $0.title.contains("out 2") }) == [2])
    #expect(try numbers(#Predicate { $0.title.starts(with: "Workout") && $0.title.count == 9 }) == [0, 1, 2, 3, 4])
    #expect(try numbers(#Predicate { $0.title.localizedStandardContains("WÖRKOUT 3") }) == [3])
    #expect(try numbers(#Predicate { $0.title.caseInsensitiveCompare("workout 4") == same }) == [4])
    #expect(try numbers(#Predicate { $0.title.localizedCompare("workout 1") == ascending }) == [0])
    #expect(try numbers(#Predicate { $0.title.contains(/[34]$/) }) == [3, 4])
    #expect(try numbers(#Predicate { !$0.title.isEmpty && $0.notes?.isEmpty == false }) == [1, 3])
    #expect(try numbers(#Predicate { $0.title.contains("o") && $0.place.city.contains("L") }) == [1, 3])
  }

  @Test func `ranges and sets`() throws {
    let range = 1000..<3000
    let days = Workout.day(3)...
    let titles = ["Workout 1", "Workout 4"]
    let codes: Set = [Workout.code(2), Workout.code(9)]
    let table = ["Workout 3": true]
    #expect(try numbers(#Predicate { range.contains($0.meters) }) == [1, 2])
    #expect(try numbers(#Predicate { (2000...4000).contains($0.meters) }) == [2, 3, 4])
    #expect(try numbers(#Predicate { ($0.meters..<3000).contains(2500) }) == [0, 1, 2])
    #expect(try numbers(#Predicate { days.contains($0.date) }) == [3, 4])
    #expect(try numbers(#Predicate { titles.contains($0.title) }) == [1, 4])
    #expect(try numbers(#Predicate { codes.contains($0.code) }) == [2])
    #expect(try numbers(#Predicate { table[$0.title] == true }) == [3])
    #expect(try numbers(#Predicate { table[$0.title, default: false] }) == [3])
  }

  @Test func `arithmetic`() throws {
    let factor = 2
    #expect(try numbers(#Predicate { $0.meters + 500 > 3000 }) == [3, 4])
    #expect(try numbers(#Predicate { $0.meters - 1000 < 0 }) == [0])
    #expect(try numbers(#Predicate { $0.meters * factor == 4000 }) == [2])
    #expect(try numbers(#Predicate { $0.meters / 1000 == 3 }) == [3])
    #expect(try numbers(#Predicate { $0.meters % 2000 == 0 }) == [0, 2, 4])
    #expect(try numbers(#Predicate { $0.pace / 2.0 == 1.0 }) == [4])
    #expect(try numbers(#Predicate { -$0.meters < -3000 }) == [4])
    #expect(try numbers(#Predicate { $0.kilometers == 2 }) == [2])
    #expect(try numbers(#Predicate { 12_000 / $0.meters == 4 }) == [3])
  }

  @Test func `lists and dictionaries`() throws {
    #expect(try numbers(#Predicate { $0.laps.contains(2) }) == [3, 4])
    #expect(try numbers(#Predicate { $0.laps.isEmpty || $0.laps.count == 4 }) == [0, 4])
    #expect(try numbers(#Predicate { $0.laps[1] == 1 }) == [2, 3, 4])
    #expect(try numbers(#Predicate { $0.laps[0..<2].contains(1) }) == [2, 3, 4])
    #expect(try numbers(#Predicate { $0.laps.max() == 2 }) == [3])
    #expect(try numbers(#Predicate { $0.laps.min() ?? 9 == 9 }) == [0])
    #expect(try numbers(#Predicate { $0.laps.contains { $0 > 2 } }) == [4])
    #expect(try numbers(#Predicate { $0.laps.allSatisfy { $0 < 2 } }) == [0, 1, 2])
    #expect(try numbers(#Predicate { $0.laps.filter { $0 > 0 }.count == 2 }) == [3])
    #expect(try numbers(#Predicate { $0.laps.starts(with: [0, 1, 2]) }) == [3, 4])
    #expect(try numbers(#Predicate { $0.splits["first"] == 3 }) == [3])
    #expect(try numbers(#Predicate { $0.splits["second", default: 7] == 7 && $0.meters == 0 }) == [0])
  }

  @Test func `related objects`() throws {
    let club = try #require(try context.fetch(FetchDescriptor<Club>()).first)
    let clubID = club.persistentModelID
    let olenaID = try #require(
      try context.fetch(FetchDescriptor<Athlete>(predicate: #Predicate { $0.name == "Olena" })).first
    ).persistentModelID
    #expect(try numbers(#Predicate { $0.athlete?.name == "ivan" }) == [2, 3])
    #expect(try numbers(#Predicate { $0.athlete == nil }) == [4])
    #expect(try numbers(#Predicate { $0.athlete?.club?.name == "Dynamo" }) == [0, 1])
    #expect(try numbers(#Predicate { $0.athlete?.club?.persistentModelID == clubID }) == [0, 1])
    #expect(try numbers(#Predicate { $0.athlete?.persistentModelID == olenaID }) == [0, 1])
    #expect(try numbers(#Predicate { $0.comments.isEmpty }) == [0])
    #expect(try numbers(#Predicate { $0.comments.count >= 3 }) == [3, 4])
    #expect(try numbers(#Predicate { $0.comments.contains { $0.text == "nice 2" } }) == [3, 4])
    #expect(try numbers(#Predicate { $0.comments.allSatisfy { $0.stars != nil } }) == [0, 1])
    #expect(try numbers(#Predicate { $0.comments.filter { $0.text.starts(with: "nice") }.count == 2 }) == [3])
    #expect(try numbers(#Predicate { $0.comments.filter { $0.stars != nil }.contains { $0.stars! > 2 } }) == [4])
    #expect(
      try numbers(#Predicate { workout in workout.comments.contains { $0.stars ?? 9 == workout.laps.count - 1 } }) == [
        1, 3, 4,
      ])
    #expect(try numbers(#Predicate { $0.athlete?.workouts.count == 2 && $0.isPublic }) == [3])
    #expect(try numbers(#Predicate { $0.athlete?.club?.members.contains { $0.name == "Olena" } ?? false }) == [0, 1])
    let ids = try context.fetch(FetchDescriptor<Workout>(sortBy: [SortDescriptor(\.date)])).map(\.persistentModelID)
    let some = Set(ids[1...2])
    #expect(try numbers(#Predicate { some.contains($0.persistentModelID) }) == [1, 2])
  }

  @Test func `predicates made of predicates`() throws {
    let far = #Predicate<Workout> { $0.meters >= 2000 }
    let shared = #Predicate<Workout> { $0.isPublic }
    #expect(try numbers(far && !shared) == [2])
    #expect(try numbers(!far || shared) == [0, 1, 3, 4])
    #expect(try numbers(.all([far, shared, .comparing(\.meters, .less, 4000)])) == [3])
    #expect(try numbers(.any([.equal(\.sport, .swim), .equal(\.effort, .hard)])) == [1, 2])
    #expect(try numbers(.contains(\.comments, where: #Predicate { $0.text == "nice 2" })) == [3, 4])
    let chosen: [any KeyPath<Workout, Int> & Sendable] = [\.meters]
    #expect(try numbers(.comparing(chosen[0], .greaterOrEqual, 3000)) == [3, 4])
  }
}
