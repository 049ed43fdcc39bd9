import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Large values on the ways that a store takes as a whole: copies, backups, moves, salvage, formats.
struct ExternalCopyTests {
  /// Another one in each test, for the open stores of a process lend each other their files.
  private let image = Photos.bytes(200_000, seed: RecordIDGenerator.shared.next().low)

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  /// So that no other store of this process lends its files.
  private func expectOwnFile(_ store: RecordStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let reference = try #require(ExternalReference(of: image))
    #expect(store.core.external?.isSound(reference) == true, sourceLocation: sourceLocation)
    #expect(try store.image(1) == image, sourceLocation: sourceLocation)
    try expectSound(store, sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true])
  func `a backup has the values, and a restored store too`(isCompact: Bool) throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      try withFolder { folder in
        let (backup, restored) = (folder.appending(path: "b.backup"), folder.appending(path: "r.store"))
        try store.backup(to: backup, compacting: isCompact)
        try expectOwnFile(RecordStore.open(StoreConfiguration(url: backup, isReadOnly: true)))
        _ = try RecordStore.restore(backupAt: backup, to: StoreConfiguration(url: restored))
        try expectOwnFile(RecordStore.open(StoreConfiguration(url: restored)))
      }
    }
  }

  @Test func `a backup without a value's file is refused`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      try withFolder { folder in
        let backup = folder.appending(path: "b.backup")
        try store.backup(to: backup)
        try FileManager.default.removeItem(at: backup.appending(path: ExternalFolder.name))
        let error = #expect(throws: StoreError.self) {
          try RecordStore.restore(
            backupAt: backup, to: StoreConfiguration(url: folder.appending(path: "r.store")))
        }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test func `a copy and a store that was moved have the values`() throws {
    try withFolder { folder in
      let (first, second) = (folder.appending(path: "a.store"), folder.appending(path: "b.store"))
      var store: RecordStore? = try RecordStore.open(StoreConfiguration(url: first), schema: Photos.schema)
      try #require(store).insertPhoto(1, image: image)
      try #require(store).copy(to: second)
      try expectOwnFile(RecordStore.open(StoreConfiguration(url: second)))
      weak let core = store?.core
      store = nil
      while core != nil { sched_yield() }
      let third = folder.appending(path: "c.store")
      try FileManager.default.moveItem(at: first, to: third)
      try expectOwnFile(RecordStore.open(StoreConfiguration(url: third)))
    }
  }

  /// The values were looked for by the path: a backup had those of the other store, and was refused by its own check.
  @Test(arguments: [false, true])
  func `a backup of a store that was moved while it was open has its own values`(isReplaced: Bool) throws {
    try withFolder { folder in
      let (first, second) = (folder.appending(path: "a.store"), folder.appending(path: "b.store"))
      let store = try RecordStore.open(StoreConfiguration(url: first), schema: Photos.schema)
      try store.insertPhoto(1, image: image)
      try FileManager.default.moveItem(at: first, to: second)
      let foreign = Photos.bytes(200_000, seed: RecordIDGenerator.shared.next().low)
      let other =
        isReplaced ? try RecordStore.open(StoreConfiguration(url: first), schema: Photos.schema) : nil
      try other?.insertPhoto(2, image: foreign)
      let backup = folder.appending(path: "b.backup")
      try store.backup(to: backup)
      let copy = try RecordStore.open(StoreConfiguration(url: backup, isReadOnly: true))
      try expectOwnFile(copy)
      #expect(try copy.core.external?.placed().count == 1)
    }
  }

  @Test func `a copy from before a migration brings a value back that has gone since`() throws {
    try withFolder { folder in
      var configuration = StoreConfiguration(url: folder.appending(path: "a.store"))
      configuration.backupCount = 2
      let store = try RecordStore.open(configuration, schema: Photos.schema)
      try store.insertPhoto(1, image: image)
      let backup = try BackupFolder(store: store.url, configuration: configuration).add(
        store.core.environment, store.read { try CopyHead($0) }, SchemaVersion(1, 0, 0))
      try store.erase()
      #expect(try store.core.external?.placed().isEmpty == true)
      try store.restore(backup)
      try expectOwnFile(store)
    }
  }

  @Test func `salvage brings values over whose files are sound, and lists the others`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      var store: RecordStore? = try RecordStore.open(StoreConfiguration(url: url), schema: Photos.schema)
      let lost = Photos.bytes(150_000, seed: 2)
      try #require(store).insertPhoto(1, image: image)
      try #require(store).insertPhoto(2, image: lost)
      let path = try #require(store?.core.external).path(of: #require(ExternalReference(of: lost)).name)
      weak let core = store?.core
      store = nil
      while core != nil { sched_yield() }
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[70_000] ^= 1
      try bytes.write(to: URL(filePath: path))

      var salvage = try StoreSalvage(of: url)
      #expect(salvage.report.lostValues.map(\.id) == [fixtureID(2)])
      #expect(salvage.report.lostValues.map(\.reason) == ["the file of its image is missing or damaged"])
      #expect(!salvage.report.isWhole && !salvage.report.lacksNothing)
      let saved = folder.appending(path: "saved.store")
      try salvage.write(to: StoreConfiguration(url: saved))
      let new = try RecordStore.open(StoreConfiguration(url: saved, createsIfMissing: false))
      try expectOwnFile(new)
      #expect(try new.image(2) == nil)
    }
  }

  /// The new store knew nothing of a value that had not come, so that it broke a rule, and nothing could be salvaged.
  @Test(arguments: [false, true])
  func `salvage of a store that lacks something keeps waiting for values that have not come`(isIndexed: Bool) throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      var store: RecordStore? = try RecordStore.open(StoreConfiguration(url: url), schema: Photos.schema)
      // Of lengths of their own, as no file of another store of this process may stand for them, such as that of the
      // other case, which runs beside this one.
      let byteCount = isIndexed ? 150_001 : 150_003
      let (coming, lost) = (Photos.bytes(byteCount, seed: 70), Photos.bytes(byteCount + 1, seed: 71))
      let reference = try #require(ExternalReference(of: coming))
      let file = try #require(store?.core.external).path(of: reference.name)
      try #require(store).insertPhoto(1, image: coming)
      try #require(store).insertPhoto(2, image: lost)
      let author = try #require(store).read { try $0.replica }
      let listed = ListedValue(reference, isAwaited: true, author: author)
      _ = try #require(store).commit(SaveRequest(attachments: [listed.attachment]))
      try FileManager.default.removeItem(atPath: file)
      if isIndexed {
        var schema = Photos.schema
        schema.version = SchemaVersion(2, 0, 0)
        schema.entities[0].indexes = [IndexDefinition("image")]
        try #require(store).migrate(to: schema)
      }
      let damaged = try #require(store?.core.external).path(of: #require(ExternalReference(of: lost)).name)
      weak let core = store?.core
      store = nil
      while core != nil { sched_yield() }
      try FileManager.default.removeItem(atPath: damaged)

      var salvage = try StoreSalvage(of: url)
      #expect(!salvage.report.isWhole && salvage.report.lostValues.map(\.id) == [fixtureID(2)])
      let saved = folder.appending(path: "saved.store")
      try salvage.write(to: StoreConfiguration(url: saved))
      let new = try RecordStore.open(StoreConfiguration(url: saved, createsIfMissing: false))
      #expect(try new.read { try $0.namedValues() } == [reference])
      #expect(try new.read { try $0.listedValues() } == [listed])
      try expectSound(new)

      try #require(new.core.external).place(coming, as: reference, atMilliseconds: 0)
      var here = listed
      here.isAwaited = false
      _ = try new.commit { [here] snapshot in
        let note = try ProvisionalKeys.note(isLoss: false, isDue: true, in: snapshot)
        return (SaveRequest(attachments: [here.attachment] + (note.map { [$0] } ?? [])), ())
      }
      try new.renewProvisionalKeys()
      #expect(try new.image(1) == coming)
      try expectSound(new)
    }
  }

  /// The count of arrivals went back with the copy, so that observers heard of no value until as many had come again.
  @Test func `observers hear of values that come after a copy was restored`() throws {
    try withFolder { folder in
      var configuration = StoreConfiguration(url: folder.appending(path: "a.store"))
      configuration.backupCount = 2
      let store = try RecordStore.open(configuration, schema: Photos.schema)
      try store.insertPhoto(1, image: image)
      let backup = try BackupFolder(store: store.url, configuration: configuration).add(
        store.core.environment, store.read { try CopyHead($0) }, SchemaVersion(1, 0, 0))
      func noteArrival() throws {
        _ = try store.commit { (SaveRequest(attachments: [try $0.nextValueArrivals]), ()) }
      }
      for _ in 1...3 { try noteArrival() }
      let before = try store.read { try $0.valueArrivals }
      try store.restore(backup)
      #expect(try store.read { try $0.valueArrivals } > before)
      try noteArrival()
      #expect(try store.read { try $0.valueArrivals } > before + 1)
      try expectSound(store)
    }
  }

  @Test func `salvage of a store whose files are sound loses nothing`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "a.store")
      var store: RecordStore? = try RecordStore.open(StoreConfiguration(url: url), schema: Photos.schema)
      try #require(store).insertPhoto(1, image: image)
      weak let core = store?.core
      store = nil
      while core != nil { sched_yield() }
      var salvage = try StoreSalvage(of: url)
      #expect(salvage.report.isWhole && salvage.report.lacksNothing)
      let saved = folder.appending(path: "saved.store")
      try salvage.write(to: StoreConfiguration(url: saved))
      let new = try RecordStore.open(StoreConfiguration(url: saved, createsIfMissing: false))
      try expectOwnFile(new)
      #expect(try new.read { try $0.history(after: 0) }.count == 1)
    }
  }

  /// The dump of another store, whose values come as they are.
  @Test func `facts that are restored get their values beside the new store`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: image)
      let (catalogue, id) = (try store.read { $0.catalogue }, store.storeID)
      var facts = RestoredFacts(vector: try store.read { try $0.versionVector })
      try store.read { try $0.forEachFacts(of: 0) { record, _ in facts.records.append(record) } }
      try withFolder { folder in
        let other = try RecordStore.create(
          StoreConfiguration(url: folder.appending(path: "d.store")), catalogue: catalogue, storeID: id)
        try other.restore(facts)
        try expectOwnFile(other)
      }
    }
  }
}

