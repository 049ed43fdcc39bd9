import Tandem
import TestSupport
import Testing

@Model class Utensil {
  @Attribute(.unique) var name: String
  init(_ name: String) { self.name = name }
}

@Model final class Grater: Utensil {
  var parts: [Screw] = []
  var rows = 1
  override init(_ name: String) { super.init(name) }
}

@Model final class Whisk: Utensil {
  var label = "none"
  var speed = 1
  override init(_ name: String) { super.init(name) }
}

@Model final class Screw {
  var number: Int
  init(_ number: Int) { self.number = number }
}

/// Undo of inserts over stored records whose class is another one of the hierarchy.
struct HierarchyUndoTests {
  private let types: [any PersistentModel.Type] = [Utensil.self, Grater.self, Whisk.self, Screw.self]

  /// The save ended the process: it asked the object of the root for a list that only the subclass has.
  @Test func `an insert of the root over a record of a subclass is saved and undone`() async throws {
    try await withContainer(for: types) { container in
      let context = ModelContext(container)
      context.undoManager = UndoManager()
      let grater = Grater("a")
      grater.parts = [Screw(1)]
      context.insert(grater)
      try context.save()
      context.insert(Utensil("a"))
      try context.save()
      context.undoManager?.undo()
      try context.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Grater>())
      #expect(stored.map(\.name) == ["a"] && stored.first?.parts.map(\.number) == [1])
    }
  }

  @Test(arguments: [false, true])
  func `an insert of a sibling class over a record keeps its values`(undoes: Bool) async throws {
    try await withContainer(for: types) { container in
      let context = ModelContext(container)
      if undoes { context.undoManager = UndoManager() }
      context.insert(Grater("a"))
      try context.save()
      let whisk = Whisk("a")
      whisk.label = "mine"
      whisk.speed = 9
      context.insert(whisk)
      try context.save()
      let found = try ModelContext(container).fetch(FetchDescriptor<Whisk>()).map { "\($0.label) \($0.speed)" }
      #expect(found == ["mine 9"])
    }
  }
}
