import Tandem
import TestSupport
import Testing

@Model final class Schooner {
  var name: String
  @Relationship(inverse: \Deckhand.schooner) var deckhands: [Deckhand] = []
  /// Without an inverse.
  var cargo: [Deckhand] = []
  init(_ name: String) { self.name = name }
}

@Model final class Deckhand {
  var name: String
  var schooner: Schooner?
  init(_ name: String, _ schooner: Schooner? = nil) {
    self.name = name
    self.schooner = schooner
  }
}

@Model final class Sailing {
  var schooner: Schooner?
  var mate: Deckhand?
  init(_ schooner: Schooner, _ mate: Deckhand) { (self.schooner, self.mate) = (schooner, mate) }
}

/// Objects of two contexts are not linked, and nobody is left to think that they were.
struct TwoContextsTests {
  private let types: [any PersistentModel.Type] = [Schooner.self, Deckhand.self, Sailing.self]

  private enum Link: CaseIterable {
    case toOne, toMany, withoutInverse
  }

  @Test(arguments: Link.allCases)
  private func `a link to an object of another context is not made, and both contexts say so`(link: Link) async throws {
    try await withContainer(for: types) { container in
      let (one, other) = (ModelContext(container), ModelContext(container))
      one.insert(Schooner("s"))
      one.insert(Deckhand("d"))
      try one.save()
      let schooner = try #require(one.fetch(FetchDescriptor<Schooner>()).first)
      let deckhand = try #require(other.fetch(FetchDescriptor<Deckhand>()).first)
      switch link {
      case .toOne: deckhand.schooner = schooner
      case .toMany: schooner.deckhands.append(deckhand)
      case .withoutInverse: schooner.cargo.append(deckhand)
      }
      #expect(deckhand.schooner == nil && schooner.deckhands.isEmpty && schooner.cargo.isEmpty)
      #expect(!one.hasChanges && !other.hasChanges)
      expectError(.objectOfAnotherContext) { try one.save() }
      expectError(.objectOfAnotherContext) { try other.save() }
      // Each says it once, and goes on.
      let own = try #require(one.model(for: deckhand.persistentModelID) as? Deckhand)
      own.schooner = schooner
      try one.save()
      #expect(try other.fetch(FetchDescriptor<Deckhand>()).map { $0.schooner?.name } == ["s"])
      #expect(deckhand.schooner?.modelContext === other)
    }
  }

  @Test func `a link to the unsaved object of another context is not made`() async throws {
    try await withContainer(for: types) { container in
      let (one, other) = (ModelContext(container), ModelContext(container))
      let (schooner, deckhand) = (Schooner("s"), Deckhand("d"))
      one.insert(schooner)
      other.insert(deckhand)
      deckhand.schooner = schooner
      expectError(.objectOfAnotherContext) { try other.save() }
      try other.save()
      expectError(.objectOfAnotherContext) { try one.save() }
      try one.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Deckhand>())
      #expect(stored.map { $0.schooner?.name } == [nil])
    }
  }

  @Test func `an object that its initialiser linked to another context's object is not inserted here`() async throws {
    try await withContainer(for: types) { container in
      let (one, other) = (ModelContext(container), ModelContext(container))
      let schooner = Schooner("s")
      one.insert(schooner)
      try one.save()
      let deckhand = Deckhand("d", schooner)
      other.insert(deckhand)
      #expect(deckhand.modelContext === one && !other.hasChanges)
      expectError(.objectOfAnotherContext) { try other.save() }
      try one.save()
      #expect(try other.fetch(FetchDescriptor<Deckhand>()).map { $0.schooner?.name } == ["s"])
    }
  }

  @Test func `an initialiser that links objects of two contexts makes one of the links, and both contexts say so`()
    async throws
  {
    try await withContainer(for: types) { container in
      let (one, other) = (ModelContext(container), ModelContext(container))
      let (schooner, mate) = (Schooner("s"), Deckhand("d"))
      one.insert(schooner)
      other.insert(mate)
      try one.save()
      try other.save()
      let sailing = Sailing(schooner, mate)
      one.insert(sailing)
      #expect(sailing.modelContext === one && sailing.schooner === schooner && sailing.mate == nil)
      expectError(.objectOfAnotherContext) { try other.save() }
      expectError(.objectOfAnotherContext) { try one.save() }
      try one.save()
      #expect(try other.fetch(FetchDescriptor<Sailing>()).map { $0.schooner?.name } == ["s"])
    }
  }
}
