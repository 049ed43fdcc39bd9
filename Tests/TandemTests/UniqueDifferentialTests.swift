import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// Random work with unique values in two contexts on one store: an attribute of a class, one of a class
/// that others inherit from, and two of which only both together are unique.
///
/// A fetch before a save gives what it gives after it, and what a fresh context gives. A refused save changes nothing:
/// it is repeated later with more changes, or rolled back. Objects that somebody holds show their records' values.
struct UniqueDifferentialTests {
  private static let types: [any PersistentModel.Type] = [Quay.self, Boat.self, Sloop.self, Ketch.self, Mooring.self]

  @Test(arguments: [false, true])
  func `what a save makes of unique values was to be seen before, and is seen everywhere`(hasRival: Bool) async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<(TestLength.isLong ? 400 : 6) {
      let seed = random.next()
      try await withContainer(for: Self.types) { container in
        var harbour = Harbour(container, SeededGenerator(seed: seed), hasRival: hasRival)
        let failure = try harbour.run(steps: 150)
        guard failure.isEmpty else {
          Issue.record("seed \(random.seed)\n\((harbour.taken.suffix(30) + failure).joined(separator: "\n"))")
          return
        }
      }
    }
  }

  /// The list went on holding the object that had left.
  @Test func `a list shows a member that became one of another class elsewhere`() async throws {
    try await withContainer(for: Self.types) { container in
      let (context, other) = (ModelContext(container), ModelContext(container))
      let quay = Quay(name: "a")
      context.insert(quay)
      quay.boats = [Ketch(call: "k")]
      try context.save()
      #expect(quay.boats.map { $0 is Ketch } == [true])
      other.insert(Sloop(call: "k"))
      try other.save()
      context.processPendingChanges()
      #expect(quay.boats.map { $0 is Sloop } == [true])
    }
  }

  /// It was found as a changed object and as a stored one.
  @Test func `an object that was changed here and became one of another class elsewhere is found once`() async throws {
    try await withContainer(for: Self.types) { container in
      let (context, other) = (ModelContext(container), ModelContext(container))
      let ketch = Ketch(call: "k")
      context.insert(ketch)
      try context.save()
      ketch.mark = 5
      other.insert(Sloop(call: "k"))
      try other.save()
      #expect(try context.fetch(FetchDescriptor<Boat>()).map { $0 is Sloop } == [true])
      let call = "k"
      #expect(try context.fetch(FetchDescriptor<Boat>(predicate: #Predicate { $0.call == call })).count == 1)
      #expect(ketch.isDeleted && !context.hasChanges)
      try context.fetch(FetchDescriptor<Boat>())[0].mark = 6
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Boat>()).map(\.mark) == [6])
    }
  }

  /// The second object went on as one of the context, of a record that there was not.
  @Test func `an object that shared its record with one that became another's has left`() async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      let (first, second) = (Quay(name: "a"), Quay(name: "a"))
      context.insert(first)
      try context.save()
      // From here on the two are one.
      context.insert(second)
      try context.save()
      context.delete(first)
      try context.save()
      let third = Quay(name: "a")
      context.insert(third)
      try context.save()
      context.insert(second)
      try context.save()
      #expect(second == third && !second.isDeleted)
      #expect(first.isDeleted)
      first.mark = 7
      #expect(!context.hasChanges)
      #expect(try context.fetchCount(FetchDescriptor<Quay>()) == 1)
    }
  }

  /// The list of the former owner went on showing it, and one list could show it twice.
  @Test func `two objects of one record are one member of a list`() async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      let (first, second) = (Boat(call: "b"), Boat(call: "b"))
      let (quay, other) = (Quay(name: "a"), Quay(name: "o"))
      context.insert(first)
      context.insert(other)
      quay.boats = [first]
      context.insert(quay)
      try context.save()
      // From here on the two are one.
      context.insert(second)
      try context.save()
      for boat in [second, first, second] {
        boat.quay = quay
        #expect(quay.boats == [first] && other.boats.isEmpty)
        boat.quay = other
        #expect(quay.boats.isEmpty && other.boats == [first])
        other.boats = [first, second]
        #expect(other.boats.count == 1)
        try context.save()
        #expect(quay.boats.isEmpty && other.boats == [first])
      }
      other.boats = []
      #expect(first.quay == nil && second.quay == nil)
    }
  }

  @Test func `two objects of one record are one member of a list that they do not know of`() async throws {
    try await withContainer(for: [Pallet.self, Rack.self]) { container in
      let context = ModelContext(container)
      let (first, second) = (Pallet(number: 1, side: "l", place: nil), Pallet(number: 1, side: "r", place: nil))
      let (rack, other) = (Rack(name: "a"), Rack(name: "o"))
      context.insert(rack)
      context.insert(other)
      rack.pallets = [first]
      try context.save()
      // From here on the two are one.
      context.insert(second)
      try context.save()
      other.pallets = [second]
      #expect(rack.pallets.isEmpty)
      other.pallets.append(first)
      #expect(other.pallets.count == 1)
      try context.save()
      #expect(rack.pallets.isEmpty && other.pallets == [first])
    }
  }
}

