import Foundation
import RecordStore
import RecordSync
import Tandem
import TandemSync
import Testing

func follow(_ engine: SyncEngine) async {
  for await event in engine.watch() {
    switch event {
    case .progress(.merged(_, let reached, let last)): print("\(reached) of \(last)")
    case .synchronized(let report): print("\(report.transactionsMerged) merged")
    case .warning(let sentence), .trouble(let sentence): print(sentence)
    case .over(let sentence): print("over: \(sentence)")
    default: break
    }
  }
}

/// The code of the article Synchronising. Its commands are played by `ConsoleTests`.
struct SynchronisingTests {
  @Test func `two stores that were made apart become equal, and what lost comes back`() async throws {
    try await withDevices { phone, laptop, folder in
      let there = try SyncEngine(container: laptop, folder: folder)
      let onPhone = ModelContext(phone)
      let expense = Expense(shop: "Bakery", amount: 4)
      onPhone.insert(expense)
      try onPhone.save()
      let container = phone

      let engine = try SyncEngine(container: container, folder: folder)
      let report = try await engine.sync()
      for sentence in report.warnings + report.waiting + report.refused.map(\.reason) { print(sentence) }
      print(report.transactionsExported, report.transactionsMerged, report.conflicts)
      #expect(report.transactionsExported == 1)

      #expect(try await there.sync().transactionsMerged == 1)
      expense.shop = "Bakery in the old town"
      try onPhone.save()
      let onLaptop = ModelContext(laptop)
      try #require(onLaptop.fetch(FetchDescriptor<Expense>()).first).shop = "Bakery at the station"
      try onLaptop.save()
      for each in [engine, there, engine] { _ = try await each.sync() }

      let containers = [phone, laptop]
      let won = try shops(of: containers)
      #expect(won[0] == won[1])
      #expect(try containers.map { try ConflictLog(store: $0.store).entries().count } == [1, 1])
      for container in containers {
        let log = ConflictLog(store: container.store)
        for loss in try log.details() {
          print(loss.entityName, loss.fieldNames, loss.loser.deviceName ?? "this device", loss.loser.date)
          try log.restore(loss.conflict.id)
        }
      }
      for each in [engine, there, engine, there] { _ = try await each.sync() }
      // Which one is later the clocks decide, and in one millisecond the replicas' ids.
      let both = Set(["Bakery in the old town", "Bakery at the station"])
      #expect(try shops(of: containers).map(Set.init) == [both.subtracting(won[0]), both.subtracting(won[0])])
    }
  }

  private func shops(of containers: [ModelContainer]) throws -> [[String]] {
    try containers.map { try ModelContext($0).fetch(FetchDescriptor<Expense>()).map(\.shop) }
  }

  @Test func `saves of one device reach the other while both run`() async throws {
    try await withDevices { phone, container, folder in
      let sync = try AutomaticSync(container: container, folder: folder)
      let there = try SyncEngine(container: phone, folder: folder)
      let following = Task { await follow(there) }
      let news = phone.changes
      let context = ModelContext(container)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      var arrived = news.makeAsyncIterator()
      while let transaction = try await arrived.next(), transaction.inserted.isEmpty {}
      following.cancel()
      await following.value
      await sync.stop()
      #expect(try ModelContext(phone).fetchCount(FetchDescriptor<Expense>()) == 1)
    }
  }

  @Test func `an app fills a folder that was emptied once a person is sure`() async throws {
    try await withDevices { _, container, folder in
      let sync = try AutomaticSync(container: container, folder: folder)
      try await sync.sync()
      await sync.stop()
      try FileManager.default.removeItem(at: folder)
      func isSure() -> Bool { true }
      do {
        try await sync.sync()
      } catch let error as SyncError where error.code == .folderMissing && isSure() {
        try await sync.beginAnew()
      }
      #expect(try await sync.sync().isUnchanged)
    }
  }

  @Test func `a container with a transport begins at once, and a remote that is not there is a trouble`() async throws {
    try await withDevices { _, container, _ in
      let transport = try RcloneTransport("backup:notes")
      let sync = try AutomaticSync(container: container, transport: transport)
      // Whatever rclone says of a remote that nobody has set up, or that it is not installed.
      let error = await #expect(throws: SyncError.self) { try await sync.sync() }
      #expect(error?.code == .transportFailed)
      await sync.stop()
    }
  }

  @Test func `an app that keeps the key elsewhere gives it, and one that has none is refused`() async throws {
    try await withDevices { phone, container, folder in
      let codeInKeychain = FamilyKey().recoveryCode
      var options = SyncOptions()
      options.key = try FamilyKey(recoveryCode: codeInKeychain)
      let sync = try AutomaticSync(container: container, folder: folder, options: options)
      try await sync.sync()
      await sync.stop()
      let there = try SyncEngine(container: phone, folder: folder)
      let error = await #expect(throws: SyncError.self) { try await there.sync() }
      #expect(error?.code == .keyNeeded)
    }
  }

  @Test func `the key beside a store is found, and meets an engine that is given it`() async throws {
    try await withDevices { phone, laptop, folder in
      let context = ModelContext(phone)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      let place = DeviceDirectory.Place(group: "books", name: "Books")
      let keyFile = phone.store.url.deletingPathExtension().appendingPathExtension("key")
      var file = KeyFile(family: place.familyID)
      file.key = FamilyKey()
      try file.write(to: keyFile)
      let store = laptop.store

      var options = SyncOptions()
      options.key = try KeyFile(at: keyFile).key
      let engine = SyncEngine(store: store, at: place, sharedFolder: folder, options: options)
      _ = try await SyncEngine(container: phone, folder: folder).sync()
      #expect(try await engine.sync().transactionsMerged == 1)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains("books"))
    }
  }

  @Test func `without a common id the stores of two devices are two families`() async throws {
    try await withDevices { phone, laptop, folder in
      let context = ModelContext(phone)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      _ = try await SyncEngine(store: phone.store, folder: folder).sync()
      let report = try await SyncEngine(store: laptop.store, folder: folder).sync()
      #expect(report.transactionsMerged == 0 && report.refused.isEmpty)
      #expect(report.warnings.count == 1 && report.warnings[0].contains("SyncOptions.storeID"))
    }
  }

  private func withDevices(_ body: (ModelContainer, ModelContainer, URL) async throws -> Void) async throws {
    try await withFolder { root in
      let phone = try makeContainer(for: [Expense.self], at: root.appending(path: "phone/books/Books.store"))
      let laptop = try makeContainer(for: [Expense.self], at: root.appending(path: "laptop/books/Books.store"))
      try await body(phone, laptop, root.appending(path: "exchange"))
      for container in [phone, laptop] { #expect(try container.store.integrityViolations() == []) }
    }
  }
}
