import Foundation
import Tandem
import Testing

/// The code of the article History.
struct HistoryArticleTests {
  @Test func `history tells what the others did since the token`() async throws {
    try await withContainer(for: Trip.self) { container in
      let other = ModelContext(container)
      let trip = Trip(code: "A1")
      other.insert(trip)
      other.insert(Trip(code: "A2"))
      try other.save()
      let reader = Reader()
      try reader.read(ModelContext(container))
      #expect(reader.shown.count == 2)

      trip.name = "Alps"
      try other.save()
      other.delete(trip)
      try other.save()
      try reader.read(ModelContext(container))
      #expect(reader.shown.count == 2 && reader.renamed == 1 && reader.forgotten == ["A1"])
    }
  }
}

/// What an app shows of a history.
private final class Reader {
  var last: DefaultHistoryToken?
  var shown: [PersistentIdentifier] = []
  var renamed = 0
  var forgotten: [String?] = []

  private func show(_ id: PersistentIdentifier) { shown.append(id) }
  private func rename(_ update: DefaultHistoryUpdate<Trip>) { renamed += 1 }
  private func forget(_ code: String?) { forgotten.append(code) }

  func read(_ context: ModelContext) throws {
    context.author = "editor"
    try context.save()

    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let last { descriptor.predicate = #Predicate { $0.token > last && $0.author != "editor" } }
    for transaction in try context.fetchHistory(descriptor) {
      for change in transaction.changes {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Trip>): show(insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Trip>) where update.containsAttribute(\.name): rename(update)
        case .delete(let delete as DefaultHistoryDelete<Trip>): forget(delete.tombstone[\.code] as? String)
        default: break
        }
      }
      last = transaction.token
    }
  }
}
