import Foundation
import Tandem
import TestSupport
import Testing

/// Properties of one type, so that predicates over them are of one type too.
@Model final class Locker {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var key: Int
  var size: Int
  @Attribute(.unique) var label: String
  @Attribute(.unique) var tenant: String?
  @Attribute(.unique) var serial: UUID
  @Attribute(.unique) var weight: Double
  @Attribute(.unique) var opened: Date
  @Attribute(.unique) var price: Decimal

  init(_ number: Int) {
    self.number = number
    key = number * 7 % 101
    size = number % 4
    label = "locker \(number)\(number % 3 == 0 ? "e\u{301}" : "")"
    tenant = number.isMultiple(of: 2) ? nil : "tenant \(number)"
    serial = Self.serial(number)
    weight = number == 5 ? -0.0 : Double(number) / 4
    opened = Date(timeIntervalSinceReferenceDate: Double(number) * 3_600)
    price = Decimal(number) / 10
  }

  var twice: Int { 2 * number }

  static func serial(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number & 0xff), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
  }
}

@Model class Vessel {
  @Attribute(.unique) var call: String
  init(call: String) { self.call = call }
}

@Model final class Ferry: Vessel {
  var decks: Int
  init(call: String, decks: Int) {
    self.decks = decks
    super.init(call: call)
  }
}

/// A fetch by a value of a unique attribute is a look-up, which makes no plan: it finds what Swift finds among all.
@Suite struct UniqueFetchTests {
  private static let types: [any PersistentModel.Type] = [Locker.self]
  private static let count = 60

