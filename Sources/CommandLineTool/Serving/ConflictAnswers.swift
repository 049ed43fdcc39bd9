import LivePage
import RecordStore
import RecordSync
import StoreInspection

/// The page's questions about what lost when devices were made equal.
struct ConflictAnswers {
  let stores: ServedStores
  let author: String?

  var routes: [PageRoute] {
    [
      PageRoute("conflicts") { try list(PageQuestion(json: $0)) },
      PageRoute("restore", .writing) { try restore(PageQuestion(json: $0)) },
    ]
  }

  /// The newest first, as a person looks for them.
  private func list(_ question: PageQuestion) throws -> JSON {
    let store = try stores.store(question.text("store")).reader()
    let texts = try ConflictLog(store: store).details().reversed().map { try ConflictText($0, in: store) }
    return [
      "conflicts": .array(texts.map(\.pageJSON)), "days": .integer(ConflictLog.retentionDays),
    ]
  }

  private func restore(_ question: PageQuestion) throws -> JSON {
    let id = try question.text("id")
    let store = try RecordStore.open(stores.store(question.text("store")).configuration(isReadOnly: false))
    let result = try ConflictLog(store: store).restore(id, author: author)
    return ["restored": .string(id), "transaction": .integer(result.number)]
  }
}

extension ConflictText {
  /// The form of `tandem conflicts list --json`, with the sentences for a person beside it.
  fileprivate var pageJSON: JSON {
    json.adding("title", .string(title)).adding("subject", .string(record))
      .adding("explanation", .string(explanation)).adding("remedy", .string(remedy)).adding("sides", sides)
  }
}
