import Foundation
import Tandem
import TestSupport
import Testing

@Model final class Attic {
  @Attribute(.unique) var code: String
  var size: Int
  var note: String?
  @Relationship(deleteRule: .cascade, inverse: \Trinket.attic) var trinkets: [Trinket] = []
  init(_ code: String, _ size: Int) {
    self.code = code
    self.size = size
  }
}

@Model final class Trinket {
  @Attribute(.unique) var code: String
  var size: Int
  var attic: Attic?
  @Relationship(inverse: \Motif.trinkets) var motifs: [Motif] = []
  init(_ code: String, _ size: Int) {
    self.code = code
    self.size = size
  }
}

@Model final class Motif {
  @Attribute(.unique) var code: String
  var size: Int
  var trinkets: [Trinket] = []
  init(_ code: String, _ size: Int) {
    self.code = code
    self.size = size
  }
}

/// Undo of inserts that a save made updates of records that were there.
struct ReplacedRecordUndoTests {
  private let types: [any PersistentModel.Type] = [Attic.self, Trinket.self, Motif.self]

  private func view(_ context: ModelContext) throws -> [String] {
    let attics = try context.fetch(FetchDescriptor<Attic>()).map {
      "\($0.code) \($0.size) \($0.note ?? "-") \($0.trinkets.map(\.code).sorted())"
    }
    let trinkets = try context.fetch(FetchDescriptor<Trinket>()).map {
      "\($0.code) \($0.size) in \($0.attic?.code ?? "-") \($0.motifs.map(\.code).sorted())"
    }
    let motifs = try context.fetch(FetchDescriptor<Motif>()).map {
      "\($0.code) \($0.size) \($0.trinkets.map(\.code).sorted())"
    }
    return (attics + trinkets + motifs).sorted()
  }

  @Test(arguments: [false, true])
  func `an undo gives a record back what it had before an insert replaced it`(isHeld: Bool) async throws {
    try await withContainer(for: types) { container in
      let first = ModelContext(container)
      let box = Trinket("box", 1)
      let attic = Attic("north", 5)
      attic.note = "dry"
      attic.trinkets = [box]
      first.insert(attic)
      try first.save()
      let before = try view(ModelContext(container))

      let context = isHeld ? first : ModelContext(container)
      let manager = UndoManager()
      context.undoManager = manager
      let again = Attic("north", 9)
      again.trinkets = [Trinket("jar", 2)]
      context.insert(again)
      try context.save()
      let after = try view(ModelContext(container))
      #expect(after == ["box 1 in north []", "jar 2 in north []", #"north 9 dry ["box", "jar"]"#])

      for _ in 0..<2 {
        manager.undo()
        try context.save()
        #expect(try view(ModelContext(container)) == before)
        manager.redo()
        try context.save()
        #expect(try view(ModelContext(container)) == after)
      }
    }
  }

  /// A change of stored objects in a save that brings objects with their unique values, too.
  private enum StoredChange: String, CaseIterable {
    case noMotifs, noTrinketsOfMotif, noAttic, noTrinketsOfAttic, values, otherAttic

    func apply(to box: Trinket, _ attic: Attic, _ star: Motif) {
      switch self {
      case .noMotifs: box.motifs = []
      case .noTrinketsOfMotif: star.trinkets = []
      case .noAttic: box.attic = nil
      case .noTrinketsOfAttic: attic.trinkets = []
      case .values: (box.size, attic.size, star.size) = (11, 12, 13)
      case .otherAttic: Attic("south", 3).trinkets = [box]
      }
    }
  }

  @Test(arguments: StoredChange.allCases, [false, true])
  private func `undo leads through two groups of one save, one of which brings taken values`(
    _ change: StoredChange, isLater: Bool
  ) async throws {
    try await withContainer(for: types) { container in
      let context = ModelContext(container)
      let (box, attic, star) = (Trinket("box", 1), Attic("north", 5), Motif("star", 2))
      attic.trinkets = [box]
      box.motifs = [star]
      context.insert(attic)
      try context.save()
      let before = try view(ModelContext(container))
      let manager = UndoManager()
      context.undoManager = manager
      manager.groupsByEvent = false

      func insert() {
        context.insert(Attic("north", 9))
        context.insert(Trinket("box", 8))
        context.insert(Motif("star", 7))
      }
      func group(_ body: () -> Void) {
        manager.beginUndoGrouping()
        body()
        manager.endUndoGrouping()
      }
      // What the change makes by itself.
      group { change.apply(to: box, attic, star) }
      try context.save()
      let changed = try view(ModelContext(container))
      manager.undo()
      try context.save()
      try #require(try view(ModelContext(container)) == before)

      if isLater { group(insert) }
      group { change.apply(to: box, attic, star) }
      if !isLater { group(insert) }
      try context.save()
      let after = try view(ModelContext(container))
      for _ in 0..<2 {
        manager.undo()
        try context.save()
        if !isLater { #expect(try view(ModelContext(container)) == changed, "\(change)") }
        manager.undo()
        try context.save()
        #expect(try view(ModelContext(container)) == before, "\(change)")
        manager.redo()
        manager.redo()
        try context.save()
        #expect(try view(ModelContext(container)) == after, "\(change)")
      }
    }
  }

  @Test func `undo and redo lead through the states that saves with inserts of taken values made`() async throws {
    var random = SeededGenerator.announced()
    try await withContainer(for: types) { container in
      try UndoWalk(view: view, edit: edit).run(in: container, &random)
    }
  }

  /// One change; most inserts take a value that is there.
  private func edit(_ context: ModelContext, _ random: inout SeededGenerator) throws {
    let attic = try context.fetch(FetchDescriptor<Attic>(sortBy: [.init(\.code)])).randomElement(using: &random)
    let trinkets = try context.fetch(FetchDescriptor<Trinket>(sortBy: [.init(\.code)]))
    let trinket = trinkets.randomElement(using: &random)
    let motif = try context.fetch(FetchDescriptor<Motif>(sortBy: [.init(\.code)])).randomElement(using: &random)
    let size = Int.random(in: 0..<1000, using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0:
      let graph = Attic("a\(size % 3)", size)
      let part = Trinket("t\(size % 4)", size)
      part.motifs = [Motif("m\(size % 5 % 3)", size)]
      graph.trinkets = [part]
      context.insert(graph)
    case 1:
      let other = Attic("a\(size % 3)", size)
      if let trinket { other.trinkets = [trinket] }
      context.insert(other)
    case 2:
      let other = Attic("a\(size % 3)", size)
      context.insert(other)
      trinket?.attic = other
    case 3: attic?.trinkets.append(Trinket("t\(size % 4)", size))
    case 4:
      let other = Motif("m\(size % 3)", size)
      context.insert(other)
      for trinket in trinkets { other.trinkets.append(trinket) }
    case 5: context.insert(Trinket("t\(size % 4)", size))
    case 6: if let trinket, trinket.attic != attic { trinket.attic = attic }
    case 7: if let trinket, let motif, !trinket.motifs.contains(motif) { trinket.motifs.append(motif) }
    case 8: if let attic { (attic.size, attic.note) = (-size - 1, "\(size)") }
    case 9: if let attic { context.delete(attic) }
    default: if let motif { context.delete(motif) }
    }
  }
}
