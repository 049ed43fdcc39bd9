import RecordStore
import TestSupport
import Testing

/// One row of a rule's table: saves on one store, and what it shows then, or why the last one is refused.
struct RuleCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    case shows([String])
    case refuses(StoreError.Code)
  }

  let title: String
  let saves: [String]
  let outcome: Outcome
  var testDescription: String { title }

  init(_ title: String, _ saves: [String], shows records: [String]) {
    (self.title, self.saves, outcome) = (title, saves, .shows(records))
  }

  init(_ title: String, _ saves: [String], refuses code: StoreError.Code) {
    (self.title, self.saves, outcome) = (title, saves, .refuses(code))
  }

  /// Runs the saves twice: once as ever, and once with a look of every rule at every record. Both must end alike, and
  /// the integrity check works the state out a third time.
  func run(
    schema: StoreSchema = .fixture, uniqueness: UniquenessPolicy = .upsert,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for savesPlainly in [true, false] {
      let temporary = try TemporaryStore(schema: schema, uniqueness: uniqueness) { $0.savesPlainly = savesPlainly }
      try run(on: temporary.store, sourceLocation)
      try temporary.check(sourceLocation: sourceLocation)
    }
  }

  private func run(on store: RecordStore, _ sourceLocation: SourceLocation) throws {
    let script = try RuleScript(store)
    for save in saves.dropLast() { _ = try store.commit(SaveRequest(changes: script.changes(save))) }
    guard let last = saves.last else { return }
    let request = SaveRequest(changes: script.changes(last))
    switch outcome {
    case .shows(let records):
      _ = try store.commit(request)
      #expect(try script.records(of: store) == records, sourceLocation: sourceLocation)
    case .refuses(let code):
      let before = try (script.records(of: store), store.read { try $0.lastTransactionNumber })
      let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try store.commit(request) }
      #expect(error?.code == code, sourceLocation: sourceLocation)
      let after = try (script.records(of: store), store.read { try $0.lastTransactionNumber })
      #expect(before == after, "a refused save changes nothing", sourceLocation: sourceLocation)
    }
  }
}
