import Foundation
import Tandem
import TestSupport
import Testing

/// A main context that saves by itself.
@MainActor struct AutosaveDifferentialTests {
  /// Waits for the main actor's next turn.
  private func turn() async { await Task { @MainActor in }.value }

  private func withMainContext(_ body: @MainActor (ModelContext) async throws -> Void) async throws {
    try await withContainer(for: Office.types) { container in
      container.mainContext.autosaveEnabled = true
      try await body(container.mainContext)
    }
  }

  /// Random histories: a fetch before the turn gives what it gives after it, in every context.
  @Test func `what a turn leaves is what a fetch before it gave`() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<(TestLength.isLong ? 1_000 : 4) {
      var drawn = OfficeSteps(SeededGenerator(seed: random.next()), .nothing)
      do {
        try await withMainContext { context in
          let history = try OfficeHistory(context)
          for _ in 0..<80 { try await history.takeTurn(history.draw(&drawn)) }
        }
      } catch let failure as OfficeFailure {
        let shortest = try await failure.shortest { try await replay($0) }
        Issue.record("seed \(random.seed)\n\(shortest.text)")
        return
      }
    }
  }

  private func replay(_ steps: [OfficeStep]) async throws -> OfficeFailure? {
    do {
      try await withMainContext { context in
        let history = try OfficeHistory(context)
        for step in steps { try await history.takeTurn(step) }
      }
    } catch let failure as OfficeFailure {
      return failure
    }
    return nil
  }

  /// Only inserts and deletes were saved.
  @Test func `a set property is saved at the next turn`() async throws {
    try await withMainContext { context in
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      await turn()
      #expect(!context.hasChanges)
      worker.name = "renamed"
      await turn()
      #expect(!context.hasChanges)
      let saved = try ModelContext(context.container).fetch(FetchDescriptor<Office.Worker>())
      #expect(saved.map(\.name) == ["renamed"])
    }
  }

  /// Nothing was saved any more until the app asked for something that can throw.
  @Test func `a change after a refused autosave is saved, and the refusal reported`() async throws {
    try await withMainContext { context in
      let owner = Office.Firm(name: "firm", archive: Office.Archive(name: "archive"))
      let contract = Office.Contract(name: "contract", firm: owner)
      context.insert(contract)
      await turn()
      context.delete(owner)
      contract.name = "renamed"
      await turn()
      #expect(context.hasChanges)
      contract.firm = Office.Firm(name: "other", archive: Office.Archive(name: "of the other"))
      await turn()
      #expect(!context.hasChanges)
      expectError(.deleteDenied) { try context.save() }
      let firms = try context.fetch(FetchDescriptor<Office.Firm>())
      #expect(firms.map(\.name) == ["other"])
    }
  }

  @Test func `what was changed before is saved once a context saves by itself, and no more once it does not`()
    async throws
  {
    try await withMainContext { context in
      context.autosaveEnabled = false
      context.insert(Office.Worker(name: "worker"))
      await turn()
      #expect(context.hasChanges)
      context.autosaveEnabled = true
      context.autosaveEnabled = false
      await turn()
      #expect(context.hasChanges)
      context.autosaveEnabled = true
      await turn()
      #expect(!context.hasChanges)
    }
  }
}