/// What other builds see.
struct ExternalFormatTests {
  private func formatByte(_ store: RecordStore) throws -> UInt8 {
    try store.read { snapshot throws in
      try #require(try snapshot.transaction.get(snapshot.layout.databases.meta, key: CatalogueTable.key))
        .load(at: 12, as: UInt8.self)
    }
  }

  @Test func `a store is one that earlier builds read until it gets its first value beside it`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: Photos.bytes(1_000, seed: 1))
      #expect(try formatByte(store) == 3)
      #expect(!FileManager.default.fileExists(atPath: store.url.path + "/" + ExternalFolder.name))
      let generation = try store.read { $0.catalogue.generation }
      try store.insertPhoto(2, image: Photos.bytes(200_000, seed: 2))
      // Builds that know format 3 alone read the catalogue anew, and refuse it by this byte.
      #expect(try formatByte(store) == 4)
      #expect(try store.read { $0.catalogue.generation } == generation + 1)
      try store.insertPhoto(3, image: Photos.bytes(200_000, seed: 3))
      #expect(try store.read { $0.catalogue.generation } == generation + 1)
    }
  }

  @Test func `a migration keeps the format`() throws {
    try withPhotoStore { store in
      try store.insertPhoto(1, image: Photos.bytes(200_000, seed: 2))
      var schema = Photos.schema
      schema.version = SchemaVersion(2, 0, 0)
      schema.entities[0].attributes.append(AttributeDefinition(name: "note", type: .string, isOptional: true))
      try store.migrate(to: schema)
      #expect(try formatByte(store) == 4)
      #expect(try store.image(1) == Photos.bytes(200_000, seed: 2))
    }
  }

  /// Keys of indexes have the bytes of the values: of those too that lay beside the store before.
  @Test func `an index that comes later finds a value that lies beside the store`() throws {
    try withPhotoStore { store in
      let images = (3...4).map { Photos.bytes(200_000, seed: $0) }
      for (number, image) in images.enumerated() { try store.insertPhoto(UInt64(number + 1), image: image) }
      var schema = Photos.schema
      schema.version = SchemaVersion(2, 0, 0)
      schema.entities[0].indexes = [IndexDefinition("image")]
      try store.migrate(to: schema)
      try store.insertPhoto(3, image: images[1])
      // In a key from now on, it lies in the record.
      #expect(try store.storedImage(3) == nil && store.storedImage(2) != nil)
      let query = RecordQuery(
        entity: 0, filter: .compare(FieldPath(try store.field("image").ordinal), .equal, .data(images[1])))
      #expect(try store.read { try $0.identifiers(query) }.sorted() == [fixtureID(2), fixtureID(3)])
    }
  }

  @Test func `a store of format 4 reads, with the value beside it`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../SyncFixtures/golden/store-4").standardizedFileURL
    let url = folder.appending(path: "old.store")
    try FileManager.default.copyItem(at: golden, to: url)
    let store = try RecordStore.open(StoreConfiguration(url: url, createsIfMissing: false, durability: .unsafeNoFlush))
    #expect(try formatByte(store) == 4)
    let record = try #require(try store.read { try $0.record(RecordID(high: 1, low: 1), of: 0) })
    let value = try #require(record.withView { $0.data(at: 0) })
    let name = "33d44659d01535b3ae0890824bd06571037081b61e53628f0a4da20dbe027fd1"
    #expect(value.count == 150_000 && ExternalReference.name(of: value) == name)
    #expect(record.byteCount < 200)
    try expectSound(store)
  }
}
