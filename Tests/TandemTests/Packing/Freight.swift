import Foundation
import Tandem
import TestSupport

/// Objects that can be packed, and some that cannot, known by a name in every context.
protocol Freight: PersistentModel {
  /// Sets one property.
  func change(_ seed: UInt64)
  /// Each property that is stored, and each that is not.
  var values: String { get }
}

extension Freight {
  func insert(into context: ModelContext) { context.insert(self) }
  func delete(from context: ModelContext) { context.delete(self) }

  /// Also where the object stands.
  var state: String {
    let context = modelContext
    let found: Self? = context?.registeredModel(for: persistentModelID)
    return "\(values) \(isDeleted) \(hasChanges) \(context == nil) \(found === self)"
  }
}

enum FreightKind: CaseIterable {
  case pallet, sack, largeSack, rack

  func make(_ seed: UInt64) -> any Freight {
    var random = SeededGenerator(seed: seed)
    let number = Int.random(in: 0..<10, using: &random)
    let made: any Freight =
      switch self {
      case .pallet: Pallet(number: number, side: random.oneIn(2) ? "l" : "r", place: random.oneIn(2) ? number : nil)
      case .sack: Sack(name: "\(number)")
      case .largeSack: LargeSack(name: "\(number)")
      case .rack: Rack(name: "\(number)")
      }
    for _ in 0..<Int.random(in: 0...4, using: &random) { made.change(random.next()) }
    return made
  }
}

/// An object of the class can be packed as long as it has no part and no zoom.
@Model final class Pallet: Freight {
  #Unique<Pallet>([\.number], [\.side, \.place])
  #Index<Pallet>([\.text], [\.mood, \.weight])
  var number: Int
  var side: String
  var place: Int?
  var text = ""
  var mood: String? = "calm"
  var season = Season.spring
  var level: Level? = Level.low
  @Attribute(originalName: "mass") var weight: Double?
  var price: Decimal = 0
  var link: URL?
  var sent: Date?
  var key: UUID?
  var isLight: Bool?
  @Attribute(.preserveValueOnDeletion) var code: String?
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.ephemeral) var zoom: Double?
  @Transient var seen = 0
  var part: Part?

  init(number: Int, side: String, place: Int?) {
    self.number = number
    self.side = side
    self.place = place
  }

  func change(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let value = Int.random(in: 0..<1_000_000, using: &random)
    let isNil = value % 3 == 0
    switch Int.random(in: 0..<19, using: &random) {
    case 0: number = value % 10
    case 1: side = isNil ? "l" : "r"
    case 2: place = isNil ? nil : value % 4
    case 3: text = ["", "t\(value)", "a text of more than fifteen bytes, \(value)", "e\u{301} \(value)"][value % 4]
    case 4: text = String(repeating: "long ", count: 200 + value % 200)
    case 5: mood = isNil ? nil : ["calm", "", "m\(value % 5)"][value % 2]
    case 6: season = Season.allCases[value % 4]
    case 7: level = isNil ? nil : value % 2 == 0 ? .low : .high
    case 8: weight = isNil ? nil : [.nan, -0.0, .infinity, Double(value) / 7][value % 4]
    case 9: price = [Decimal(value) / 8, .nan, -1, Decimal(sign: .plus, exponent: 40, significand: 7)][value % 4]
    case 10: link = isNil ? nil : URL(string: "https://example.org/a b?c=\(value)")
    case 11: sent = isNil ? nil : Date(timeIntervalSinceReferenceDate: Double(value) / 3)
    case 12: key = isNil ? nil : UUID(uuid: (1, 2, UInt8(value % 256), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
    case 13: isLight = isNil ? nil : value % 4 == 1
    case 14: code = isNil ? nil : "c\(value)"
    case 15: image = isNil ? nil : Data(repeating: UInt8(value % 256), count: [0, 40, 200, 3_000][value % 4])
    case 16: zoom = isNil ? nil : Double(value)
    case 17: seen = value
    default: part = isNil ? nil : Part(name: "p\(value)", isBroken: value % 4 == 1)
    }
  }

  var values: String {
    let numbers = [place.map { "\($0)" }, weight.map { "\($0)" }, zoom.map { "\($0)" }, isLight.map { "\($0)" }]
    let words = [mood, code, part?.name, link?.absoluteString, key.map { "\($0)" }, level.map { "\($0)" }]
    let date = sent.map { "\($0.timeIntervalSinceReferenceDate)" }
    let bytes = image.map { "\($0.count) of \($0.first ?? 0)" }
    return "pallet \(number) \(side) \(text.prefix(40)) \(text.count) \(season) \(price) \(numbers) \(words) "
      + "\(date ?? "never") \(bytes ?? "no image") \(seen)"
  }
}

/// A value that its app can fail to encode.
struct Part: Codable, Equatable {
  struct Refusal: Error {}

  var name: String
  var isBroken = false

  func encode(to encoder: any Encoder) throws {
    if isBroken { throw Refusal() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(isBroken, forKey: .isBroken)
  }
}

/// A class that another one inherits from.
@Model class Sack: Freight {
  var name: String
  var load: Int?
  init(name: String) { self.name = name }

  func change(_ seed: UInt64) { load = seed % 3 == 0 ? nil : Int(seed % 1_000) }
  var values: String { "sack \(name) \(load ?? -1)" }
}

@Model final class LargeSack: Sack {
  var handles = 2
  var mark: String? = "large"
  override init(name: String) { super.init(name: name) }

  override func change(_ seed: UInt64) {
    switch seed % 4 {
    case 0: handles = Int(seed % 7)
    case 1: mark = seed % 3 == 0 ? nil : "m\(seed % 100)"
    default: super.change(seed)
    }
  }

  override var values: String { "large \(super.values) \(handles) \(mark ?? "no mark")" }
}

/// Holds pallets, which do not know it: one that is packed has links nevertheless.
@Model final class Rack: Freight {
  var name: String
  @Relationship(deleteRule: .cascade) var pallets: [Pallet] = []
  @Relationship(deleteRule: .deny) var heavy: [Pallet] = []
  var best: Pallet?
  init(name: String) { self.name = name }

  func change(_ seed: UInt64) { name = "\(seed % 10)" }
  var values: String {
    "rack \(name) \(pallets.map(\.number).sorted()) \(heavy.map(\.number).sorted()) \(best?.number ?? -1)"
  }

  /// Adds a pallet by one of the relationships, or takes it away.
  func toggle(_ pallet: Pallet, _ seed: UInt64) {
    switch seed % 3 {
    case 0: pallets = pallets.contains(pallet) ? pallets.filter { $0 != pallet } : pallets + [pallet]
    case 1: heavy = heavy.contains(pallet) ? heavy.filter { $0 != pallet } : heavy + [pallet]
    default: best = best == pallet ? nil : pallet
    }
  }
}

/// Can turn out to be one that exists, whatever is linked to it.
@Model final class Binder {
  @Attribute(.unique) var name: String
  var pages: [Page] = []
  init(name: String) { self.name = name }
}
