import Foundation
import Observation
import Tandem
import TestSupport
import Testing

/// Inserted objects that nobody but their context holds, which it lets go of until something looks at what is pending.
struct UnheldInsertsTests {
  private static let types: [any PersistentModel.Type] = [Ingot.self, Vault.self]

  /// The long form makes it thousands of histories.
  @Test func `it makes no difference to any act of a context that it lets go of objects`() async throws {
    var random = SeededGenerator.announced()
    var unheldCount = 0
    for _ in 0..<(TestLength.isLong ? 2_000 : 8) {
      let seed = random.next()
      try await withContainers(3, for: Self.types) { containers in
        var twins = UnheldTwins(containers, unpackedCounts: [1, 4, 1 << 40], SeededGenerator(seed: seed))
        let failure = try twins.run(steps: 150)
        unheldCount += twins.unheldCount
        if !failure.isEmpty {
          Issue.record("seed \(random.seed)\n\((twins.taken.suffix(40) + failure).joined(separator: "\n"))")
        }
      }
    }
    #expect(unheldCount > 400)
  }

  private func ingot(_ number: Int, _ text: String = "") -> Ingot {
    let ingot = Ingot(1)
    (ingot.number, ingot.text) = (number, text)
    return ingot
  }

  @Test func `a save writes what a context has let go of, and each object is there afterwards`() async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      context.unpackedCount = 8
      var ids: [PersistentIdentifier] = []
      for number in 0..<100 {
        let ingot = ingot(number, "ingot \(number)")
        context.insert(ingot)
        ids.append(ingot.persistentModelID)
      }
      #expect(context.unheldCount > 80 && context.hasChanges)
      try context.save()
      #expect(context.unheldCount == 0 && !context.hasChanges)
      #expect(ids.map { (context.model(for: $0) as? Ingot)?.text } == (0..<100).map { "ingot \($0)" })
      let stored = try ModelContext(container).fetch(FetchDescriptor<Ingot>(sortBy: [SortDescriptor(\.number)]))
      #expect(stored.map(\.text) == (0..<100).map { "ingot \($0)" })
    }
  }

  @Test func `whatever looks at what is pending has all objects, in their order, and later ones stay`() async throws {
    let looks: [(ModelContext, PersistentIdentifier) throws -> Void] = [
      { context, _ in #expect(context.insertedModelsArray.compactMap { ($0 as? Ingot)?.number } == Array(0..<40)) },
      { context, id in #expect((context.model(for: id) as? Ingot)?.number == 3) },
      { context, id in #expect((context.registeredModel(for: id) as Ingot?)?.number == 3) },
      { context, _ in
        let all = try context.fetch(FetchDescriptor<Ingot>())
        #expect(all.count == 40)
      },
      { context, _ in
        let number = try context.fetch(FetchDescriptor<Ingot>(predicate: #Predicate { $0.number == 7 }))
        #expect(number.map(\.isDeleted) == [false])
      },
      { context, _ in
        let count = try context.fetchCount(FetchDescriptor<Ingot>())
        #expect(count == 40)
      },
      { context, _ in try context.enumerate(FetchDescriptor<Ingot>()) { (ingot: Ingot) in ingot.note = "met" } },
      { context, _ in context.undoManager = UndoManager() },
    ]
    for look in looks {
      try await withContainer(for: Self.types) { container in
        let context = ModelContext(container)
        context.unpackedCount = 4
        var third: PersistentIdentifier?
        var holding: [Ingot] = []
        for number in 0..<40 {
          let ingot = ingot(number)
          context.insert(ingot)
          if number == 3 { third = ingot.persistentModelID }
          if number % 10 == 5 { holding.append(ingot) }
        }
        #expect(context.unheldCount > 25)
        try look(context, #require(third))
        #expect(context.unheldCount == 0)
        for held in holding {
          let found: Ingot? = context.registeredModel(for: held.persistentModelID)
          #expect(found === held)
        }
        for number in 40..<80 { context.insert(ingot(number)) }
        #expect(context.unheldCount == 0 && context.insertedModelsArray.count == 80)
        try context.save()
        for number in 80..<120 { context.insert(ingot(number)) }
        #expect(context.undoManager != nil || context.unheldCount > 25)
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ingot>()) == 120)
      }
    }
  }

  @Test func `an object to which anything leads stays as it is`() async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      context.unpackedCount = 2
      final class Keeper {
        var strong: Ingot?
        weak var weak: Ingot?
        unowned var unowned: Ingot
        var values: (any BackingData<Ingot>)?
        init(_ ingot: Ingot) { unowned = ingot }
      }
      let observed = Told()
      var keepers: [Keeper] = []
      for number in 0..<5 {
        let ingot = ingot(number)
        let keeper = Keeper(number == 2 ? ingot : self.ingot(100))
        if number == 0 { keeper.strong = ingot }
        if number == 1 { keeper.weak = ingot }
        if number == 3 { keeper.values = ingot.persistentBackingData }
        if number == 4 {
          withObservationTracking {
            _ = ingot.text
          } onChange: {
            observed.note()
          }
        }
        keepers.append(keeper)
        context.insert(ingot)
      }
      for number in 5..<20 { context.insert(ingot(number)) }
      #expect(context.unheldCount == 13)
      #expect(keepers[0].strong?.number == 0 && keepers[1].weak?.number == 1 && keepers[2].unowned.number == 2)
      keepers[3].values?.setValue(forKey: \.text, to: "by its values")
      let fourth = try #require(
        try context.fetch(FetchDescriptor<Ingot>(predicate: #Predicate { $0.number == 4 })).first)
      fourth.text = "changed"
      #expect(observed.count == 1)
      try context.save()
      let third = try ModelContext(container).fetch(FetchDescriptor<Ingot>(predicate: #Predicate { $0.number == 3 }))
      #expect(third.map(\.text) == ["by its values"])
    }
  }

  @Test func `a context does not look for objects to let go of once all of many were held`() async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      context.unpackedCount = 100
      var held = (0..<200).map { ingot($0) }
      held.forEach(context.insert)
      for number in 200..<1_000 { context.insert(ingot(number)) }
      #expect(context.unheldCount == 0)
      try context.save()
      held = []
      for number in 1_000..<2_000 { context.insert(ingot(number)) }
      #expect(context.unheldCount > 700)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ingot>()) == 2_000)
    }
  }

  @Test func `an object of a class that keeps something outside of its storage stays`() async throws {
    try await withContainer(for: [Pallet.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 2
      for number in 0..<20 {
        let pallet = Pallet(number: number, side: "l", place: nil)
        pallet.seen = number
        context.insert(pallet)
      }
      #expect(context.unheldCount == 0)
      let pallets = context.insertedModelsArray.compactMap { $0 as? Pallet }
      #expect(pallets.count { $0._$storage.isPacked } > 15 && pallets.map(\.seen) == Array(0..<20))
    }
  }

  /// Of several objects with one unique value, the last one counts.
  @Test(arguments: [0, 1, 2, 3])
  func `objects that stay and those that went are saved in their order`(holding: Int) async throws {
    try await withContainer(for: Self.types) { container in
      let context = ModelContext(container)
      context.unpackedCount = 2
      var held: [Ingot] = []
      for number in 0..<60 {
        let ingot = ingot(number % 6, "\(number)")
        context.insert(ingot)
        if holding > 0, number % (holding + 1) == 0 { held.append(ingot) }
      }
      #expect(context.unheldCount > 20)
      try context.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Ingot>(sortBy: [SortDescriptor(\.number)]))
      #expect(stored.map(\.text) == ["54", "55", "56", "57", "58", "59"])
    }
  }

  @Test func `a refused save leaves what went pending, and a rollback forgets it`() async throws {
    try await withContainer(for: [Coupon.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 2
      for number in 0..<20 { context.insert(Coupon(number)) }
      #expect(context.unheldCount > 10)
      let second = Coupon(1)
      context.insert(second)
      for _ in 0..<2 {
        #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(context.hasChanges && context.unheldCount > 10)
      }
      context.delete(second)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Coupon>()) == 20)
      for number in 20..<40 { context.insert(Coupon(number)) }
      #expect(context.unheldCount > 10)
      context.rollback()
      #expect(!context.hasChanges && context.unheldCount == 0)
      #expect(try context.fetchCount(FetchDescriptor<Coupon>()) == 20)
    }
  }

  @Test func `a class may ask its context for others as its objects go`() async throws {
    try await withContainer(for: [Leaver.self]) { container in
      let context = ModelContext(container)
      context.unpackedCount = 4
      Leaver.context = context
      defer { Leaver.context = nil }
      for number in 0..<64 { context.insert(Leaver(number)) }
      Leaver.context = nil
      let numbers = context.insertedModelsArray.compactMap { ($0 as? Leaver)?.number }
      #expect(numbers.filter { $0 < 1_000 }.sorted() == Array(0..<64))
      #expect(numbers.count { $0 >= 1_000 } > 10)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Leaver>()) == numbers.count)
    }
  }

  /// What an observer made again counted as if something had come, and what others had deleted as if nothing had gone.
  @Test @MainActor func `a delete by others refuses no autosave where an observer looks at what was let go of`()
    async throws
  {
    try await withContainer(for: Self.types) { container in
      let context = container.mainContext
      context.unpackedCount = 4
      let (changed, watched) = (ingot(-1), ingot(-2))
      context.insert(changed)
      context.insert(watched)
      try context.save()
      let (looks, refusals) = (Told(), Told())
      withObservationTracking {
        _ = watched.text
      } onChange: {
        MainActor.assumeIsolated { if !container.mainContext.insertedModelsArray.isEmpty { looks.note() } }
      }
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.didFailToAutosave, object: context, queue: nil
      ) { _ in refusals.note() }
      defer { NotificationCenter.default.removeObserver(token) }
      changed.text = "changed"
      for number in 0..<100 { context.insert(ingot(number)) }
      #expect(context.unheldCount > 80)
      let rival = ModelContext(container)
      for other in try rival.fetch(FetchDescriptor<Ingot>()) {
        if other.number == -1 { rival.delete(other) } else { other.text = "by a rival" }
      }
      try rival.save()
      while context.hasChanges, refusals.count == 0 { await Task.yield() }
      #expect(looks.count == 1 && refusals.count == 0 && changed.isDeleted)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ingot>()) == 101)
    }
  }
}

/// Refuses a second object with the same number.
@Model final class Coupon {
  @Attribute(.unique(.throw)) var number: Int
  init(_ number: Int) { self.number = number }
}

/// Inserts another one as it goes.
@Model final class Leaver {
  // Of the one test that uses the class, and only while it runs.
  nonisolated(unsafe) static weak var context: ModelContext?
  var number: Int
  init(_ number: Int) { self.number = number }

  deinit {
    guard let context = Leaver.context, number < 1_000, number % 3 == 0 else { return }
    context.insert(Leaver(number + 1_000))
  }
}
