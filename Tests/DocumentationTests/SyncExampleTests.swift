import Foundation
import RecordStore
import RecordSync
import Synchronization
import Tandem
import Testing

private let books = DeviceDirectory.Place(group: "group.org.example.books", name: "Books")

private func options() -> SyncOptions {
  var options = SyncOptions()
  options.storeID = books.familyID
  return options
}

/// The code in the comments of engines, their files and what they tell.
struct SyncExampleTests {
  /// The stores of a phone, which has an expense, and of a laptop, and the folder between them.
  private func withStores(_ body: (RecordStore, RecordStore, URL) async throws -> Void) async throws {
    try await withFolder { root in
      let phone = try makeContainer(for: [Expense.self], at: root.appending(path: "phone.store"))
      let laptop = try makeContainer(for: [Expense.self], at: root.appending(path: "laptop.store"))
      let context = ModelContext(phone)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      try await body(phone.store, laptop.store, root.appending(path: "exchange"))
      for container in [phone, laptop] { #expect(try container.store.integrityViolations() == []) }
    }
  }

  @Test func `an engine synchronises, and its report says what was done`() async throws {
    try await withStores { phone, store, folder in
      _ = try await SyncEngine(store: phone, folder: folder, options: options()).sync()
      var options = SyncOptions()
      options.storeID = DeviceDirectory.Place(group: "group.org.example.books", name: "Books").familyID
      options.largeValues = .onDemand  // large values come when the app asks for them
      let engine = SyncEngine(store: store, folder: folder, options: options)
      let report = try await engine.sync()
      #expect(report.transactionsMerged == 1)

      var refused = report
      refused.refused = [SyncReport.Refusal(file: "a.tcs", reason: "the file is cut; wait for a whole copy")]
      #expect(lines(of: report) == ["1 transactions merged"])
      #expect(lines(of: refused) == ["1 transactions merged", "a.tcs: the file is cut; wait for a whole copy"])
    }
  }

  func lines(of report: SyncReport) -> [String] {
    if report.isUnchanged, report.isComplete { return ["nothing to do"] }
    return ["\(report.transactionsMerged) transactions merged"] + report.waiting
      + report.refused.map { (refusal: SyncReport.Refusal) in "\(refusal.file): \(refusal.reason)" }
  }

  @Test func `a failure is told by its code`() async throws {
    try await withStores { store, _, folder in
      let engine = SyncEngine(store: store, folder: folder, options: options())
      _ = try await engine.sync()
      try FileManager.default.removeItem(at: folder)
      var shown: [String] = []
      func show(_ sentence: String) { shown.append(sentence) }

      do {
        _ = try await engine.sync()
      } catch let error as SyncError where error.code == .folderMissing {
        show(error.message)  // the stick is not mounted; try again later
      }
      #expect(shown.count == 1)
    }
  }

  @Test func `steps are told of one engine and of all`() async throws {
    try await withStores { store, _, folder in
      let lines = Mutex<[String]>([])
      @Sendable func show(_ line: String) { lines.withLock { $0.append(line) } }

      @Sendable func tell(_ event: SyncEvent) {
        switch event {
        case .began(SyncActivity.export): show("publishing")
        case .exported(_, let reached, let last): show("\(reached) of \(last)")
        default: break
        }
      }
      var options = SyncOptions()
      options.progress = tell
      options.storeID = books.familyID

      let observation = SyncEvents.observe { path, event in
        if case .ended(.export, let report) = event { show("\(path): \(report.filesExported) files") }
      }
      defer { observation.end() }
      _ = try await SyncEngine(store: store, folder: folder, options: options).sync()
      let told = lines.withLock { $0 }
      #expect(told.contains("publishing") && told.contains("1 of 1"))
      #expect(told.contains("\(store.url.path): 1 files"))
    }
  }

  @Test func `a watch tells of runs and troubles`() async throws {
    try await withStores { store, _, folder in
      let engine = SyncEngine(store: store, folder: folder, options: options())
      var shown: [String] = []
      func show(_ sentence: String) { shown.append(sentence) }

      var options = WatchOptions()
      options.saveDelay = .seconds(10)  // gathers the saves of an editor
      options.minimumInterval = .seconds(60)  // lets a radio rest
      let events = engine.watch(options)

      func sentences<Report: WatchedReport>(of event: WatchEvent<Report>) -> [String] {
        switch event {
        case .synchronized(let report): report.troubles + report.warnings
        case .warning(let sentence), .trouble(let sentence): [sentence]
        case .over(let sentence): ["over: \(sentence)"]
        case .progress: []
        }
      }
      for await event in events {
        #expect(sentences(of: event) == [])
        if case .synchronized = event { break }
      }
      let watch = Task {
        func show(_ sentence: String) {}
        for await event in engine.watch() {
          if case .trouble(let sentence) = event { show(sentence) }
        }
      }
      watch.cancel()
      await watch.value
      #expect(sentences(of: WatchEvent<SyncReport>.over("the folder is back")) == ["over: the folder is back"])
    }
  }

  @Test func `a status says how a store stands`() async throws {
    try await withStores { phone, store, folder in
      for each in [phone, store] { _ = try await SyncEngine(store: each, folder: folder, options: options()).sync() }
      let status = try SyncStatus(of: store, folder: folder, storeID: books.familyID)
      for replica: SyncStatus.Replica in status.replicas where !replica.isOwn {
        print(replica.name, "\(replica.appliedHere) of \(replica.lastSequence)")
      }
      let last: LastSynchronization? = status.lastSynchronizations.first
      let date = last.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
      #expect(status.replicas.count == 2 && status.isSettled && date != nil)

      let isEqual = try CanonicalDump.lines(of: phone) == CanonicalDump.lines(of: store)
      #expect(isEqual)

      let names = try DeviceNames(of: store)
      let author = try phone.read { try $0.replica }
      print(names[author] ?? "a device without a name")
      #expect(names[author] == nil)
    }
  }

  @Test func `a file of the folder is read`() async throws {
    try await withStores { store, _, folder in
      _ = try await SyncEngine(store: store, folder: folder, options: options()).sync()
      let names = try #require(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
      let file = folder.appending(path: try #require(names.first { $0.hasSuffix(".tcs") }))

      let bytes = try [UInt8](Data(contentsOf: file))
      let set: ChangeSet = try ChangeSetCodec.decode(bytes, subject: file.path)
      print("transactions \(set.firstSequence) to \(set.lastSequence) of \(set.replica)")
      let again = ChangeSetCodec.encode(set)
      #expect(again == bytes && set.transactions.count == 1)

      let families = try ExchangeFolder.stores(in: folder).map { ExchangeFolder(root: folder, storeID: $0) }
      #expect(families.map(\.storeID) == [books.familyID])
    }
  }
}
