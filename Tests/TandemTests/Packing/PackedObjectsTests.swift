import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// Objects whose values lie in the bytes of their records before they are saved.
struct PackedObjectsTests {
  /// The same random work in two contexts, of which one packs each object at once, and the other none.
  private struct Twins {
    let contexts: [ModelContext]
    var pairs: [[Bale]] = []
    var random: SeededGenerator

    init(_ containers: [ModelContainer], _ random: SeededGenerator) {
      contexts = containers.map { ModelContext($0) }
      contexts[0].unpackedCount = 0
      contexts[1].unpackedCount = 1 << 40
      self.random = random
    }

    /// What each context answers.
    mutating func step() throws -> [String] {
      let number = Int.random(in: 0..<12, using: &random)
      let pair = pairs.randomElement(using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        let seed = random.next()
        let bales = contexts.map { _ in Bale(number: number, seed) }
        zip(contexts, bales).forEach { $0.insert($1) }
        pairs.append(bales)
      case 4, 5:
        let seed = random.next()
        pair?.forEach { $0.change(seed) }
      case 6: pair?.forEach { $0.modelContext?.delete($0) }
      case 7: for (index, bale) in (pair ?? []).enumerated() { contexts[index].insert(bale) }
      case 8: if number < 4 { contexts.forEach { $0.rollback() } }
      case 9: return try contexts.map { context in try answer { try context.save() } }
      case 10:
        return try contexts.map { context in
          try answer { try context.fetch(FetchDescriptor<Bale>(predicate: #Predicate { $0.number == number })) }
        }
      default:
        let text = FetchDescriptor<Bale>(
          predicate: #Predicate { $0.text < "m" && $0.weight != nil },
          sortBy: [SortDescriptor(\.text), SortDescriptor(\.number)])
        return try contexts.map { context in try answer { try context.fetch(text) } }
      }
      return contexts.map { $0.hasChanges.description }
    }

    private func answer(_ body: () throws -> [Bale]) throws -> String {
      try body().map(\.state).joined(separator: "\n")
    }

    private func answer(_ body: () throws -> Void) throws -> String {
      do {
        try body()
        return "saved"
      } catch let error as SwiftDataError {
        return "\(error.code)"
      }
    }
  }

  @Test func `an object reads, changes, leaves and is saved alike whether its values are packed or not`() async throws {
    let random = SeededGenerator.announced()
    try await withContainer(for: [Bale.self]) { packed in
      try await withContainer(for: [Bale.self]) { plain in
        var twins = Twins([packed, plain], random)
        var count = 0
        for step in 0..<1_500 {
          let answers = try twins.step()
          #expect(answers[0] == answers[1], "step \(step), seed \(random.seed)")
          count += twins.pairs.count { $0[0]._$storage.isPacked }
          let different = twins.pairs.filter { $0[0].state != $0[1].state || $0[1]._$storage.isPacked }
          guard different.isEmpty else {
            Issue.record("step \(step), seed \(random.seed): \(different[0][0].state), not \(different[0][1].state)")
            return
          }
          if twins.pairs.count > 40 { twins.pairs.removeFirst(20) }
        }
        #expect(count > 1_000)
        for context in twins.contexts { try context.save() }
        let stored = try [packed, plain].map { container in
          try ModelContext(container).fetch(FetchDescriptor<Bale>(sortBy: [SortDescriptor(\.number)])).map(\.state)
        }
        #expect(stored[0] == stored[1] && stored[0].count > 5)
      }
    }
  }

  /// The long form makes it thousands of histories.
  @Test func `it makes no difference to any act of a context when its objects are packed`() async throws {
    var random = SeededGenerator.announced()
    var packedCount = 0
    for _ in 0..<(TestLength.isLong ? 1_500 : 4) {
      let seed = random.next()
      let isExternal = random.oneIn(3)
      let types: [any PersistentModel.Type] = [Pallet.self, Sack.self, LargeSack.self, Rack.self]
      try await withContainers(
        3, for: types, configure: { $0.largeValueBytes = isExternal ? 128 : 128 << 10 }
      ) { containers in
        var twins = PackedTwins(containers, unpackedCounts: [0, 3, 1 << 40], SeededGenerator(seed: seed))
        let failure = try twins.run(steps: 120)
        packedCount += twins.packedCount
        if !failure.isEmpty {
          Issue.record("seed \(random.seed)\n\((twins.taken.suffix(25) + failure).joined(separator: "\n"))")
        }
      }
    }
    #expect(packedCount > 100)
  }

  /// The store takes such bytes in a record for the name of a file.
  @Test func `a packed value that looks like a reference reads as it was set`() async throws {
    try await withContainer(for: [Pallet.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 0
      let foreign = try Data(#require(ExternalReference(of: Data("secret".utf8))).payload)
      let pallet = Pallet(number: 1, side: "l", place: nil)
      pallet.image = foreign
      context.insert(pallet)
      #expect(pallet.image == foreign)
      try context.save()
      #expect(pallet.image == foreign)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Pallet>()).map(\.image) == [foreign])
    }
  }

  @Test(arguments: [false, true])
  func `a context keeps no object that left before it was saved`(isAllAtOnce: Bool) async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let kept = Trip(code: "kept")
      context.insert(kept)
      var left: [WeakStop] = []
      for _ in 0..<4 {
        var stops: [Stop] = []
        for number in 0..<2_000 {
          let stop = Stop(place: "a place with a name that takes room", order: number)
          left.append(WeakStop(stop: stop))
          context.insert(stop)
          if isAllAtOnce { stops.append(stop) } else { context.delete(stop) }
        }
        stops.forEach(context.delete)
      }
      #expect(left.count { $0.stop != nil } < 2_100)
      let one = Stop(place: "one")
      context.insert(one)
      #expect(context.insertedModelsArray.count == 2 && context.insertedModelsArray.first === kept)
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map(\.place) == ["one"])
    }
  }

  /// The end of a save lets go of what such an object is linked to; until then it can come back with its links.
  @Test func `an object that left with links can come back with them, however many left since`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.unpackedCount = 0
      let trip = Trip(code: "t")
      let stop = Stop(place: "linked", trip: trip)
      context.insert(stop)
      context.delete(stop)
      for _ in 0..<10 {
        let other = Stop(place: "other")
        context.insert(other)
        context.delete(other)
      }
      context.insert(stop)
      #expect(stop.trip === trip && trip.stops == [stop])
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map { $0.trip?.code } == ["t"])
    }
  }

  /// Two objects were one by a unique value. Both left, one came back, and the save made it one with a third.
  @Test func `a link leads on when the save makes its target the object of another record`() async throws {
    try await withContainer(for: [Pallet.self, Rack.self]) { container in
      let context = ModelContext(container)
      func pallet() -> Pallet { Pallet(number: 1, side: "l", place: nil) }
      let (first, second, third, rack) = (pallet(), pallet(), pallet(), Rack(name: "r"))
      for pallet in [first, second] {
        context.insert(pallet)
        try context.save()
      }
      context.delete(second)
      try context.save()
      context.insert(rack)
      rack.best = first
      context.insert(third)
      context.insert(second)
      try context.save()
      #expect(rack.best?.persistentModelID == third.persistentModelID)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Rack>()).map { $0.best?.number } == [1])
    }
  }

  @Test func `a packed object that left before it was saved keeps none that had it`() async throws {
    try await withContainer(for: [Pallet.self, Rack.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 0
      let pallet = Pallet(number: 1, side: "l", place: nil)
      context.insert(pallet)
      weak var left: Rack?
      do {
        let rack = Rack(name: "r")
        context.insert(rack)
        rack.pallets = [pallet]
        left = rack
        context.delete(rack)
      }
      context.delete(pallet)
      try context.save()
      #expect(left == nil && pallet.isDeleted)
    }
  }

  private struct WeakStop {
    weak var stop: Stop?
  }

  @Test func `objects are packed once many came behind them, and a save has what was set before and after`()
    async throws
  {
    try await withContainer(for: [Bale.self]) { container in
      let context = ModelContext(container)
      let bales = (0..<5_000).map { Bale(number: $0, UInt64($0)) }
      bales.forEach(context.insert)
      #expect(bales[0]._$storage.isPacked && !bales[4_999]._$storage.isPacked)
      for bale in bales where bale.number % 10 == 0 {
        bale.text = "set behind the insertion of \(bale.number)"
        #expect(!bale._$storage.isPacked)
      }
      let values = bales.map(\.values)
      try context.save()
      #expect(!bales[1]._$storage.isPacked && !context.hasChanges)
      #expect(bales.map(\.values) == values)
      let stored = try ModelContext(container).fetch(FetchDescriptor<Bale>(sortBy: [SortDescriptor(\.number)]))
      #expect(stored.map(\.values) == values)
      bales[1].note = "after the save"
      context.rollback()
      #expect(bales[1].values == values[1])
      bales[1].note = "after the save"
      try context.save()
      #expect(
        try ModelContext(container).fetchCount(
          FetchDescriptor<Bale>(predicate: #Predicate { $0.note == "after the save" })) == 1)
    }
  }

  @Test func `an object that left and came back before its turn is packed once`() async throws {
    try await withContainer(for: [Bale.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 4
      let bale = Bale(number: 0, 0)
      context.insert(bale)
      context.delete(bale)
      context.insert(bale)
      for number in 1...10 { context.insert(Bale(number: number, 0)) }
      #expect(bale._$storage.isPacked)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bale>()) == 11)
    }
  }

  @Test func `a packed object is saved with a link that only the other side's class knows`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      context.unpackedCount = 0
      let pages = ["one", "two"].map { Page(text: $0) }
      pages.forEach(context.insert)
      let album = Album(title: "album")
      context.insert(album)
      album.pages = [pages[1]]
      #expect(pages.allSatisfy { $0._$storage.isPacked })
      try context.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Album>())
      #expect(stored.map { $0.pages.map(\.text) } == [["two"]])
    }
  }

  /// The link named a record that never came to be.
  @Test(arguments: [0, 1 << 40])
  func `an inserted object's owner may turn out to be a stored one`(unpackedCount: Int) async throws {
    try await withContainer(for: [Binder.self]) { container in
      let filling = ModelContext(container)
      filling.insert(Binder(name: "a"))
      try filling.save()
      let context = ModelContext(container)
      context.unpackedCount = unpackedCount
      let page = Page(text: "one")
      context.insert(page)
      let binder = Binder(name: "a")
      context.insert(binder)
      binder.pages = [page]
      #expect(page._$storage.isPacked == (unpackedCount == 0))
      try context.save()
      for context in [context, ModelContext(container)] {
        #expect(try context.fetch(FetchDescriptor<Binder>()).map { $0.pages.map(\.text) } == [["one"]])
      }
    }
  }

  @Test func `a value that is in no record, or would come back otherwise, keeps its object as it is`() async throws {
    try await withContainer(for: [Label.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 0
      let labels = (0..<4).map { _ in Label() }
      labels[1].place = URL(string: "https://example.org/places/lviv")
      labels[2].address = Address(street: "Rynok", number: 1)
      labels[3].mark = 3
      labels.forEach(context.insert)
      #expect(labels.map { $0._$storage.isPacked } == [true, true, false, false])
      #expect(labels[1].place?.lastPathComponent == "lviv" && labels[2].address?.number == 1 && labels[3].mark == 3)
      labels[0].mark = 4
      #expect(labels[0].mark == 4 && labels[0].text == "a label" && !labels[0]._$storage.isPacked)
      try context.save()
    }
  }
}

/// Each object of the class can be packed.
@Model final class Bale {
  @Attribute(.unique) var number: Int
  var text: String = ""
  var note: String?
  var season: Season = Season.spring
  var level: Level?
  var sent: Date = Date(timeIntervalSinceReferenceDate: 0)
  var weight: Double?
  var price: Decimal = 0
  var key: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var content: Data?
  var isLight: Bool = false

  init(number: Int, _ seed: UInt64) {
    self.number = number
    for place in 0..<4 as Range<UInt64> { change(seed &+ place &* 7_919) }
  }

  /// Sets one property but the number.
  func change(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let value = Int.random(in: 0..<1_000_000, using: &random)
    let isNil = value % 3 == 0
    switch value % 10 {
    case 0: text = value % 2 == 0 ? "t\(value)" : "a text of more than fifteen bytes, \(value)"
    case 1: note = isNil ? nil : String(repeating: "note ", count: value % 40)
    case 2: season = Season.allCases[value % 4]
    case 3: level = isNil ? nil : .high
    case 4: sent = Date(timeIntervalSinceReferenceDate: Double(value) / 3)
    case 5: weight = isNil ? nil : value % 7 == 0 ? .nan : -Double(value) / 7
    case 6: price = Decimal(value) / 8
    case 7: key = UUID(uuid: (1, 2, UInt8(value % 256), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
    case 8: content = isNil ? nil : Data(repeating: UInt8(value % 256), count: value % 50)
    default: isLight = value % 4 == 1
    }
  }

  var state: String { "\(values) \(isDeleted) \(hasChanges) \(modelContext == nil)" }
  var values: String {
    let optionals = [note, level.map { "\($0)" }, weight.map { "\($0)" }, content.map { "\(Array($0))" }]
    return "\(number) \(text) \(optionals) \(season) \(sent.timeIntervalSinceReferenceDate) \(price) \(key) \(isLight)"
  }
}

/// Some values of the class have no place in a record, or another form there.
@Model final class Label {
  var text: String = "a label"
  var place: URL?
  var address: Address?
  @Attribute(.ephemeral) var mark: Int?
  init() {}
}
