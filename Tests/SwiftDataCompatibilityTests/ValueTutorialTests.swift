import Foundation
import SwiftData
import Testing

// Attributes of the types that Foundation offers, and classes that are used as values are.

enum Muscle: String, Codable, CaseIterable { case legs, arms, back }

struct SetOfRepetitions: Codable, Hashable {
  var count: Int
  var weight: Measurement<UnitMass>
  var comment: String?
  var isWarmUp = false
}

@Model
final class Training {
  var name: String = "Untitled"
  var interval: DateInterval?
  var window: ClosedRange<Int> = 0...10
  var components = DateComponents(hour: 7, minute: 30)
  var timeZone: TimeZone = .gmt
  var calendar = Calendar(identifier: .iso8601)
  var distance: Measurement<UnitLength> = Measurement(value: 5, unit: UnitLength.kilometers)
  var pause: Duration = .seconds(90)
  var sets = [SetOfRepetitions]()
  var muscles: Set<Muscle> = []
  var repetitions: [Muscle: [Int]] = [:]
  var matrix: [[Double]] = []
  var checkedDays: IndexSet = []
  var origin: CGPoint = .zero
  var frame = CGRect(x: 1, y: 2, width: 3, height: 4)
  var links: [URL] = []
  var dates: [Date]?
  var maybe: [String?] = []
  var flags: UInt8 = 0
  var big: UInt64 = .max
  var ratio: Float?
  var level: Level = Level.easy(hours: 2)
  var owner: UUID? = nil

  enum Level: Codable, Equatable {
    case easy(hours: Int)
    case hard
  }

  init(name: String = "Untitled") { self.name = name }
}

@Model
class Pet: Comparable, CustomDebugStringConvertible {
  var name: String
  var birthday: Date
  var kind: Kind
  @Relationship(deleteRule: .nullify) var friends: [Pet] = []

  enum Kind: String, Codable, CaseIterable, Identifiable {
    case cat, dog
    var id: String { rawValue }
  }

  init(name: String, birthday: Date = .now, kind: Kind) {
    self.name = name
    self.birthday = birthday
    self.kind = kind
  }

  convenience init(copying other: Pet) {
    self.init(name: "\(other.name) 2", birthday: other.birthday, kind: other.kind)
  }

  struct Snapshot: Sendable, Equatable {
    var name: String
    var kind: Kind
  }

  var snapshot: Snapshot {
    get { Snapshot(name: name, kind: kind) }
    set { (name, kind) = (newValue.name, newValue.kind) }
  }

  subscript(index: Int) -> Pet { friends.sorted()[index] }

  static func < (left: Pet, right: Pet) -> Bool { left.name < right.name }
  var debugDescription: String { "\(kind.rawValue) \(name)" }
}

@MainActor
struct ValueTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Training.self, Pet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `Foundation's values come back from another context`() throws {
    let training = Training(name: "Run")
    context.insert(training)
    training.interval = DateInterval(start: Date(timeIntervalSince1970: 10), duration: 20)
    training.window = 3...4
    training.muscles.formUnion([.legs, .back])
    training.repetitions[.legs, default: []].append(12)
    training.matrix = [[1, 0.5], []]
    training.checkedDays.insert(integersIn: 2...4)
    training.origin.x = 2.5
    training.links = [try #require(URL(string: "https://example.com/run"))]
    training.maybe = ["a", nil]
    training.flags |= 0b101
    training.level = .hard
    training.sets = [.init(count: 10, weight: .init(value: 20, unit: .kilograms))]
    training.sets[0].comment = "easy"
    try context.save()
    let copy = try #require(try ModelContext(container).fetch(FetchDescriptor<Training>()).first)
    #expect(copy.interval?.end == Date(timeIntervalSince1970: 30) && copy.window == 3...4)
    #expect(copy.components == DateComponents(hour: 7, minute: 30) && copy.timeZone == .gmt)
    #expect(copy.calendar.identifier == .iso8601 && copy.distance.converted(to: .meters).value == 5_000)
    #expect(copy.pause == .seconds(90))
    #expect(copy.muscles == [.back, .legs] && copy.repetitions == [.legs: [12]] && copy.matrix == [[1, 0.5], []])
    #expect(copy.checkedDays == IndexSet(2...4) && copy.origin == CGPoint(x: 2.5, y: 0))
    #expect(copy.frame == CGRect(x: 1, y: 2, width: 3, height: 4) && copy.links == training.links)
    #expect(copy.dates == nil && copy.maybe == ["a", nil] && copy.flags == 5 && copy.big == .max)
    #expect(copy.ratio == nil && copy.level == .hard && copy.owner == nil && copy.sets == training.sets)
    #expect(copy.sets.first?.weight.value == 20 && copy.sets.first?.isWarmUp == false)
  }

