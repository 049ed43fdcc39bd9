import Foundation
import LMDB
import RecordStore
import Synchronization
import Tandem
import TandemBridges
import Testing

/// The code in the comments of stores below the models, and of bridges.
struct StoreExampleTests {
  @Test func `a backup is made, and put in the place of a store`() async throws {
    try await withFolder { folder in
      try {
        let container = try makeContainer(for: [Receipt.self], at: folder.appending(path: "shop.store"))
        let context = ModelContext(container)
        context.insert(Receipt(number: 1, shop: "Bakery", amount: 4))
        try context.save()
        let store = container.store

        let backup = try store.backup(to: folder.appending(path: "shop.backup"))
        print(backup.lastTransactionNumber, backup.byteCount)
        #expect(backup.lastTransactionNumber == 1)

        try container.backup(to: folder.appending(path: "diary.backup"))
      }()
      let (backup, storeURL) = (folder.appending(path: "shop.backup"), folder.appending(path: "restored.store"))

      let restored = try RecordStore.restore(backupAt: backup, to: StoreConfiguration(url: storeURL))
      let container = try makeContainer(for: [Receipt.self], at: storeURL)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Receipt>()) == 1, "\(restored)")
    }
  }

  @Test func `refusals of stores are heard`() throws {
    let path = "/dev/null/none.store"
    let refusals = Mutex<[StoreError.Code]>([])
    let observation = StoreEvents.observe { event in
      if case .refused(let store, let activity, let code) = event {
        print("\(store): \(activity.rawValue) refused, \(code)")
      }
    }
    defer { observation.end() }
    let counting = StoreEvents.observe { event in
      if case .refused(path, _, let code) = event { refusals.withLock { $0.append(code) } }
    }
    defer { counting.end() }
    let error = #expect(throws: StoreError.self) {
      try RecordStore.open(StoreConfiguration(url: URL(filePath: path)), schema: nil)
    }
    let heard = refusals.withLock { $0 }
    #expect(heard == [error?.code])
  }

  @Test func `a census says what a commit has written`() async throws {
    try await withFolder { folder in
      let environment = try Environment.open(at: folder.path)
      let people = try environment.write { try $0.createDatabase(named: "people") }

      let before = try environment.pageCensus()
      try environment.write { try $0.put(people, key: Array("Ada".utf8), value: Array("Lovelace".utf8)) }
      let written = try environment.pageCensus().written(since: before)
      print(written.pageCount, written.rangeCount, written.pagesByTree)
      #expect(written.pagesByTree["people"]?.count == 1)
    }
  }
}
