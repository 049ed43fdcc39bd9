import LivePage
import RecordStore
import StoreInspection

/// The page's questions about what was saved, the newest first.
struct HistoryAnswers {
  private static let mostTransactions = 50
  /// As many changes of one transaction are shown; 'tandem history --changes' has all.
  private static let mostChanges = 100

  let stores: ServedStores

  var routes: [PageRoute] { [PageRoute("history") { try history(PageQuestion(json: $0)) }] }

  private func history(_ question: PageQuestion) throws -> JSON {
    let before = try question.numberIfGiven("before")
    return try stores.store(question.text("store")).read { snapshot in
      let last = try snapshot.lastTransactionNumber
      let first = try snapshot.firstReadableNumber
      let end = min(before ?? .max, last + 1)
      let (found, reached) = try transactions(before: end, from: first, in: snapshot)
      let values = try ChangedValues(of: found, in: snapshot)
      var cells = CellJSON()
      var entries: [JSON] = []
      for transaction in found.reversed() { entries.append(try json(transaction, values, &cells, in: snapshot)) }
      return [
        "transactions": .array(entries), "next": reached > first ? .integer(reached) : .null,
        "trimmed": .integer(first - min(first, 1)),
      ]
    }
  }

  /// The last transactions before a number, oldest first, and the number of the first that was looked at. Numbers of
  /// transactions that readers were told to forget are passed over.
  private func transactions(
    before end: UInt64, from first: UInt64, in snapshot: borrowing StoreSnapshot
  ) throws -> ([HistoryTransaction], UInt64) {
    var start = end
    var found: [HistoryTransaction] = []
    while found.count < HistoryAnswers.mostTransactions, start > first {
      let next = max(first, start - min(start, UInt64(HistoryAnswers.mostTransactions - found.count)))
      found = try snapshot.history(after: next - 1, limit: Int(start - next)).filter { $0.number < start } + found
      start = next
    }
    return (found, start)
  }

  private func json(
    _ transaction: HistoryTransaction, _ values: ChangedValues, _ cells: inout CellJSON,
    in snapshot: borrowing StoreSnapshot
  ) throws -> JSON {
    let text = HistoryText(transaction: transaction, catalogue: snapshot.catalogue)
    var changes: [JSON] = []
    for change in transaction.changes.prefix(HistoryAnswers.mostChanges) {
      let pairs = change.fields.map { (ordinal: $0, pair: values.pair($0, of: change, in: transaction)) }
      changes.append(try json(change, pairs, &cells, in: snapshot))
    }
    return .members([
      "number": .integer(transaction.number), "committedAt": .string(DateText.display(transaction.committedAt)),
      "process": .string(transaction.processName), "processIdentifier": .integer(transaction.processIdentifier),
      "author": transaction.author.map { .string($0) },
      "replica": transaction.isMerge ? .string(transaction.dot.replica.description) : nil,
      "summary": .string(text.summary), "changes": .array(changes),
      "more": .integer(max(0, transaction.changes.count - HistoryAnswers.mostChanges)),
    ])
  }

  /// With old and new values as far as they are known, or what was kept of a record that is gone.
  private func json(
    _ change: HistoryChange, _ pairs: [(ordinal: Int, pair: ChangedValues.Pair?)], _ cells: inout CellJSON,
    in snapshot: borrowing StoreSnapshot
  ) throws -> JSON {
    let text = ChangeText(change: change, catalogue: snapshot.catalogue)
    guard snapshot.catalogue.entities.indices.contains(change.entity) else { return text.json }
    let entity = snapshot.catalogue.entities[change.entity]
    let kept = change.kind == .delete ? change.preserved.map { ($0.ordinal, ChangedValues.Pair(old: $0.value)) } : []
    var values: [JSON] = []
    for (ordinal, pair) in pairs + kept where entity.fields.indices.contains(ordinal) {
      let field = entity.fields[ordinal]
      values.append(
        .members([
          "field": .string(field.name), "old": try pair?.old.map { try cells.cell($0, field, in: snapshot) },
          "new": try pair?.new.map { try cells.cell($0, field, in: snapshot) },
        ]))
    }
    let record = entity.isJoin ? nil : try snapshot.image(change.id, of: change.entity)
    let name = record.flatMap { RecordName.text(of: $0, in: snapshot.catalogue) }
    return text.json.adding("name", name.map { .string($0) } ?? .null).adding("isThere", .bool(record != nil))
      .adding("values", .array(values))
  }
}