@Model final class Quay {
  @Attribute(.unique) var name: String
  var mark = 0
  @Relationship(inverse: \Boat.quay) var boats: [Boat] = []
  init(name: String) { self.name = name }
}

@Model class Boat {
  @Attribute(.unique) var call: String
  var mark = 0
  var quay: Quay?
  init(call: String) { self.call = call }
}

@Model final class Sloop: Boat {
  var sails = 1
  override init(call: String) { super.init(call: call) }
}

@Model final class Ketch: Boat {
  override init(call: String) { super.init(call: call) }
}

@Model final class Mooring {
  #Unique<Mooring>([\.side, \.number])
  var tag: String?
  var side: String
  var number: Int
  var mark = 0
  init(side: String, number: Int, tag: String?) {
    self.side = side
    self.number = number
    self.tag = tag
  }
}

/// The contexts, and the steps.
private struct Harbour {
  let container: ModelContainer
  var random: SeededGenerator
  let contexts: [ModelContext]
  let hasRival: Bool
  /// Objects that the app goes on holding, per context.
  var held: [[any PersistentModel]] = [[], []]
  var taken: [String] = []
  private var next = 0

  init(_ container: ModelContainer, _ random: SeededGenerator, hasRival: Bool) {
    self.container = container
    self.random = random
    self.hasRival = hasRival
    contexts = [ModelContext(container), ModelContext(container)]
  }

  /// What failed; empty if nothing did.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let side = hasRival ? Int.random(in: 0...1, using: &random) : 0
      let failure = try step(side)
      if !failure.isEmpty { return failure }
    }
    return try save(0) + (hasRival ? save(1) : [])
  }

  private mutating func step(_ side: Int) throws -> [String] {
    let context = contexts[side]
    next += 1
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7: insert(side)
    case 7..<10: try rename(side)
    case 10..<12: try link(side)
    case 12..<14:
      guard let object = try any(context) else { return [] }
      taken.append("\(side): delete \(Self.text(object))")
      Self.delete(object, context)
    case 14:
      guard let object = held[side].randomElement(using: &random), object.isDeleted else { return [] }
      taken.append("\(side): bring back \(Self.text(object))")
      Self.insert(object, context)
    case 15:
      taken.append("\(side): roll back")
      context.rollback()
      held[side].removeAll { $0.modelContext == nil }
      return try compare(side, "after a rollback")
    default: return try save(side)
    }
    return []
  }

  private mutating func insert(_ side: Int) {
    let name = random.pick(["a", "b", "c", "é", "e\u{301}"])
    let object: any PersistentModel =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: Quay(name: name)
      case 1: Boat(call: name)
      case 2: Sloop(call: name)
      case 3: Ketch(call: name)
      default:
        Mooring(
          side: random.pick(["l", "r"]), number: Int.random(in: 0...2, using: &random),
          tag: random.pick([nil, nil, "x", "y"]))
      }
    Self.mark(object, next)
    taken.append("\(side): insert \(Self.text(object))")
    Self.insert(object, contexts[side])
    held[side].append(object)
  }

  private mutating func rename(_ side: Int) throws {
    guard let object = try any(contexts[side]) else { return }
    let before = Self.text(object)
    let name = random.pick(["a", "b", "c", "d", "é"])
    Self.mark(object, next)
    switch object {
    case let quay as Quay: quay.name = name
    case let boat as Boat: if random.oneIn(2) { boat.call = name }
    case let mooring as Mooring:
      if random.oneIn(2) { mooring.number = Int.random(in: 0...2, using: &random) }
      if random.oneIn(3) { mooring.tag = random.pick([nil, "x", "y"]) }
    default: break
    }
    taken.append("\(side): \(before) becomes \(Self.text(object))")
    held[side].append(object)
  }

  private mutating func link(_ side: Int) throws {
    let boat = try contexts[side].fetch(FetchDescriptor<Boat>()).randomElement(using: &random)
    let quay = try contexts[side].fetch(FetchDescriptor<Quay>()).randomElement(using: &random)
    taken.append("\(side): \(boat.map { Self.text($0) } ?? "nobody") at \(quay.map { Self.text($0) } ?? "none")")
    boat?.quay = random.oneIn(4) ? nil : quay
  }

  private mutating func any(_ context: ModelContext) throws -> (any PersistentModel)? {
    let all: [any PersistentModel] =
      try context.fetch(FetchDescriptor<Quay>()) + context.fetch(FetchDescriptor<Boat>())
      + context.fetch(FetchDescriptor<Mooring>())
    return all.randomElement(using: &random)
  }
}

