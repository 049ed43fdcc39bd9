import Tandem
import TestSupport
import Testing

/// Random edits, undos and redos, each of them saved, which must lead through the states that the edits made.
struct UndoWalk {
  /// The state as a context has it.
  let view: (ModelContext) throws -> [String]
  /// Makes one change; others of the same save may have come before it.
  let edit: (ModelContext, inout SeededGenerator) throws -> Void

  func run(in container: ModelContainer, _ random: inout SeededGenerator) throws {
    let context = ModelContext(container)
    let manager = UndoManager()
    context.undoManager = manager
    var (past, future): ([[String]], [[String]]) = ([], [])
    var present: [String] = []
    for step in 0..<50 {
      let choice = Int.random(in: 0..<4, using: &random)
      if choice == 0, let state = past.popLast() {
        manager.undo()
        future.append(present)
        present = state
      } else if choice == 1, let state = future.popLast() {
        manager.redo()
        past.append(present)
        present = state
      } else {
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(context, &random) }
        let isUndoable = manager.groupingLevel > 0
        guard context.hasChanges else {
          // The group of changes that came to nothing is open still.
          if isUndoable {
            manager.undo()
            future = []
          }
          continue
        }
        try context.save()
        if isUndoable {
          (past, future) = (past + [present], [])
          present = try view(ModelContext(container))
        }
      }
      try context.save()
      let seen = try view(ModelContext(container))
      try #require(seen == present, "step \(step), seed \(random.seed)")
      try #require(try view(context) == seen, "the context, step \(step), seed \(random.seed)")
    }
  }
}
