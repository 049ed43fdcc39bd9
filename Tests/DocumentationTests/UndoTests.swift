import Tandem
import Testing

#if canImport(Darwin)
  import Foundation
#endif

/// The code of the article Undo.
struct UndoArticleTests {
  @Test func `changes are taken back as the article tells`() async throws {
    try await withContainer(for: Expense.self) { container in
      let context = ModelContext(container)

      let manager = UndoManager()
      context.undoManager = manager

      let expense = Expense(shop: "Bakery", amount: 4)
      context.insert(expense)
      expense.amount = 5
      try context.save()

      manager.undo()
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Expense>()) == 0)
      manager.redo()
      #expect(try context.fetch(FetchDescriptor<Expense>()).map(\.amount) == [5])

      manager.beginUndoGrouping()
      expense.amount = 6
      expense.category = "Food"
      manager.setActionName("Edit Expense")
      manager.endUndoGrouping()
      print(manager.undoMenuItemTitle)
      #expect(manager.undoMenuItemTitle == "Undo Edit Expense")
      manager.undo()
      #expect(expense.amount == 5 && expense.category == nil)

      manager.disableUndoRegistration()
      context.insert(Expense(shop: "Imported", amount: 1))
      manager.enableUndoRegistration()
      #expect(manager.canRedo)

      manager.levelsOfUndo = 50
      try context.save()
    }
  }
}