  private func withLockers(_ body: (ModelContext) throws -> Void) async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      for number in 1...Self.count { context.insert(Locker(number)) }
      try context.save()
      try body(ModelContext(container))
    }
  }

  private func comparing(_ property: any KeyPath<Locker, Int> & Sendable, _ value: Int) -> Predicate<Locker> {
    Predicate { locker in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: locker, keyPath: property),
        rhs: PredicateExpressions.build_Arg(value))
    }
  }

  /// All that is asked with one value; the same code makes the same type of predicate each time.
  private func predicates(_ number: Int) -> [Predicate<Locker>] {
    let (label, composed) = ("locker \(number)", "locker \(number)é")
    let tenant: String? = number.isMultiple(of: 5) ? nil : "tenant \(number)"
    let weight = number == 7 ? Double.nan : number == 8 ? 0 : Double(number) / 4
    let (serial, opened) = (Locker.serial(number), Date(timeIntervalSinceReferenceDate: Double(number) * 3_600))
    let price = Decimal(number) / 10
    return [
      comparing(\.number, number), comparing(\.key, number), comparing(\.size, number), comparing(\.twice, number),
      #Predicate { $0.number == number }, #Predicate { $0.key == number }, #Predicate { $0.size == number },
      #Predicate { $0.number != number }, #Predicate { !($0.number == number) }, #Predicate { number == $0.number },
      #Predicate { $0.number == number && $0.key == number }, #Predicate { $0.number == number || $0.key == number },
      #Predicate { $0.number <= number }, #Predicate { $0.label == label }, #Predicate { $0.label == composed },
      #Predicate { $0.tenant == tenant }, #Predicate { $0.tenant == label }, #Predicate { $0.serial == serial },
      #Predicate { $0.weight == weight }, #Predicate { $0.opened == opened }, #Predicate { $0.price == price },
    ]
  }

  @Test func `a fetch by a value finds what a look at all objects finds`() async throws {
    var random = SeededGenerator.announced()
    try await withLockers { kept in
      let all = try kept.fetch(FetchDescriptor<Locker>())
      try #require(all.count == Self.count)
      for _ in 0..<25 {
        let number = Int.random(in: -1...(Self.count + 10), using: &random)
        let fresh = ModelContext(kept.container)
        for (place, predicate) in predicates(number).enumerated() {
          let expected = try all.filter { try predicate.evaluate($0) }
          var descriptor = FetchDescriptor(predicate: predicate)
          #expect(try kept.fetch(descriptor) == expected, "\(place) of \(number), seed \(random.seed)")
          #expect(
            try fresh.fetch(descriptor).map(\.number) == expected.map(\.number),
            "\(place) of \(number) in a fresh context, seed \(random.seed)")
          descriptor.fetchLimit = 1
          #expect(try kept.fetch(descriptor) == Array(expected.prefix(1)), "\(place) of \(number)")
          descriptor.fetchLimit = 0
          #expect(try kept.fetch(descriptor).isEmpty, "\(place) of \(number)")
          (descriptor.fetchLimit, descriptor.fetchOffset) = (nil, 1)
          #expect(try kept.fetch(descriptor) == Array(expected.dropFirst()), "\(place) of \(number)")
          descriptor.fetchOffset = nil
          descriptor.sortBy = [SortDescriptor(\.number, order: .reverse)]
          #expect(try kept.fetch(descriptor) == expected.sorted { $0.number > $1.number }, "\(place) of \(number)")
        }
      }
    }
  }

  @Test func `a negative limit is refused for a look-up too`() async throws {
    try await withLockers { context in
      var descriptor = FetchDescriptor<Locker>(predicate: #Predicate { $0.number == 3 })
      let found = try context.fetch(descriptor)
      #expect(found.count == 1)
      descriptor.fetchLimit = -1
      expectError(.invalidRequest) { try context.fetch(descriptor) }
    }
  }

  @Test func `a look-up takes in what others saved, and weighs what is not saved`() async throws {
    try await withLockers { context in
      func found(_ number: Int, pending: Bool = true) throws -> Locker? {
        var descriptor = FetchDescriptor<Locker>(predicate: #Predicate { $0.number == number })
        descriptor.includePendingChanges = pending
        return try context.fetch(descriptor).first
      }
      func expect(_ number: Int, pending: Bool = true, is object: Locker?) throws {
        let answer = try found(number, pending: pending)
        #expect(answer === object, "number \(number)")
      }
      let third = try #require(try found(3))
      try expect(3, is: third)
      let other = ModelContext(context.container)
      let isEither = #Predicate<Locker> { $0.number == 3 || $0.number == 4 }
      for locker in try other.fetch(FetchDescriptor(predicate: isEither)) {
        if locker.number == 3 { locker.number = 300 } else { other.delete(locker) }
      }
      try other.save()
      for number in [3, 4] { try expect(number, is: nil) }
      try expect(300, is: third)
      #expect(third.number == 300)
      third.number = 301
      try expect(301, is: third)
      try expect(300, is: nil)
      try expect(300, pending: false, is: third)
      let fifth = try #require(try found(5))
      context.delete(fifth)
      try expect(5, is: nil)
      try expect(5, pending: false, is: fifth)
      context.rollback()
      try expect(5, is: fifth)
      try expect(300, is: third)
    }
  }

  @Test func `a descriptor gives its predicate back, and finds by the one that it was given last`() async throws {
    try await withLockers { context in
      // A number of one, and the key of another one.
      let number = 14
      var descriptor = FetchDescriptor<Locker>(predicate: #Predicate { $0.number == number })
      let copy = descriptor
      let first = try #require(descriptor.predicate)
      #expect(try context.fetch(descriptor).map(\.number) == [14])
      descriptor.predicate = #Predicate { $0.key == number }
      #expect(try context.fetch(descriptor).map(\.key) == [14])
      #expect(try context.fetch(copy).map(\.number) == [14])
      #expect(copy.predicate?.description == first.description)
      descriptor.predicate = nil
      #expect(try context.fetch(descriptor).count == Self.count)
    }
  }

  @Test func `a look-up of a class finds its subclass's object, and none of the class above`() async throws {
    try await withContainer(for: [Vessel.self, Ferry.self]) { container in
      let context = ModelContext(container)
      context.insert(Vessel(call: "a"))
      context.insert(Ferry(call: "b", decks: 3))
      try context.save()
      for context in [context, ModelContext(container)] {
        for call in ["a", "b", "c"] {
          let vessels = try context.fetch(FetchDescriptor<Vessel>(predicate: #Predicate { $0.call == call }))
          #expect(vessels.map(\.call) == (call == "c" ? [] : [call]))
          let ferries = try context.fetch(FetchDescriptor<Ferry>(predicate: #Predicate { $0.call == call }))
          #expect(ferries.map(\.decks) == (call == "b" ? [3] : []))
        }
      }
    }
  }

  /// The batch was one object short, and reading the last place ended the process.
  @Test func `an object that became one of another class is deleted in batches that were to come`() async throws {
    try await withContainer(for: [Vessel.self, Ferry.self, Tug.self]) { container in
      let context = ModelContext(container)
      for call in ["a", "b", "c"] { context.insert(Ferry(call: call, decks: 1)) }
      try context.save()
      let ferries = try context.fetch(FetchDescriptor<Ferry>(sortBy: [SortDescriptor(\.call)]), batchSize: 10)
      let other = ModelContext(container)
      other.insert(Tug(call: "b"))
      try other.save()
      let vessels = try context.fetch(FetchDescriptor<Vessel>(sortBy: [SortDescriptor(\.call)]))
      #expect(vessels.map { $0 is Tug } == [false, true, false])
      #expect(ferries.map(\.isDeleted) == [false, true, false])
      #expect(ferries[2].call == "c")
    }
  }
}

@Model final class Tug: Vessel {
  override init(call: String) { super.init(call: call) }
}