  @Test func `defaults stand where an initialiser says nothing`() throws {
    context.insert(Training())
    try context.save()
    let copy = try #require(try ModelContext(container).fetch(FetchDescriptor<Training>()).first)
    #expect(copy.name == "Untitled" && copy.window == 0...10 && copy.sets.isEmpty && copy.level == .easy(hours: 2))
    #expect(copy.muscles.isEmpty && copy.origin == .zero && copy.pause == .seconds(90) && copy.checkedDays.isEmpty)
  }

  @Test func `numbers beyond those of Int are asked as they are`() throws {
    context.insert(Training())
    let small = Training(name: "Small")
    small.big = 7
    small.flags = 3
    context.insert(small)
    try context.save()
    let limit = UInt64(Int64.max)
    let big = FetchDescriptor<Training>(predicate: #Predicate { $0.big > limit })
    #expect(try context.fetch(big).map(\.name) == ["Untitled"])
    #expect(try context.fetch(FetchDescriptor<Training>(sortBy: [.init(\.big)])).map(\.big) == [7, .max])
    let flags: UInt8 = 3
    #expect(try context.fetch(FetchDescriptor<Training>(predicate: #Predicate { $0.flags == flags })).count == 1)
    #expect(try context.fetch(FetchDescriptor<Training>(predicate: #Predicate { $0.owner == nil })).count == 2)
  }

  @Test func `objects are compared, sorted, counted in sets and found in arrays`() throws {
    let (tom, rex, kit) = (Pet(name: "Tom", kind: .cat), Pet(name: "Rex", kind: .dog), Pet(name: "Kit", kind: .cat))
    let pets = [tom, rex, kit]
    pets.forEach(context.insert)
    #expect(pets.sorted() == [kit, rex, tom] && pets.min() == kit && pets.max() == tom)
    #expect(pets.firstIndex(of: rex) == 1 && pets.contains(kit) && Set(pets + pets).count == 3)
    let ages: [Pet: Int] = [tom: 3, kit: 1]
    #expect(ages[kit] == 1 && ages[rex] == nil)
    let fetched = try context.fetch(FetchDescriptor<Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(fetched == [kit, rex, tom] && fetched.map { "\($0)" }.count == 3)
    #expect(String(reflecting: rex) == "dog Rex")
    #expect(
      Dictionary(grouping: fetched, by: \.kind).mapValues { $0.map(\.name) } == [.cat: ["Kit", "Tom"], .dog: ["Rex"]])
    tom.friends = [rex, kit]
    #expect(tom[0] == kit && tom[1] == rex)
    let copy = Pet(copying: tom)
    context.insert(copy)
    #expect(copy != tom && copy.name == "Tom 2" && copy.kind == .cat)
    try context.save()
    #expect(copy.id != tom.id && copy.id == copy.persistentModelID)
  }

  @Test func `a snapshot is edited and written back whole`() throws {
    let pet = Pet(name: "Tom", kind: .cat)
    context.insert(pet)
    try context.save()
    var draft = pet.snapshot
    draft.name = "Thomas"
    #expect(!context.hasChanges && pet.name == "Tom")
    pet.snapshot = draft
    #expect(pet.hasChanges && pet.name == "Thomas")
    pet.snapshot.kind = .dog
    try context.save()
    let saved = try ModelContext(container).fetch(FetchDescriptor<Pet>()).map(\.snapshot)
    #expect(saved == [Pet.Snapshot(name: "Thomas", kind: .dog)])
  }
}
