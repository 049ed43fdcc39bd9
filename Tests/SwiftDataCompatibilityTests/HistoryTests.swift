import SwiftData
import Testing

@MainActor
@Suite struct HistoryTests {
  /// As apps do it: keep a token, ask what others did since, find the objects that are still there.
  private func destinations(
    in context: ModelContext, after token: DefaultHistoryToken?, by author: String
  ) throws -> (Set<String>, DefaultHistoryToken?) {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    }
    let transactions = try context.fetchHistory(descriptor)
    var found: Set<String> = []
    for transaction in transactions {
      for change in transaction.changes {
        let id = change.changedPersistentIdentifier
        let trip = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == id })).first
        switch change {
        case .insert(_ as DefaultHistoryInsert<Trip>):
          if let trip { found.insert(trip.destination) }
        case .update(_ as DefaultHistoryUpdate<Trip>):
          if let trip { found.update(with: trip.destination) }
        case .delete(_ as DefaultHistoryDelete<Trip>):
          if let trip { found.remove(trip.destination) }
        default: break
        }
      }
    }
    return (found, transactions.last?.token)
  }

  @Test func `what an author did since a token`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    context.insert(Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1)))
    try context.save()
    let (all, token) = try destinations(in: context, after: nil, by: "")
    #expect(all == ["Lviv"])

    let widget = ModelContext(container)
    widget.author = "widget"
    widget.insert(Trip(code: "A2", name: "Two", destination: "Odesa", start: .day(2)))
    try widget.save()
    context.insert(Trip(code: "A3", name: "Three", destination: "Kyiv", start: .day(3)))
    try context.save()
    let (news, last) = try destinations(in: context, after: token, by: "widget")
    #expect(news == ["Odesa"])
    #expect(try #require(last) > #require(token))
  }

  @Test func `history is sorted, limited and deleted`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    for number in 1...4 {
      context.author = number % 2 == 0 ? "even" : "odd"
      context.insert(Trip(code: "\(number)", name: "n", destination: "d", start: .day(number)))
      try context.save()
    }
    var newestFirst = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == "even" },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    #expect(try context.fetchHistory(newestFirst).map(\.transactionIdentifier) == [4, 2])
    newestFirst.fetchLimit = 1
    #expect(try context.fetchHistory(newestFirst).map(\.transactionIdentifier) == [4])

    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let token = all[1].token
    var old = HistoryDescriptor<DefaultHistoryTransaction>()
    old.predicate = #Predicate { $0.token < token }
    try context.deleteHistory(old)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 3)
    let first = all[0].token
    #expect(throws: Never.self) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first }))
    }
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    do {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first }))
      Issue.record("the token has expired")
    } catch SwiftDataError.historyTokenExpired {
      // Fetch everything anew.
    }
  }

  /// Saves a new trip for each author, in this order.
  private func save(by authors: [String?], in context: ModelContext) throws {
    for author in authors {
      context.author = author
      context.insert(Trip(code: UUID().uuidString, name: UUID().uuidString, destination: "d", start: .now))
      try context.save()
    }
  }

  private func numbers(
    _ context: ModelContext, _ predicate: Predicate<DefaultHistoryTransaction>? = nil
  ) throws -> [Int64] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
      .map(\.transactionIdentifier)
  }

  @Test func `history of one author is trimmed, that of others stays`() throws {
    let container = try makeContainer()
    let context = container.mainContext
    try save(by: [nil, "server", "server", "widget", nil, "server", nil, "server"], in: context)
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // As a library does it that pulls from a server: its own transactions up to the last that it has seen.
    let seen = all[5].token
    let server = "server"
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.token <= seen && $0.author == server }))
    #expect(try numbers(context) == [1, 4, 5, 7, 8])
    // Tokens stay good, also those of transactions that are gone.
    for (index, transaction) in all.enumerated() {
      let token = transaction.token
      let left = try numbers(context, #Predicate { $0.token > token })
      #expect(left == [1, 4, 5, 7, 8].filter { $0 > Int64(index + 1) })
    }
    #expect(try numbers(context, #Predicate { $0.author == nil || $0.author != server }) == [1, 4, 5, 7])
    #expect(try numbers(ModelContext(container)) == [1, 4, 5, 7, 8])

    try save(by: ["server", nil], in: context)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == server }))
    #expect(try numbers(context) == [1, 4, 5, 7, 10])
    // What is deleted at the front ends the tokens before it, as before.
    let first = all[0].token
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier <= 5 }))
    #expect(try numbers(context) == [7, 10])
    #expect {
      try numbers(context, #Predicate { $0.token > first })
    } throws: { SwiftDataError.historyTokenExpired ~= $0 }
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 10, "history is no data")
  }

  @Test func `trimming by author counts from the oldest and knows its limit`() throws {
    let context = try makeContainer().mainContext
    try save(by: ["a", "b", "a", "b", "a", "b"], in: context)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "b" })
    descriptor.fetchLimit = 2
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [1, 3, 5, 6])
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [1, 3, 5])
    descriptor.predicate = #Predicate { $0.author == "nobody" }
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [1, 3, 5])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try numbers(context).isEmpty)
    try save(by: ["b"], in: context)
    #expect(try numbers(context) == [7])
  }

  @Test func `what was trimmed is still taken in by other contexts, and stays trimmed in the next launch`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appending(path: "a.store"))
    do {
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      let (context, other) = (ModelContext(container), ModelContext(container))
      try save(by: [nil], in: context)
      let trip = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
      try save(by: ["server"], in: context)
      context.author = "server"
      try #require(context.model(for: trip.persistentModelID) as? Trip).name = "changed"
      try context.save()
      try save(by: [nil], in: context)
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "server" }))
      #expect(try numbers(context) == [1, 4])
      // Not by history, which is the app's own list: by what the store knows.
      #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 3 && trip.name == "changed")
    }
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    #expect(try numbers(ModelContext(container)) == [1, 4])
    try container.erase()
    let context = ModelContext(container)
    try save(by: [nil, "server", nil], in: context)
    #expect(try numbers(context).count == 3, "an erased store has nothing to leave out")
  }

  @Test func `the notification of a save carries tokens`() throws {
    let context = try makeContainer().mainContext
    var tokens: [String: any HistoryToken] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notice in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let posted = notice.userInfo?[key] as? [String: DefaultHistoryToken] ?? [:]
      MainActor.assumeIsolated { tokens = posted }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Trip(code: "A1", name: "One", destination: "Lviv", start: .day(1)))
    try context.save()
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    #expect(tokens[last.storeIdentifier] as? DefaultHistoryToken == last.token)
  }
}
