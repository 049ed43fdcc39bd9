import SwiftData
import Testing

enum Grade: Int16, Codable { case fair = 3, good = 4, best = 5 }
enum Temperature: Double, Codable, CaseIterable { case cold = -1.5, warm = 21.25 }
struct Badge: RawRepresentable, Codable, Hashable { var rawValue: String }
struct Rights: OptionSet, Codable { let rawValue: UInt8 }
enum Contact: Codable, Equatable {
  case none
  case email(String)
  case phone(country: Int, number: String)
}
enum Plain: Codable { case first, second }
struct Place: Codable, Equatable {
  var name: String
  var site: URL?
  var fee: Decimal
  var opened: Date
  var contact: Contact
  var grades: [Grade]
  var inner: Inner?
  struct Inner: Codable, Equatable { var depth: Double = .infinity }
}
typealias Money = Decimal

/// Every kind of type that an attribute can have, in each of its forms.
@Model
final class Cabinet {
  var int8: Int8 = 1
  var int16: Int16 = -2
  var int32: Int32 = 3
  var int64: Int64 = .max
  var uint: UInt = 5
  var uint8: UInt8 = .max
  var uint16: UInt16 = .max
  var uint32: UInt32 = .max
  var uint64: UInt64 = .max
  var float: Float = 0.1
  var double: Double = -0.0
  var cgFloat: CGFloat = 2.5
  var maybeCGFloat: CGFloat?
  var half: Float16 = 0.5
  var wide: Int128 = .max
  var maybeWide: UInt128? = .max
  var interval: TimeInterval = 60
  var money: Money = Decimal(string: "0.000000000000000000000000001")!
  var text: String = "Ґанок"
  var spelled: Optional<String> = nil
  var list: Array<String> = ["b", "a"]
  var date: Date = Date.distantFuture
  var uuid: UUID = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
  var data: Data = Data([0, 255])
  var url: URL = URL(string: "https://example.org/%D1%97?q=1#f")!
  var file: URL = URL(filePath: "/tmp/a b.txt")
  var grade: Grade = Grade.good
  var temperature: Temperature = Temperature.warm
  var badge: Badge = Badge(rawValue: "gold")
  var rights: Rights = Rights(rawValue: 5)
  var contact: Contact = Contact.phone(country: 380, number: "44")
  var plain: Plain = Plain.second
  var place: Place = Place(
    name: "p", site: URL(string: "https://example.org"), fee: Decimal(string: "1.10")!,
    opened: Date(timeIntervalSinceReferenceDate: 0.1), contact: .none, grades: [.best, .fair], inner: Place.Inner())
  var numbers: [Int] = [3, 1, 2]
  var urls: [URL] = [URL(string: "https://example.org")!]
  var dates: [Date] = [Date(timeIntervalSinceReferenceDate: 1 / 3)]
  var contacts: [Contact] = [.none, .email("o@example.org")]
  var places: [Place] = []
  var counts: [String: Int] = ["a": 1, "b": 2]
  var byGrade: [Grade: String] = [.good: "g"]
  var labels: Set<String> = ["x", "y", "z"]
  var nested: [[Int]] = [[1], []]
  var range: ClosedRange<Int> = 1...5
  var components = DateComponents(year: 2026, month: 5)
  var inferred = 1.5
  var maybeInt8: Int8?
  var maybeURL: URL?
  var maybeGrade: Grade?
  var maybeBadge: Badge? = Badge(rawValue: "tin")
  var maybeContact: Contact?
  var maybePlace: Place?
  var maybeList: [String]?
  var maybeLabels: Set<Int>? = [1]
  var maybeData: Data?
  var maybeDecimal: Decimal?
  var maybeBool: Bool?
  var gaps: [Int?] = [1, nil]

  init() {}
}

