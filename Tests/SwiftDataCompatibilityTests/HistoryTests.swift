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
