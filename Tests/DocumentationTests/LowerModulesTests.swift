import Foundation
import LMDB
import RecordStore
import RecordSync
import Tandem
import Testing

/// The code of the landing pages of LMDB, RecordStore and RecordSync, and of the articles Backups and Collection.
struct LowerModulesTests {
  @Test func `an environment keeps bytes`() async throws {
    try await withFolder { folder in
      let directory = folder.path
      let (key, value) = (Array("Ada".utf8), Array("Lovelace".utf8))

      let environment = try Environment.open(at: directory)
      let people = try environment.write { transaction in
        let people = try transaction.createDatabase(named: "people")
        try transaction.put(people, key: key, value: value)
        return people
      }
      let copy = try environment.read { try $0.view.get(people, key: key)?.copied() }
      #expect(copy == value)
    }
  }

  @Test func `a store keeps records of a schema that is data`() async throws {
    try await withFolder { root in
      let folder = root.appending(path: "cities.store")
      let city = EntityDefinition(name: "City", attributes: [AttributeDefinition(name: "name", type: .string)])
      let schema = StoreSchema(entities: [city])

      let store = try RecordStore.open(StoreConfiguration(url: folder), schema: schema)
      let id = RecordIDGenerator.shared.next()
      _ = try store.commit(SaveRequest(changes: [.insert(entity: 0, id: id, fields: [FieldWrite(0, .string("Rome"))])]))
      let name = try store.read { try $0.record(id, of: 0)?.withView { $0.string(at: 0) } }
      #expect(name == "Rome")
      #expect(try store.integrityViolations() == [])
    }
  }

  @Test func `a backup is made while the container is open`() async throws {
    try await withFolder { stick in
      let container = try makeContainer(for: [Expense.self], at: stick.appending(path: "diary.store"))
      try container.backup(to: stick.appending(path: "diary.backup"))
      let backup = try RecordStore.open(
        StoreConfiguration(url: stick.appending(path: "diary.backup"), isReadOnly: true), schema: nil)
      #expect(try backup.integrityViolations() == [])
    }
  }

  @Test func `an engine merges, and forgets a device that is gone`() async throws {
    try await withFolder { folder in
      let exchangeFolder = folder.appending(path: "exchange")
      let lostPhone = try await publishExpense(in: folder, to: exchangeFolder)
      let store = try makeContainer(for: [Expense.self], at: folder.appending(path: "laptop.store")).store

      var options = SyncOptions()
      options.storeID = DeviceDirectory.Place(group: "group.org.example.books", name: "Books").familyID
      let engine = SyncEngine(store: store, folder: exchangeFolder, options: options)
      let report = try await engine.sync()
      print(report.isUnchanged ? "nothing to do" : "\(report.transactionsMerged) transactions merged")
      #expect(report.transactionsMerged == 1)
      try await collect(by: engine, lostPhone)
    }
  }

  private func collect(by engine: SyncEngine, _ lostPhone: ReplicaID) async throws {
    let report = try await engine.collect()  // waits for nobody: does what can be done now
    print(report.recordsCollected)
    let _ = try await engine.retire(lostPhone)  // a person's word that a replica is gone
  }

  @Test func `an engine tells how far it has merged`() async throws {
    try await withFolder { folder in
      let exchangeFolder = folder.appending(path: "exchange")
      _ = try await publishExpense(in: folder, to: exchangeFolder)
      let store = try makeContainer(for: [Expense.self], at: folder.appending(path: "laptop.store")).store
      let engine = makeEngine(for: store, exchangeFolder)
      let (shown, sink) = AsyncStream<Double>.makeStream()
      func show(_ part: Double) { sink.yield(part) }
      let following = Task {
        for await case .merged(_, let reached, let last) in engine.events { show(Double(reached) / Double(last)) }
      }
      defer { following.cancel() }
      // Until the task has asked for the events, nobody hears of a merge; a second expense comes then.
      var parts = shown.makeAsyncIterator()
      let more = try makeContainer(for: [Expense.self], at: folder.appending(path: "more.store"))
      let pump = Task {
        let publisher = makeEngine(for: more.store, exchangeFolder)
        do {
          while true {
            try insertExpense(in: more)
            _ = try await publisher.export()
            _ = try await engine.sync()
          }
        } catch is CancellationError {
          // The part has arrived.
        }
      }
      #expect(await parts.next() == 1)
      pump.cancel()
      try await pump.value
    }
  }

  @Test func `two device directories become equal`() async throws {
    try await withFolder { folder in
      let place = "group.org.example.books/Books.store"
      try FileManager.default.createDirectory(
        at: folder.appending(path: "phone/group.org.example.books"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        at: folder.appending(path: "laptop"), withIntermediateDirectories: true)
      try insertExpense(in: makeContainer(for: [Expense.self], at: folder.appending(path: "phone/\(place)")))

      let phone = try DeviceDirectory(folder.appending(path: "phone"))
      let laptop = try DeviceDirectory(folder.appending(path: "laptop"))
      let report = try await DeviceSync().synchronize(phone, laptop)
      #expect(report.stores.map(\.created.count) == [1] && report.stores.allSatisfy { $0.failure == nil })
    }
  }

  private func makeEngine(for store: RecordStore, _ exchangeFolder: URL) -> SyncEngine {
    var options = SyncOptions()
    options.storeID = DeviceDirectory.Place(group: "group.org.example.books", name: "Books").familyID
    return SyncEngine(store: store, folder: exchangeFolder, options: options)
  }

  /// Exports an expense of a store of its own, whose replica it gives.
  private func publishExpense(in folder: URL, to exchangeFolder: URL) async throws -> ReplicaID {
    let container = try makeContainer(for: [Expense.self], at: folder.appending(path: "lost.store"))
    try insertExpense(in: container)
    _ = try await makeEngine(for: container.store, exchangeFolder).export()
    return try container.store.read { try $0.replica }
  }

  private func insertExpense(in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Expense(shop: "Bakery", amount: 4))
    try context.save()
  }
}
