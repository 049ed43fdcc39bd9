import Foundation
import Synchronization
import Tandem
import Testing

/// The code in the comments of containers, their configurations and what they tell.
struct ContainerExampleTests {
  @Test func `a configuration says where the store lies, how safe a save is and with whom it is equal`() throws {
    func configuration(joining invitation: URL?) -> ModelConfiguration {
      var configuration = ModelConfiguration(
        "Books", groupContainer: .identifier("group.org.example.books"), cloudKitDatabase: .none)
      configuration.durability = .relaxed  // power loss may take the last saves
      configuration.uniqueness = .throw  // a save that doubles a unique value fails
      configuration.family = invitation.map { StoreFamily.invited(by: $0) } ?? .own(name: "Ann")
      return configuration
    }
    let url = URL(filePath: "/tmp/bob.invitation")
    #expect(configuration(joining: nil).family == .own(name: "Ann"))
    #expect(configuration(joining: url).family == .invited(by: url))
    #expect(configuration(joining: nil).url.path.hasSuffix("group.org.example.books/Books.store"))
  }

  @Test func `a container is made for classes`() throws {
    try ModelConfiguration.$containerRoot.withValue(FileManager.default.temporaryDirectory) {
      let memory = ModelConfiguration(isStoredInMemoryOnly: true)

      let container = try ModelContainer(for: Trip.self, configurations: memory)
      let context = ModelContext(container)
      context.insert(Trip(code: "A1", destination: "Lviv"))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
  }

  @Test func `a save that fails says by its code what to do`() throws {
    let container = try ModelContainer(
      for: Receipt.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    var shown: [String] = []
    func show(_ sentence: String) { shown.append(sentence) }

    do {
      try context.save()
    } catch let error as SwiftDataError where error.code == .diskFull {
      show(error.localizedDescription)
    }
    #expect(shown == [])
  }

  @Test func `a program names the release that it was built with`() {
    print("Tandem \(TandemVersion.current)")
    #expect(TandemVersion.current.split(separator: ".").count == 3)
  }

  @Test func `a container tells which objects a save of another context changed`() async throws {
    try await withContainer(for: Trip.self) { container in
      let changes = container.changes
      let context = ModelContext(container)
      context.author = "import"
      context.insert(Trip(code: "A1"))
      try context.save()
      var refreshed: [PersistentIdentifier] = []
      func refresh(_ identifiers: [PersistentIdentifier]) { refreshed += identifiers }

      func apply(_ transaction: ContainerTransaction) {
        switch transaction.origin {
        case .thisProcess where transaction.author != "import": break
        case .thisProcess, .otherProcess, .merge: refresh(transaction.inserted + transaction.updated)
        }
      }
      var iterator = changes.makeAsyncIterator()
      apply(try #require(await iterator.next()))
      #expect(refreshed.count == 1 && refreshed[0].entityName == "Trip")
    }
  }

  @Test func `changes of other processes and devices are followed by a loop`() async throws {
    try await withContainer(for: Trip.self) { container in
      func refresh(_ identifiers: [PersistentIdentifier]) {}
      let following = Task {
        for try await transaction in container.changes where transaction.origin != .thisProcess {
          refresh(transaction.updated)
        }
      }
      following.cancel()
      try await following.value
    }
  }

  @Test func `a loop over changes goes on where a store was erased, if it asks for them anew`() async throws {
    try await withContainer(for: Trip.self) { container in
      let refreshes = Mutex(0)
      @Sendable func refresh(_ identifiers: [PersistentIdentifier]) {}
      @Sendable func refreshAll() { refreshes.withLock { $0 += 1 } }
      let following = Task {
        var changes = container.changes
        while true {
          do {
            for try await transaction in changes { refresh(transaction.updated) }
            break
          } catch SwiftDataError.historyTokenExpired {
            changes = container.changes
            refreshAll()
          }
        }
      }
      while refreshes.withLock({ $0 }) < 2 {
        try container.erase()
        await Task.yield()
      }
      following.cancel()
      try await following.value
    }
  }

  @Test func `a notification names the store of a commit and its place in history`() async throws {
    try await withContainer(for: Trip.self) { container in
      let places = Mutex<[String: DefaultHistoryToken]>([:])
      @Sendable func note(_ store: String, _ token: DefaultHistoryToken?) { places.withLock { $0[store] = token } }

      let observer = NotificationCenter.default.addObserver(
        forName: ModelContainer.remoteChange, object: nil, queue: nil
      ) { notification in
        typealias Key = ModelContainer.RemoteChangeKey
        guard let store = notification.userInfo?[Key.storeIdentifier.rawValue] as? String else { return }
        note(store, notification.userInfo?[Key.historyToken.rawValue] as? DefaultHistoryToken)
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let context = ModelContext(container)
      let trip = Trip(code: "A1")
      context.insert(trip)
      try context.save()
      let store = try #require(trip.persistentModelID.storeIdentifier)
      while places.withLock({ $0[store] }) == nil { await Task.yield() }
      let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
      #expect(places.withLock { $0[store] } == last?.token)
    }
  }
}