@MainActor
@Suite struct AttributeTypeTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Cabinet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func saved(_ change: (Cabinet) -> Void = { _ in }) throws -> Cabinet {
    let context = ModelContext(container)
    let cabinet = Cabinet()
    change(cabinet)
    context.insert(cabinet)
    try context.save()
    return try #require(
      ModelContext(container).model(for: cabinet.persistentModelID) as? Cabinet)
  }

  @Test func `numbers of every width come back as they were`() throws {
    let cabinet = try saved()
    #expect(cabinet.int8 == 1 && cabinet.int16 == -2 && cabinet.int32 == 3 && cabinet.int64 == .max)
    #expect(cabinet.uint == 5 && cabinet.uint8 == .max && cabinet.uint16 == .max)
    #expect(cabinet.uint32 == .max && cabinet.uint64 == .max)
    #expect(
      cabinet.float == 0.1 && cabinet.double.sign == .minus && cabinet.cgFloat == 2.5 && cabinet.maybeCGFloat == nil)
    #expect(cabinet.half == 0.5 && cabinet.wide == .max && cabinet.maybeWide == .max)
    #expect(cabinet.money == Decimal(string: "0.000000000000000000000000001"))
    #expect(cabinet.interval == 60 && cabinet.inferred == 1.5)
    #expect(cabinet.maybeInt8 == nil && cabinet.maybeDecimal == nil && cabinet.maybeBool == nil)
    let extremes = try saved {
      $0.int8 = .min
      $0.int64 = .min
      $0.float = .greatestFiniteMagnitude
      $0.double = .nan
      $0.maybeInt8 = -128
      $0.maybeBool = false
      $0.maybeCGFloat = 0.1
      $0.wide = -1
    }
    #expect(extremes.int8 == .min && extremes.int64 == .min && extremes.float == .greatestFiniteMagnitude)
    #expect(extremes.double.isNaN && extremes.maybeInt8 == -128 && extremes.maybeBool == false)
    #expect(extremes.maybeCGFloat == 0.1 && extremes.wide == -1)
  }

  @Test func `texts, dates, identifiers, data and addresses come back as they were`() throws {
    let cabinet = try saved()
    #expect(cabinet.text == "Ґанок" && cabinet.spelled == nil && cabinet.list == ["b", "a"])
    #expect(cabinet.date == .distantFuture)
    #expect(cabinet.uuid.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(cabinet.data == Data([0, 255]) && cabinet.maybeData == nil)
    #expect(cabinet.url.absoluteString == "https://example.org/%D1%97?q=1#f")
    #expect(cabinet.file == URL(filePath: "/tmp/a b.txt") && cabinet.file.isFileURL)
    #expect(cabinet.maybeURL == nil)
  }

  @Test func `enumerations and structures come back as they were`() throws {
    let cabinet = try saved()
    #expect(cabinet.grade == .good && cabinet.temperature == .warm)
    #expect(cabinet.badge == Badge(rawValue: "gold") && cabinet.maybeBadge == Badge(rawValue: "tin"))
    #expect(cabinet.rights == Rights(rawValue: 5))
    #expect(cabinet.contact == .phone(country: 380, number: "44") && cabinet.plain == .second)
    #expect(cabinet.place == Cabinet().place)
    #expect(cabinet.maybeGrade == nil && cabinet.maybeContact == nil && cabinet.maybePlace == nil)
    let changed = try saved {
      $0.contact = .email("a")
      $0.maybeContact = Contact.none
      $0.maybeGrade = .best
      $0.maybePlace = $0.place
      $0.place.grades.append(.good)
      $0.place.inner?.depth = 2
    }
    #expect(changed.contact == .email("a") && changed.maybeContact == Contact.none && changed.maybeGrade == .best)
    #expect(changed.maybePlace == Cabinet().place)
    #expect(changed.place.grades == [.best, .fair, .good] && changed.place.inner?.depth == 2)
  }

  @Test func `collections come back as they were`() throws {
    let cabinet = try saved()
    #expect(cabinet.numbers == [3, 1, 2] && cabinet.urls == Cabinet().urls && cabinet.dates == Cabinet().dates)
    #expect(cabinet.contacts == [.none, .email("o@example.org")] && cabinet.places.isEmpty)
    #expect(cabinet.counts == ["a": 1, "b": 2] && cabinet.byGrade == [.good: "g"])
    #expect(cabinet.labels == ["x", "y", "z"] && cabinet.maybeLabels == [1] && cabinet.maybeList == nil)
    #expect(cabinet.nested == [[1], []] && cabinet.range == 1...5 && cabinet.gaps == [1, nil])
    #expect(cabinet.components == DateComponents(year: 2026, month: 5))
    let changed = try saved {
      $0.numbers.sort()
      $0.counts["c", default: 0] += 3
      $0.labels.insert("w")
      $0.places = [$0.place]
      $0.maybeList = []
      $0.nested[1].append(7)
    }
    #expect(changed.numbers == [1, 2, 3] && changed.counts == ["a": 1, "b": 2, "c": 3])
    #expect(changed.labels == ["w", "x", "y", "z"] && changed.places == [Cabinet().place])
    #expect(changed.maybeList == [] && changed.nested == [[1], [7]])
  }

  @Test func `every stored type is found by predicate`() throws {
    let context = ModelContext(container)
    context.insert(Cabinet())
    try context.save()
    func count(_ predicate: Predicate<Cabinet>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    let (small, wide, scale): (Int8, UInt64, CGFloat) = (1, .max, 2.5)
    let (grade, badge) = (Grade.good, Badge(rawValue: "gold"))
    let (url, uuid, data) = (Cabinet().url, Cabinet().uuid, Data([0, 255]))
    let place = Cabinet().place
    #expect(try count(#Predicate { $0.int8 == small && $0.uint64 == wide && $0.cgFloat == scale }) == 1)
    #expect(try count(#Predicate { $0.grade == grade && $0.badge == badge }) == 1)
    #expect(try count(#Predicate { $0.url == url && $0.uuid == uuid && $0.data == data }) == 1)
    #expect(try count(#Predicate { $0.place == place && $0.maybeContact == nil }) == 1)
    #expect(try count(#Predicate { $0.numbers.contains(3) && $0.labels.contains("x") }) == 1)
    #expect(try count(#Predicate { $0.counts["a"] == 1 && $0.place.name == "p" }) == 1)
  }
}
