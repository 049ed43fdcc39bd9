import LivePage
import RecordStore
import StoreInspection

/// The page's edits: those of `tandem insert`, `edit`, `delete` and `conflicts restore`, with the same rules.
struct EditAnswers {
  /// The names of so many records are shown before they are deleted.
  private static let mostNames = 100

  let stores: ServedStores
  let author: String?

  var routes: [PageRoute] {
    [
      PageRoute("insert", .writing) { try insert(PageQuestion(json: $0)) },
      PageRoute("edit", .writing) { try edit(PageQuestion(json: $0)) },
      PageRoute("delete", .writing) { try delete(PageQuestion(json: $0)) },
    ]
  }

  /// History keeps what such an edit changed: it is made by hand, and a person may want the old value back.
  private func session(_ question: PageQuestion) throws -> EditSession {
    var configuration = try stores.store(question.text("store")).configuration(isReadOnly: false)
    configuration.keepsChangedValues = true
    return try EditSession(configuration, author: author)
  }

  private func insert(_ question: PageQuestion) throws -> JSON {
    let name = try question.text("entity")
    let (outcome, id) = try session(question).insert(name, question.statements())
    return outcome.json(entity: name, id: id)
  }

  private func edit(_ question: PageQuestion) throws -> JSON {
    let (outcome, entity, id) = try session(question).edit(question.id(), question.statements())
    return outcome.json(entity: entity, id: id)
  }

  /// With `dryRun` it says what would go. A person is asked in the page, where `tandem delete` asks on the terminal.
  private func delete(_ question: PageQuestion) throws -> JSON {
    let session = try session(question)
    let changes = try session.deletions(of: [question.id()])
    guard question.isSet("dryRun") else { return answer(try session.commit { _ in (changes, ()) }.0, names: []) }
    let preview = try session.preview(changes)
    return answer(preview, names: try session.read { try preview.deletedNames(in: $0) })
  }

  private func answer(_ outcome: EditOutcome, names: [String]) -> JSON {
    [
      "deleted": .integer(outcome.deletedCount),
      "summary": .string(outcome.deletions + (outcome.updates.map { ", \($0) changed" } ?? "")),
      "names": .array(names.prefix(EditAnswers.mostNames).map { .string($0) }),
    ]
  }
}
