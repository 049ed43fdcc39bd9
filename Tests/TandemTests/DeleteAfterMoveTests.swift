import Foundation
import RecordStore
import Tandem
import Testing

@Model final class Freighter {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Crate.freighter) var crates: [Crate] = []
  @Relationship(deleteRule: .cascade) var barrels: [Barrel] = []
  @Relationship(deleteRule: .cascade) var logBook: LogBook?
  @Relationship(deleteRule: .deny) var charter: Charter?
  @Relationship(deleteRule: .cascade, inverse: \Lane.freighters) var lanes: [Lane] = []
  init(name: String) { self.name = name }
}

@Model final class Crate {
  var label: String
  var freighter: Freighter?
  @Relationship(deleteRule: .cascade) var seal: Seal?
  init(label: String, freighter: Freighter?) {
    self.label = label
    self.freighter = freighter
  }
}

/// Cannot be without its seal.
@Model final class Barrel {
  var label: String
  @Relationship(inverse: \Freighter.barrels) var freighter: Freighter?
  @Relationship(deleteRule: .cascade) var seal: Seal
  init(label: String, freighter: Freighter?, seal: Seal) {
    self.label = label
    self.freighter = freighter
    self.seal = seal
  }
}

@Model final class Seal {
  var number: Int
  init(number: Int) { self.number = number }
}

@Model final class LogBook {
  var text: String
  init(text: String) { self.text = text }
}

@Model final class Charter {
  var text: String
  init(text: String) { self.text = text }
}

@Model final class Lane {
  var name: String
  var freighters: [Freighter] = []
  init(name: String) { self.name = name }
}

/// What was taken out of an object before that object is deleted, all in one save, does not go with it: the delete
/// follows the links as they are, not as they were last saved.
struct DeleteAfterMoveTests {
  enum Move: CaseIterable { case out, toOther, toNew, toOtherDeleted, nowhere }

  /// A freighter with a sealed crate, and an empty one.
  private func load(_ context: ModelContext) throws -> (crate: Crate, first: Freighter, second: Freighter) {
    let (first, second) = (Freighter(name: "first"), Freighter(name: "second"))
    let crate = Crate(label: "saved", freighter: first)
    crate.seal = Seal(number: 7)
    context.insert(crate)
    context.insert(second)
    try context.save()
    return (crate, first, second)
  }

  /// The save took the crate along by the freighter that it had when last saved, and dropped its update without a word.
  @Test(arguments: Move.allCases) func `a child goes with the parent that it has, not with that it had`(
    _ move: Move
  ) async throws {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let (crate, first, second) = try load(context)
      crate.label = "changed"
      switch move {
      case .out: crate.freighter = nil
      case .toOther: crate.freighter = second
      case .toNew: crate.freighter = Freighter(name: "new")
      case .toOtherDeleted:
        crate.freighter = second
        context.delete(second)
      case .nowhere: break
      }
      context.delete(first)
      let isKept = move != .toOtherDeleted && move != .nowhere
      #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.label) == (isKept ? ["changed"] : []))
      try context.save()
      for reader in [context, ModelContext(container)] {
        let crates = try reader.fetch(FetchDescriptor<Crate>())
        #expect(crates.map(\.label) == (isKept ? ["changed"] : []))
        #expect(try reader.fetch(FetchDescriptor<Seal>()).map(\.number) == (isKept ? [7] : []))
        guard let kept = crates.first else { continue }
        #expect(kept.seal?.number == 7)
        #expect(kept.freighter?.name == [.toOther: "second", .toNew: "new"][move])
      }
    }
  }

  /// As above, with the link stored with the deleted object, whose own changes a save had left out.
  @Test func `what an object gave up before its delete stays`() async throws {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let (_, first, second) = try load(context)
      for freighter in [first, second] {
        freighter.logBook = LogBook(text: freighter.name)
        freighter.lanes = [Lane(name: freighter.name)]
      }
      try context.save()
      first.logBook = nil
      first.lanes = []
      context.delete(first)
      context.delete(second)
      #expect(try context.fetch(FetchDescriptor<LogBook>()).map(\.text) == ["first"])
      #expect(try context.fetch(FetchDescriptor<Lane>()).map(\.name) == ["first"])
      try context.save()
      for reader in [context, ModelContext(container)] {
        #expect(try reader.fetch(FetchDescriptor<LogBook>()).map(\.text) == ["first"])
        #expect(try reader.fetch(FetchDescriptor<Lane>()).map(\.name) == ["first"])
      }
    }
  }
  @Test func `what an object gave up does not forbid its delete`() async throws {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let freighter = Freighter(name: "chartered")
      freighter.charter = Charter(text: "charter")
      context.insert(freighter)
      try context.save()
      context.delete(freighter)
      #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .deleteDenied }
      context.rollback()
      freighter.charter = nil
      context.delete(freighter)
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Freighter>()).isEmpty)
      #expect(try context.fetch(FetchDescriptor<Charter>()).count == 1)
    }
  }
  /// The links that count are the last ones, also of what only goes along.
  @Test func `what goes along takes what it has, not what it had`() async throws {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let (crate, first, _) = try load(context)
      crate.seal = Seal(number: 8)
      first.logBook = LogBook(text: "new")
      context.delete(first)
      #expect(try context.fetch(FetchDescriptor<Seal>()).map(\.number) == [7])
      try context.save()
      for reader in [context, ModelContext(container)] {
        #expect(try reader.fetch(FetchDescriptor<Seal>()).map(\.number) == [7])
        #expect(try reader.fetch(FetchDescriptor<LogBook>()).isEmpty)
      }
    }
  }

  /// A save was refused that leaves nothing without what it needs.
  @Test func `what goes along may be without what it cannot be without, and does not take what it had`() async throws {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let freighter = Freighter(name: "freighter")
      let barrel = Barrel(label: "barrel", freighter: freighter, seal: Seal(number: 1))
      context.insert(barrel)
      try context.save()
      barrel.seal = Seal(number: 2)
      context.delete(barrel.seal)
      context.delete(freighter)
      #expect(try context.fetch(FetchDescriptor<Seal>()).map(\.number) == [1])
      try context.save()
      for reader in [context, ModelContext(container)] {
        #expect(try reader.fetch(FetchDescriptor<Seal>()).map(\.number) == [1])
        #expect(try reader.fetchCount(FetchDescriptor<Barrel>()) == 0)
      }
    }
  }

  /// It goes neither by what it had nor stays without.
  @Test func `an object that must have something and has it no more is refused, also if what it had is deleted`()
    async throws
  {
    try await withContainer(for: [Freighter.self]) { container in
      let context = ModelContext(container)
      let seal = Seal(number: 1)
      let barrel = Barrel(label: "barrel", freighter: nil, seal: seal)
      context.insert(barrel)
      try context.save()
      barrel.seal = Seal(number: 2)
      context.delete(barrel.seal)
      context.delete(seal)
      #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .invalidRequest }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Barrel>()) == 1)
    }
  }
}
