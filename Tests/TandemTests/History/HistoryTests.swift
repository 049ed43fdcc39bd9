import Foundation
import HelperProcess
import RecordStore
import Synchronization
import Tandem
import Testing

struct HistoryTests {
  private func note(_ text: String, _ context: ModelContext) throws -> Note {
    let note = Note(text: text)
    context.insert(note)
    try context.save()
    return note
  }

  private func history(
    _ context: ModelContext, after token: DefaultHistoryToken? = nil
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try context.fetchHistory(descriptor)
  }

  @Test func `a token leads to what came after it, also when it was encoded and in a container opened later`()
    async throws
  {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      _ = try note("a", context)
      let first = try history(context)
      let token = try #require(first.last?.token)
      #expect(token.tokenValue == [first[0].storeIdentifier: 1])
      #expect(try history(context, after: token).isEmpty)
      let encoded = try JSONEncoder().encode(token)

      _ = try note("b", context)
      let second = ModelContext(try reopened(container))
      let decoded = try JSONDecoder().decode(DefaultHistoryToken.self, from: encoded)
      #expect(decoded == token && decoded.id == token.id)
      let news = try history(second, after: decoded)
      #expect(news.count == 1)
      #expect(news.allSatisfy { $0.token > decoded && $0.id == 2 })
    }
  }

  @Test func `a token of deleted history, and one of a store that was erased, have expired`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      for text in ["a", "b", "c", "d"] { _ = try note(text, context) }
      let all = try history(context)
      let (first, third, newest) = (all[0].token, all[2].token, all[3].token)
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= third }))
      #expect(try history(context).map(\.id) == [4])
      #expect(try history(context, after: third).map(\.id) == [4])
      #expect { try self.history(context, after: first) } throws: { SwiftDataError.historyTokenExpired ~= $0 }
      #expect(try history(ModelContext(try reopened(container))).map(\.id) == [4])

      try container.erase()
      #expect { try self.history(context, after: newest) } throws: { SwiftDataError.historyTokenExpired ~= $0 }
      #expect(try history(context).isEmpty)
    }
  }

  // A container reads no transactions in which nothing of its classes changed, and so passed over them when it deleted
  // what lay around them: those of processes with more classes went, whoever had made them.
  @Test func `transactions that a container does not show stay where others are deleted`() async throws {
    try await withContainer(for: [Note.self, Errand.self]) { container in
      let app = ModelContext(container)
      app.author = "app"
      let widget = ModelContext(
        try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: container.store.url)))
      widget.author = "widget"
      _ = try note("1", widget)
      let first = try #require(try history(app).first?.token)
      app.insert(Errand(text: "2"))
      try app.save()
      _ = try note("3", widget)
      #expect(try history(widget).map(\.id) == [1, 3])
      try widget.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "widget" }))
      #expect(try history(app).map(\.id) == [2])
      #expect(try history(app, after: first).map(\.id) == [2], "the token is good as long as what follows it is there")
      try widget.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(try history(app).isEmpty)
    }
  }

  @Test func `deleted history is out of sight, and what devices still need stays in the store`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      for author in ["import", "import", "person", "import"] {
        context.author = author
        _ = try note(author, context)
      }
      let imports = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "import" })
      var one = imports
      one.fetchLimit = 1
      try context.deleteHistory(one)
      #expect(try history(context).map(\.id) == [2, 3, 4])
      try context.deleteHistory(imports)
      #expect(try history(context).map(\.id) == [3])
      // Deleting again, or less, brings nothing back.
      try context.deleteHistory(one)
      #expect(try history(context).map(\.id) == [3])
      var outgoing = 0
      try container.store.read { snapshot throws in
        try snapshot.forEachOutgoing(after: 0) { _ in
          outgoing += 1
          return true
        }
      }
      #expect(outgoing == 4)
    }
  }

  @Test func `changes name class, properties and preserved values`() async throws {
    try await withContainer(for: [Note.self, Trip.self]) { container in
      let context = ModelContext(container)
      let first = try note("a", context)
      let trip = Trip(code: "1")
      context.insert(trip)
      try context.save()
      first.number = 7
      try context.save()
      context.delete(first)
      try context.save()
      let changes = try history(context).map(\.changes)
      guard case .insert(let insert as DefaultHistoryInsert<Note>) = changes[0][0],
        case .insert(_ as DefaultHistoryInsert<Trip>) = changes[1][0],
        case .update(let update as DefaultHistoryUpdate<Note>) = changes[2][0],
        case .delete(let delete as DefaultHistoryDelete<Note>) = changes[3][0]
      else {
        Issue.record("wrong kinds: \(changes)")
        return
      }
      #expect(insert.changedPersistentIdentifier == first.persistentModelID)
      #expect(update.containsAttribute(\.number) && !update.containsAttribute(\.text))
      #expect(update.updatedAttributes.count == 1 && update.oldValues == nil)
      #expect(delete.tombstone[\.text] as? String == "a")
      #expect(delete.tombstone[\.number] == nil && Array(delete.tombstone).count == 1)
      #expect(delete.transactionIdentifier == 4)
    }
  }

  @Test func `old and new values are kept on request, of references as identifiers, also of a merge`() async throws {
    try await withContainer(configure: { $0.keepsChangedValues = true }) { container in
      let context = ModelContext(container)
      let (one, two) = (Trip(code: "1", name: "old"), Trip(code: "2"))
      let stop = Stop(place: "x", trip: one)
      for model in [one, two] { context.insert(model) }
      context.insert(stop)
      try context.save()
      one.name = "new"
      one.price = 3
      stop.trip = two
      try context.save()
      stop.trip = nil
      try context.save()
      let changes = try history(context).map(\.changes)
      let update = try #require(updates(of: Trip.self, changes[1]).first)
      #expect(update.oldValues?[\.name] as? String == "old")
      #expect(update.newValues?[\.name] as? String == "new")
      #expect(update.newValues?[\.price] as? Decimal == 3)
      let moved = try #require(updates(of: Stop.self, changes[1]).first)
      #expect(moved.oldValues?[\.trip] as? PersistentIdentifier == one.persistentModelID)
      #expect(moved.newValues?[\.trip] as? PersistentIdentifier == two.persistentModelID)
      let cleared = try #require(updates(of: Stop.self, changes[2]).first)
      #expect(cleared.oldValues?[\.trip] != nil && cleared.newValues?[\.trip] == nil)

      try await withContainer { other in
        try other.store.adopt(storeID: container.store.storeID)
        try merge(container, into: other)
        let there = ModelContext(other)
        try #require(try there.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)])).first).name = "there"
        try there.save()
        try merge(other, into: container)
        let last = try #require(try history(context).last)
        #expect(last.origin == .merge)
        #expect(last.mergedReplica == (try replicaName(other)))
        let merged = try #require(updates(of: Trip.self, last.changes).first)
        #expect(merged.oldValues?[\.name] as? String == "new" && merged.newValues?[\.name] as? String == "there")
      }
    }
  }

  private func updates<M: PersistentModel>(
    of type: M.Type, _ changes: [Tandem.HistoryChange]
  ) -> [DefaultHistoryUpdate<M>] {
    changes.compactMap { change in
      guard case .update(let update as DefaultHistoryUpdate<M>) = change else { return nil }
      return update
    }
  }

  private func replicaName(_ container: ModelContainer) throws -> String {
    try container.store.read { try $0.replica }.description
  }

  @Test func `another process is named with its author`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let helper = try otherProcess(container, author: "Olena")
      try helper.carryOut("add hello")
      let transaction = try #require(try history(ModelContext(container)).last)
      #expect(transaction.author == "Olena" && transaction.origin == .otherProcess)
      #expect(transaction.processIdentifier == "\(helper.processID)")
      #expect(transaction.bundleIdentifier == "model-test-helper")
      #expect(try helper.finish() == 0)
    }
  }

  @Test func `several stores make one history, whose tokens reach into each of them`() async throws {
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true)
    let trips = ModelConfiguration("trips", isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema([Note.self, Trip.self]), configurations: [notes, trips])
    let context = ModelContext(container)
    _ = try note("a", context)
    let start = try #require(try history(context).last?.token)
    context.insert(Trip(code: "1"))
    try context.save()
    _ = try note("b", context)
    let news = try history(context, after: start)
    // Both may have been made in one millisecond: then either may come first.
    #expect(news.map { $0.changes[0].changedPersistentIdentifier.entityName }.sorted() == ["Note", "Trip"])
    let end = try #require(news.last?.token)
    #expect(end.tokenValue?.values.sorted() == [1, 2])
    #expect(start < news[0].token && news[0].token < end)
    #expect(try history(context, after: end).isEmpty)
    #expect(try history(context, after: news[0].token).count == 1)
  }

  /// The token was that of one of them, after which the transaction of the other one was news.
  @Test func `the token of a save in several stores reaches into each of them`() throws {
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true)
    let trips = ModelConfiguration("trips", isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema([Note.self, Trip.self]), configurations: [notes, trips])
    let context = ModelContext(container)
    let posted = Mutex<DefaultHistoryToken?>(nil)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notice in
      let key = ModelContext.NotificationKey.queryGeneration.rawValue
      let token = notice.userInfo?[key] as? DefaultHistoryToken
      posted.withLock { $0 = token }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Trip(code: "1"))
    _ = try note("a", context)
    let last = posted.withLock(\.self)
    let token = try #require(last)
    #expect(token.tokenValue?.values.sorted() == [1, 1])
    #expect(try history(context, after: token).isEmpty)
  }

  /// Tokens of several stores were compared by their sum, in which the store whose history was gone did not count: what
  /// came after the token looked as if it came before.
  @Test func `processed history of several stores is deleted, and nothing behind it`() async throws {
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true)
    let trips = ModelConfiguration("trips", isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema([Note.self, Trip.self]), configurations: [notes, trips])
    let context = ModelContext(container)
    func deleteHistory(through token: DefaultHistoryToken) throws {
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    }
    for code in ["1", "2", "3"] {
      context.insert(Trip(code: code))
      try context.save()
    }
    _ = try note("a", context)
    let first = try #require(try history(context).last?.token)
    try deleteHistory(through: first)
    for text in ["b", "c"] { _ = try note(text, context) }
    let news = try history(context, after: first)
    #expect(news.count == 2)
    try deleteHistory(through: news[0].token)
    #expect(try history(context).map(\.id) == [news[1].id])
    #expect(try history(context, after: news[0].token).map(\.id) == [news[1].id])
  }

  @Test func `a token before the sign is read from, too`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      for text in ["a", "b", "c"] { _ = try note(text, context) }
      let all = try history(context)
      let (first, second) = (all[0].token, all[1].token)
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
      let after = { (token: DefaultHistoryToken) in
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { token < $0.token })
      }
      #expect(try context.fetchHistory(after(second)).map(\.id) == [3])
      #expect { try context.fetchHistory(after(first)) } throws: { SwiftDataError.historyTokenExpired ~= $0 }
    }
  }

  @Test func `a transaction of a type that no store has is refused`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      #expect {
        _ = try context.fetchHistory(HistoryDescriptor<StrangeTransaction>())
      } throws: {
        SwiftDataError.invalidTransactionFetchRequest ~= $0
      }
    }
  }

  private struct StrangeTransaction: Tandem.HistoryTransaction {
    var author: String?
    var changes: [Tandem.HistoryChange] = []
    var storeIdentifier = ""
    var timestamp = Date()
    var token = Place(id: 0)
    var transactionIdentifier = 0
    var id: Int { 0 }
    struct Place: Comparable, Hashable, Identifiable, Sendable {
      var id: Int
      static func < (left: Place, right: Place) -> Bool { left.id < right.id }
    }
    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  @Test func `commits of other processes are posted to observers of the name`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let store = try #require(try note("a", ModelContext(container)).persistentModelID.storeIdentifier)
      let (tokens, continuation) = AsyncStream.makeStream(of: DefaultHistoryToken.self)
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContainer.remoteChange, object: nil, queue: nil
      ) { notice in
        guard notice.userInfo?["storeIdentifier"] as? String == store else { return }
        if let token = notice.userInfo?["historyToken"] as? DefaultHistoryToken { continuation.yield(token) }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let helper = try otherProcess(container)
      try helper.carryOut("add b")
      for await token in tokens where token.tokenValue == [store: 2] { break }
      // A container made after the question is listened to as well.
      _ = try note("c", ModelContext(container))
      for await token in tokens where token.tokenValue == [store: 3] { break }
    }
  }
}
