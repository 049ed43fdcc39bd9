import Foundation
import HelperProcess
import Observation
import RecordStore
import Tandem
import Testing

@MainActor
struct HistoryObserverTests {
  @Test func `transactions of the observed classes and authors count`() async throws {
    try await withContainer(for: [Note.self, Errand.self]) { container in
      let observer = try HistoryObserver(
        observedModels: [Note.self], authors: ["helper", "app"], modelContainer: container)
      var transactions = observer.transactions.makeAsyncIterator()
      #expect(observer.eventCounter == 0)
      let context = container.mainContext
      for (author, model) in [("app", Errand(text: "1") as any PersistentModel), ("else", Note(text: "a"))] {
        context.author = author
        context.insert(model)
        try context.save()
      }
      let helper = try otherProcess(container)
      try helper.carryOut("add b")
      let transaction1 = try await transactions.next(isolation: #isolation)
      #expect(transaction1?.author == "helper")
      #expect(observer.eventCounter == 1)
      context.author = "app"
      context.insert(Note(text: "c"))
      try context.save()
      let transaction2 = try await transactions.next(isolation: #isolation)
      #expect(transaction2?.origin == .thisProcess)
      #expect(observer.eventCounter == 2)
    }
  }

  @Test func `it counts from given tokens, and what was deleted before it was read has expired`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      for text in ["a", "b", "c"] {
        context.insert(Note(text: text))
        try context.save()
      }
      let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      let store = all[0].storeIdentifier
      let observer = try HistoryObserver(historyTokens: [store: all[0].token], modelContainer: container)
      #expect(observer.eventCounter == 2)
      #expect(try HistoryObserver(modelContainer: container).eventCounter == 0)

      let second = all[1].token
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
      #expect {
        _ = try HistoryObserver(historyTokens: [store: all[0].token], modelContainer: container)
      } throws: {
        SwiftDataError.historyTokenExpired ~= $0
      }
      #expect {
        _ = try HistoryObserver(observedModels: [Album.self], modelContainer: container)
      } throws: {
        SwiftDataError.unknownSchema ~= $0
      }
    }
  }

  // The observer went on behind the newest transaction, so that those between were never counted, nor sent; those of
  // the container's other stores, too.
  @Test func `transactions behind a deleted part of history count, and are sent`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      let observer = try HistoryObserver(modelContainer: container, isolation: nil)
      var transactions = observer.transactions.makeAsyncIterator()
      for text in ["a", "b", "c", "d"] {
        context.insert(Note(text: text))
        try context.save()
      }
      let second = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[1].token
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
      try #require(observer.eventCounter == 3, "the deleted part is one event")
      for number in 3...4 as ClosedRange<Int64> {
        let transaction = try await transactions.next(isolation: #isolation)
        #expect(transaction?.id == number)
      }
      context.insert(Note(text: "e"))
      try context.save()
      #expect(observer.eventCounter == 4)
    }
  }

  @Test func `an erased store is one event, and counting goes on`() async throws {
    try await withContainer(for: [Note.self]) { container in
      let context = container.mainContext
      context.insert(Note(text: "a"))
      try context.save()
      let observer = try HistoryObserver(modelContainer: container)
      let (told, continuation) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        #expect(observer.eventCounter == 0)
      } onChange: {
        continuation.finish()
      }
      try container.erase()
      context.insert(Note(text: "b"))
      try context.save()
      for await _ in told {}
      #expect(observer.eventCounter == 2, "the end of all, and a save since then")
      var transactions = observer.transactions.makeAsyncIterator()
      context.insert(Note(text: "c"))
      try context.save()
      let transaction3 = try await transactions.next(isolation: #isolation)
      #expect(transaction3?.id == 4)
      #expect(observer.eventCounter == 3)
    }
  }
}
