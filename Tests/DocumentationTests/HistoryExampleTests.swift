import Foundation
import Tandem
import Testing

/// The code in the comments of history.
struct HistoryExampleTests {
  /// A trip that is inserted, renamed and deleted, each in a transaction.
  private func withHistory(_ body: (ModelContext, [DefaultHistoryTransaction]) throws -> Void) async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      context.author = "editor"
      let trip = Trip(code: "A1")
      context.insert(trip)
      try context.save()
      trip.name = "Alps"
      try context.save()
      context.delete(trip)
      try context.save()
      try body(context, try context.fetchHistory(HistoryDescriptor()))
    }
  }

  @Test func `a change says what became of an object`() async throws {
    try await withHistory { _, transactions in
      var shown: [PersistentIdentifier] = []
      var forgotten: [String?] = []
      var renamed = 0
      func show(_ id: PersistentIdentifier) { shown.append(id) }
      func rename(_ id: PersistentIdentifier) { renamed += 1 }
      func forget(_ code: String?) { forgotten.append(code) }
      for change in transactions.flatMap(\.changes) {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Trip>): show(insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Trip>) where update.containsAttribute(\.name):
          rename(update.changedPersistentIdentifier)
        case .delete(let delete as DefaultHistoryDelete<Trip>): forget(delete.tombstone[\.code] as? String)
        default: break
        }
      }
      #expect(shown.count == 1 && renamed == 1 && forgotten == ["A1"])
    }
  }

  @Test func `changes of any class are told in a line each`() async throws {
    try await withHistory { _, transactions in
      func line(_ insert: some HistoryInsert) -> String { "+ \(insert.changedPersistentIdentifier.entityName)" }
      func line(_ update: some HistoryUpdate) -> String { "~ \(update.updatedAttributes.count) properties" }
      func line(_ delete: some HistoryDelete) -> String { "- with \(Array(delete.tombstone).count) last values" }
      let lines = transactions.flatMap(\.changes).map { change in
        switch change {
        case .insert(let insert): line(insert)
        case .update(let update): line(update)
        case .delete(let delete): line(delete)
        }
      }
      #expect(lines == ["+ Trip", "~ 1 properties", "- with 1 last values"])
    }
  }

  @Test func `a tombstone gives the last values`() async throws {
    try await withHistory { _, transactions in
      guard case .delete(let delete as DefaultHistoryDelete<Trip>)? = transactions.last?.changes.first else {
        Issue.record("The last change is a delete.")
        return
      }
      let tombstone: HistoryTombstone<Trip> = delete.tombstone
      let code = tombstone[\.code] as? String
      for (property, value) in tombstone { print(property, value) }
      #expect(code == "A1")
    }
  }

  @Test func `a token is kept, and finds what came after it`() async throws {
    try await withHistory { context, transactions in
      func encoded(_ token: some HistoryToken) throws -> Data { try JSONEncoder().encode(token) }
      let kept = try encoded(transactions[0].token)
      let last = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
      let news = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
      #expect(news.map(\.transactionIdentifier) == transactions.dropFirst().map(\.transactionIdentifier))
      try read(context)
    }
  }

  private func read(_ context: ModelContext) throws {
    let last: DefaultHistoryToken? = nil
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let last { descriptor.predicate = #Predicate { $0.token > last && $0.author != "import" } }
    let news = try context.fetchHistory(descriptor)
    #expect(news.count == 3)
  }

  @Test func `a transaction and a store with a history are told in a line`() async throws {
    try await withFolder { folder in
      let configuration = ModelConfiguration(
        schema: Schema([Receipt.self]), url: folder.appending(path: "receipts.store"))
      let container = try ModelContainer(for: Receipt.self, configurations: configuration)
      let context = ModelContext(container)
      context.author = "editor"
      context.insert(Receipt(number: 1, shop: "Bakery", amount: 4))
      try context.save()

      func line(_ transaction: some HistoryTransaction) -> String {
        "\(transaction.transactionIdentifier) by \(transaction.author ?? "the app"): \(transaction.changes.count)"
      }
      func lines(of store: some HistoryProviding) throws -> [String] {
        try store.fetchHistory(HistoryDescriptor()).map { line($0) }
      }

      let store = try DefaultStore(configuration, migrationPlan: nil)
      let state = context.editingState
      let all = try store.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<Receipt>(), editingState: state))
      try store.delete(
        DataStoreBatchDeleteRequest<Receipt>(predicate: #Predicate { $0.amount < 5 }, editingState: state))
      #expect(all.fetchedSnapshots.count == 1)
      #expect(try lines(of: store) == ["1 by editor: 1", "2 by editor: 1"])
    }
  }
}
