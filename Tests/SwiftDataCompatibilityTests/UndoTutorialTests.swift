import Foundation
import SwiftData
import Testing

// Undo, rollback, transactions and what a context knows of itself.

@Model
final class Drawing {
  var title: String
  var strokes: Int
  @Relationship(deleteRule: .cascade, inverse: \Layer.sketch) var layers: [Layer] = []

  init(title: String, strokes: Int = 0) {
    self.title = title
    self.strokes = strokes
  }
}

@Model
final class Layer {
  var name: String
  var sketch: Drawing?

  init(name: String) { self.name = name }
}

private struct EditCancelled: Error {}

@MainActor
struct UndoTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }
  private let sketch = Drawing(title: "Tree")

  init() throws {
    container = try ModelContainer(
      for: Drawing.self, Layer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context.autosaveEnabled = false
    context.insert(sketch)
    sketch.layers = [Layer(name: "ink"), Layer(name: "paper")]
    try context.save()
  }

  private var layerNames: [String] { sketch.layers.map(\.name).sorted() }

  @Test func `an edit is undone and done again`() {
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
    undoManager.beginUndoGrouping()
    sketch.title = "Oak"
    sketch.strokes = 5
    context.processPendingChanges()
    undoManager.endUndoGrouping()
    #expect(undoManager.canUndo && !undoManager.canRedo)
    undoManager.undo()
    #expect(sketch.title == "Tree" && sketch.strokes == 0)
    #expect(undoManager.canRedo)
    undoManager.redo()
    #expect(sketch.title == "Oak" && sketch.strokes == 5)
  }

  @Test func `a delete is undone with the parts it took along`() throws {
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
    undoManager.beginUndoGrouping()
    context.delete(sketch)
    context.processPendingChanges()
    undoManager.endUndoGrouping()
    #expect(try context.fetchCount(FetchDescriptor<Drawing>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Layer>()) == 0)
    undoManager.undo()
    let back = try #require(try context.fetch(FetchDescriptor<Drawing>()).first)
    #expect(back.title == "Tree")
    #expect(back.layers.map(\.name).sorted() == ["ink", "paper"])
    #expect(try context.fetchCount(FetchDescriptor<Layer>()) == 2)
  }

  @Test func `cancel rolls back what a sheet changed`() throws {
    sketch.title = "Oak"
    sketch.layers.append(Layer(name: "draft"))
    context.insert(Drawing(title: "New"))
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(sketch.title == "Tree" && layerNames == ["ink", "paper"])
    #expect(try context.fetch(FetchDescriptor<Drawing>()).map(\.title) == ["Tree"])
  }

  @Test func `an editor has a context of its own`() throws {
    let editing = ModelContext(container)
    editing.autosaveEnabled = false
    let draft = try #require(editing.model(for: sketch.persistentModelID) as? Drawing)
    draft.title = "Draft"
    #expect(sketch.title == "Tree" && draft !== sketch)
    try editing.save()
    #expect(try context.fetch(FetchDescriptor<Drawing>()).map(\.title) == ["Draft"])
    draft.title = "Never saved"
    editing.rollback()
    #expect(draft.title == "Draft")
  }

  @Test func `a transaction is saved whole`() throws {
    try context.transaction {
      sketch.strokes += 1
      context.insert(Drawing(title: "Second"))
    }
    #expect(!context.hasChanges)
    let saved = try ModelContext(container).fetch(FetchDescriptor<Drawing>(sortBy: [SortDescriptor(\.title)]))
    #expect(saved.map(\.title) == ["Second", "Tree"] && saved.map(\.strokes) == [0, 1])
  }

  @Test func `a transaction that throws saves nothing`() throws {
    #expect(throws: EditCancelled.self) {
      try context.transaction {
        sketch.strokes = 99
        throw EditCancelled()
      }
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Drawing>()).map(\.strokes) == [0])
  }

  @Test func `a context lists what waits for the save`() throws {
    let ink = try #require(sketch.layers.first { $0.name == "ink" })
    let added = Drawing(title: "Added")
    context.insert(added)
    sketch.strokes = 3
    context.delete(ink)
    #expect(context.insertedModelsArray.map(\.persistentModelID) == [added.persistentModelID])
    #expect(context.changedModelsArray.contains { $0.persistentModelID == sketch.persistentModelID })
    #expect(context.deletedModelsArray.map(\.persistentModelID) == [ink.persistentModelID])
    #expect(sketch.hasChanges && ink.isDeleted && !added.isDeleted)
    try context.save()
    #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty && !sketch.hasChanges)
    #expect(layerNames == ["paper"])
  }

  @Test func `an object that is not inserted belongs to nobody`() throws {
    let loose = Drawing(title: "Loose")
    #expect(loose.modelContext == nil)
    context.insert(loose)
    #expect(loose.modelContext === context)
    context.delete(loose)
    try context.save()
    #expect(loose.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Drawing>()) == 1)
    sketch.modelContext?.delete(sketch)
    try sketch.modelContext?.save()
    #expect(try context.fetchCount(FetchDescriptor<Layer>()) == 0)
  }
}
