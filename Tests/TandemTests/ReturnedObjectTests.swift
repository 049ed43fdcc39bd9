import Tandem
import TestSupport
import Testing

@Model final class Perch {
  var name: String
  @Relationship(inverse: \Fledgling.perch) var fledglings: [Fledgling] = []
  /// Without an inverse.
  var visitors: [Fledgling] = []
  init(_ name: String) { self.name = name }
}

@Model final class Fledgling {
  var name: String
  var perch: Perch?
  init(_ name: String) { self.name = name }
}

@Model final class Telescope {
  var name = ""
  @Attribute(.ephemeral) var zoom: Double = 1
  init() {}
}

/// Objects that are taken back: by an insert after a delete, and by a rollback.
struct ReturnedObjectTests {
  private let types: [any PersistentModel.Type] = [Perch.self, Fledgling.self, Telescope.self]

  /// Its lists were empty, while their members and the store kept the links.
  @Test(arguments: [false, true], [false, true])
  func `a new object that was deleted and inserted again shows the members that refer to it`(
    areStored: Bool, undoes: Bool
  ) async throws {
    try await withContainer(for: types) { container in
      let context = ModelContext(container)
      if undoes { context.undoManager = UndoManager() }
      let (own, visitor) = (Fledgling("own"), Fledgling("visitor"))
      context.insert(own)
      context.insert(visitor)
      if areStored { try context.save() }
      let perch = Perch("p")
      context.insert(perch)
      own.perch = perch
      perch.visitors = [visitor]
      context.delete(perch)
      #expect(own.perch == nil)
      context.insert(perch)
      func view(_ perch: Perch) -> [[String]] {
        [perch.fledglings.map(\.name), perch.visitors.map(\.name), perch.fledglings.map { $0.perch?.name ?? "-" }]
      }
      #expect(view(perch) == [["own"], ["visitor"], ["p"]])
      try context.save()
      #expect(view(perch) == [["own"], ["visitor"], ["p"]])
      let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Perch>()).first)
      #expect(view(stored) == [["own"], ["visitor"], ["p"]])
    }
  }

  /// No record has it, so what there was before the change lay in the object alone.
  @Test func `a rollback gives a value that is not stored back also when another context has saved`() async throws {
    try await withContainer(for: types) { container in
      let (context, other) = (ModelContext(container), ModelContext(container))
      let telescope = Telescope()
      telescope.zoom = 4
      context.insert(telescope)
      try context.save()
      telescope.zoom = 5
      try #require(other.fetch(FetchDescriptor<Telescope>()).first).name = "x"
      try other.save()
      context.processPendingChanges()
      #expect(telescope.name == "x" && telescope.zoom == 5)
      context.rollback()
      #expect(telescope.zoom == 4)
    }
  }
}