// What must hold.
extension Harbour {
  private mutating func save(_ side: Int) throws -> [String] {
    let context = contexts[side]
    // An inserted object that will be one that exists has links and a class of its own until then.
    let before = try Self.view(context, withLinks: false)
    let whole = try Self.view(context, withLinks: true)
    let stored = try Self.view(ModelContext(container), withLinks: true)
    do {
      try context.save()
    } catch let error as StoreError {
      taken.append("\(side): a save is refused: \(error.code)")
      let after = try Self.view(context, withLinks: true)
      if after != whole { return Self.difference("before and after a refused save", whole, after) }
      let now = try Self.view(ModelContext(container), withLinks: true)
      if now != stored { return Self.difference("in the store, of a refused save", stored, now) }
      // Later steps may mend it, too.
      if random.oneIn(3) {
        taken.append("\(side): roll back")
        context.rollback()
        held[side].removeAll { $0.modelContext == nil }
        return try compare(side, "after a rollback")
      }
      return []
    }
    taken.append("\(side): save")
    if context.hasChanges { return ["a save leaves changes"] }
    let after = try Self.view(context, withLinks: false)
    if before != after { return Self.difference("before a save and after it", before, after) }
    return try compare(side, "after a save")
  }

  /// A context without changes shows what a fresh one shows, and so do the objects that somebody holds.
  private mutating func compare(_ side: Int, _ when: String) throws -> [String] {
    let context = contexts[side]
    let fresh = ModelContext(container)
    let (seen, stored) = try (Self.view(context, withLinks: true), Self.view(fresh, withLinks: true))
    if seen != stored { return Self.difference("\(when), and in a fresh context", seen, stored) }
    for object in held[side] {
      guard object.modelContext != nil, !object.isDeleted else { continue }
      let other = fresh.model(for: object.persistentModelID)
      if other.isDeleted { return ["\(when): \(Self.text(object)) is held, and there is none"] }
      // One of a class above may show the record of one below.
      if Self.text(object, withClass: false) != Self.text(other, withClass: false) {
        return ["\(when): \(Self.text(object)) is held, and is \(Self.text(other))"]
      }
    }
    held[side].removeAll { $0.modelContext == nil && random.oneIn(2) }
    return []
  }

  private static func difference(_ what: String, _ left: [String], _ right: [String]) -> [String] {
    ["\(what):"] + left.filter { !right.contains($0) }.map { "- \($0)" }
      + right.filter { !left.contains($0) }.map { "+ \($0)" }
      + (Set(left) == Set(right) ? ["in another order"] + left + ["-----"] + right : [])
  }

  /// The answers of several fetches, in their order.
  private static func view(_ context: ModelContext, withLinks: Bool) throws -> [String] {
    let quays = try context.fetch(FetchDescriptor<Quay>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.mark)]))
    let boats = try context.fetch(FetchDescriptor<Boat>(sortBy: [SortDescriptor(\.call)]))
    let moorings = try context.fetch(
      FetchDescriptor<Mooring>(sortBy: [SortDescriptor(\.side), SortDescriptor(\.number)]))
    func text(_ object: any PersistentModel) -> String { Self.text(object, withClass: withLinks) }
    var lines = (quays as [any PersistentModel] + boats + moorings).map { text($0) }
    for call in ["a", "é", "d"] {
      lines.append(
        "\(call) \(try context.fetch(FetchDescriptor<Boat>(predicate: #Predicate { $0.call == call })).map(text))")
      lines.append(
        "\(call) \(try context.fetch(FetchDescriptor<Quay>(predicate: #Predicate { $0.name == call })).map(text))")
    }
    let tagged = FetchDescriptor<Mooring>(predicate: #Predicate { $0.tag != nil && $0.number > 0 })
    lines.append("tagged \(try context.fetch(tagged).map(text).sorted())")
    guard withLinks else { return lines }
    lines.append("sloops \(try context.fetch(FetchDescriptor<Sloop>(sortBy: [SortDescriptor(\.call)])).map(text))")
    lines += boats.map { "\($0.call) at \($0.quay.map(text) ?? "none")" }
    // An object that was linked here before its record was of a class below stays in its place until the list is read
    // anew.
    lines += quays.map { "\($0.name) has \($0.boats.map { Self.text($0, withClass: false) }.sorted())" }
    return lines
  }

  private static func text(_ object: any PersistentModel, withClass: Bool = true) -> String {
    switch object {
    case let quay as Quay: "quay \(quay.name.precomposedStringWithCanonicalMapping) \(quay.mark)"
    case let boat as Boat:
      "\(withClass ? "\(type(of: boat))" : "boat") \(boat.call.precomposedStringWithCanonicalMapping) \(boat.mark)"
    case let mooring as Mooring: "mooring \(mooring.side)\(mooring.number) \(mooring.tag ?? "-") \(mooring.mark)"
    default: "?"
    }
  }

  private static func mark(_ object: any PersistentModel, _ mark: Int) {
    switch object {
    case let quay as Quay: quay.mark = mark
    case let boat as Boat: boat.mark = mark
    case let mooring as Mooring: mooring.mark = mark
    default: break
    }
  }

  private static func insert<M: PersistentModel>(_ object: M, _ context: ModelContext) { context.insert(object) }
  private static func delete<M: PersistentModel>(_ object: M, _ context: ModelContext) { context.delete(object) }
}
