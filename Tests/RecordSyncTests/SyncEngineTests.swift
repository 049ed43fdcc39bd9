import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

struct SyncEngineTests {
  @Test func `stores that were made apart are told that they go past each other`() async throws {
    let folder = try TemporaryFolder()
    let other = StoreSchema(entities: [
      EntityDefinition(name: "Elsewhere", attributes: [AttributeDefinition(name: "name", type: .string)])
    ])
    let (phone, laptop, stranger) = (try TestReplica(), try TestReplica(), try TestReplica(schema: other))
    try phone.save(phone.names.insert("City", fixtureID(1), ["name": .string("Graz")]))
    try stranger.save(stranger.names.insert("Elsewhere", fixtureID(1), ["name": .string("x")]))
    func sync(_ replica: TestReplica, _ options: SyncOptions = SyncOptions()) async throws -> [String] {
      try await SyncEngine(store: replica.store, folder: folder.url, options: options).sync().warnings
    }
    #expect(try await sync(phone).isEmpty)
    #expect(try await sync(stranger).isEmpty)
    let warnings = try await sync(laptop)
    #expect(warnings.count == 1 && warnings[0].contains(phone.store.storeID.description), "\(warnings)")
    var options = SyncOptions()
    options.storeID = TestReplica.family
    #expect(try await sync(phone, options).isEmpty)
    #expect(try await sync(laptop, options).isEmpty)
    #expect(try laptop.dump == phone.dump)
  }

  @Test func `what one replica saves the other sees, and a second run has nothing to do`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome"), "price": .decimal(12.5)]))
    let report = try await phone.send(to: laptop)
    #expect(report.transactionsMerged == 1)
    #expect(try laptop.store.value("Trip", fixtureID(1), "name") == .string("Rome"))
    #expect(try laptop.dump == phone.dump)

    let again = try await phone.engine().sync()
    #expect(again.isUnchanged)
    #expect(try await phone.send(to: laptop).isUnchanged)
    try expectSound(laptop.store)
  }

  @Test func `transactions are cut into files, and every file is whole`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    for number in 1...50 {
      try phone.save(phone.names.insert("Tag", fixtureID(UInt64(number)), ["name": .string("tag \(number)")]))
    }
    let report = try await phone.engine { $0.changeSetBytes = 500 }.export()
    #expect(report.transactionsExported == 50)
    #expect(report.filesExported >= 5)
    var expected: UInt64 = 1
    var previous = ContentHash.none.bytes
    for file in try phone.streamFiles {
      let bytes = try DurableFile.read(file, limit: 1 << 20)
      let set = try ChangeSetCodec.decode(bytes)
      #expect(set.firstSequence == expected)
      #expect(set.previousHash == previous)
      expected = set.lastSequence + 1
      previous = ContentHash(of: bytes).bytes
    }
    #expect(expected == 51)
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    let merged = try await laptop.engine { $0.recordsPerCommit = 7 }.import()
    #expect(merged.transactionsMerged == 50)
    #expect(try laptop.dump == phone.dump)
    try expectSound(laptop.store)
  }

  @Test func `a lost file of one's own is exported again with the same bytes and name`() async throws {
    let phone = try TestReplica()
    for number in 1...3 {
      try phone.save(phone.names.insert("Tag", fixtureID(UInt64(number)), ["name": .string("tag \(number)")]))
      _ = try await phone.engine().export()
    }
    let files = try phone.streamFiles
    let bytes = try files.map { try Data(contentsOf: $0) }
    // A newer schema must not show in a file that is made again.
    var schema = StoreSchema.fixture
    schema.version = SchemaVersion(2, 0, 0)
    schema.entities.append(EntityDefinition(name: "Late", attributes: [AttributeDefinition(name: "a", type: .int)]))
    try phone.store.migrate(to: schema)
    try FileManager.default.removeItem(at: files[1])
    try bytes[2].prefix(10).write(to: files[2])
    let report = try await phone.engine().export()
    #expect(report.filesExported == 2)
    #expect(report.transactionsExported == 0)
    #expect(try phone.streamFiles == files)
    #expect(try files.map { try Data(contentsOf: $0) } == bytes)
  }

  @Test func `a lost file of an earlier build is exported again with the same bytes and name`() async throws {
    let phone = try TestReplica()
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().export()
    let packed = try #require(try phone.streamFiles.first)
    var set = try ChangeSetCodec.decode([UInt8](Data(contentsOf: packed)))
    set.isPacked = false
    let file = ChangeSetCodec.file(of: set)
    let schemaKey = SyncAttachment.schemas + ContentHash(of: set.schemaDescription).bytes.prefix(16)
    let record = ExportRecord(set, file: file, schemaKey: schemaKey)
    let noted = record.attachment(storeID: TestReplica.family, replica: try phone.id)
    _ = try phone.store.commit(SaveRequest(attachments: [noted]))
    try FileManager.default.removeItem(at: packed)
    #expect(try await phone.engine().export().filesExported == 1)
    #expect(try phone.streamFiles.map(\.lastPathComponent) == [record.name.text])
    #expect(try [UInt8](Data(contentsOf: #require(try phone.streamFiles.first))) == file.bytes)
  }

  @Test func `a file of one's own that was damaged without changing its size is exported again`() async throws {
    let phone = try TestReplica()
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    let engine = phone.engine()
    _ = try await engine.export()
    let file = try #require(try phone.streamFiles.first)
    let bytes = try Data(contentsOf: file)
    for place in [0, 60, bytes.count - 1] {
      var damaged = bytes
      damaged[place] ^= 1
      try damaged.write(to: file)
      // One engine has read the file before, another one not.
      let report = try await (place == 0 ? phone.engine() : engine).export()
      #expect(report.filesExported == 1)
      #expect(try Data(contentsOf: file) == bytes)
      #expect(try await engine.export().filesExported == 0)
    }
  }

  @Test func `a crash between the note and the rename leaves nothing that harms`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().export()
    let file = try #require(try phone.streamFiles.first)
    // No process has a number beyond 4,194,304 (Linux: PID_MAX_LIMIT).
    let partial = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).999999999.partial")
    try Data(contentsOf: file).prefix(100).write(to: partial)
    try FileManager.default.removeItem(at: file)

    let report = try await phone.send(to: laptop)
    #expect(report.transactionsMerged == 1)
    #expect(report.refused.isEmpty)
    #expect(try laptop.store.isVisible("Tag", fixtureID(1)))
    #expect(!FileManager.default.fileExists(atPath: partial.path))
  }

  @Test func `a folder that was used and is gone stops everything with a sentence`() async throws {
    let phone = try TestReplica()
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await phone.engine().sync()
    try FileManager.default.removeItem(at: phone.exchange.url)
    let error = await #expect(throws: SyncError.self) { try await phone.engine().sync() }
    #expect(error?.code == .folderMissing)
    #expect(error?.message.contains("was used before and is gone: it is unmounted or was wiped") == true)
    #expect(!FileManager.default.fileExists(atPath: phone.exchange.url.path))
    #expect(try phone.store.isVisible("Tag", fixtureID(1)))
    // Where nobody else moves the folder, it is set up again with everything.
    let report = try await phone.engine { $0.recreatesMissingFolder = true }.export()
    #expect(report.filesExported == 1)
  }

  @Test func `a cancelled import keeps what it merged, and the next goes on`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    for number in 1...20 {
      try phone.save(phone.names.insert("Tag", fixtureID(UInt64(number)), ["name": .string("tag \(number)")]))
    }
    _ = try await phone.engine().export()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    let started = Mutex<Task<SyncReport, any Error>?>(nil)
    let engine = laptop.engine { options in
      options.recordsPerCommit = 5
      options.progress = { event in
        if case .merged(_, upTo: 5, _) = event { started.withLock { $0?.cancel() } }
      }
    }
    started.withLock { task in
      task = Task { try await engine.import() }
    }
    let task = try #require(started.withLock { $0 })
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try laptop.store.read { try $0.versionVector.sequence(of: phone.id) } == 5)
    #expect(try await laptop.engine().import().transactionsMerged == 15)
    #expect(try laptop.dump == phone.dump)
  }

  @Test func `a field of another type is named and the rest is taken`() async throws {
    var schema = StoreSchema.fixture
    let note = try #require(schema.entities.firstIndex { $0.name == "Note" })
    schema.entities[note].attributes[0] = AttributeDefinition(name: "text", type: .int, isOptional: true)
    let (phone, laptop) = (try TestReplica(), try TestReplica(schema: schema))
    try phone.save(phone.names.insert("Note", fixtureID(1), ["text": .string("hello"), "x": .double(3)]))
    let report = try await phone.send(to: laptop)
    #expect(report.transactionsMerged == 1)
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("Note.text is of type int here and string where") == true)
    #expect(try laptop.store.value("Note", fixtureID(1), "x") == .double(3))
    #expect(try laptop.store.value("Note", fixtureID(1), "text") == .null)
  }

  @Test func `an entity not known here is kept, passed on, and appears with its schema`() async throws {
    var newer = StoreSchema.fixture
    newer.version = SchemaVersion(2, 0, 0)
    newer.entities.append(
      EntityDefinition(
        name: "Song", attributes: [AttributeDefinition(name: "title", type: .string)],
        relationships: [RelationshipDefinition(name: "trip", destination: "Trip")]))
    let (phone, tablet, laptop) = (try TestReplica(schema: newer), try TestReplica(), try TestReplica(schema: newer))
    try phone.save(
      phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]),
      phone.names.insert("Song", fixtureID(2), ["title": .string("Volare"), "trip": .reference(fixtureID(1))]))
    try await phone.send(to: tablet)
    #expect(try tablet.store.isVisible("Trip", fixtureID(1)))
    #expect(try tablet.store.read { $0.catalogue.entity(named: "Song")?.isDeclared } == false)
    try await tablet.send(to: laptop)
    #expect(try laptop.store.value("Song", fixtureID(2), "trip") == .reference(fixtureID(1)))
    try tablet.store.migrate(to: newer)
    #expect(try tablet.store.value("Song", fixtureID(2), "title") == .string("Volare"))
    #expect(try tablet.dump == phone.dump)
    try expectSound(tablet.store)
  }

  @Test func `a store restored from a backup goes on as a new replica and gets its later changes back`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("early")]))
    _ = try await phone.engine().export()
    let backup = try TemporaryFolder()
    let data = backup.url.appending(path: "restored.store")
    try FileManager.default.copyItem(at: phone.store.url, to: data)
    try phone.save(phone.names.insert("Tag", fixtureID(2), ["name": .string("late")]))
    try await phone.send(to: laptop)

    var configuration = phone.temporary.configuration
    configuration.url = data
    let restored = try RecordStore.open(configuration)
    var options = SyncOptions()
    options.storeID = TestReplica.family
    let report = try await SyncEngine(store: restored, folder: laptop.root, options: options).sync()
    #expect(report.transactionsMerged == 1)
    #expect(report.warnings.first?.contains("was copied, or restored from a backup") == true)
    #expect(try restored.isVisible("Tag", fixtureID(2)))
    #expect(try restored.read { try $0.replica } != phone.id)
  }
}

struct ConflictLogTests {
  private func collide() async throws -> (TestReplica, TestReplica) {
    let clock = ManualClock()
    let (phone, laptop) = (try TestReplica(clock: clock), try TestReplica(clock: clock))
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome"), "rating": .int(1)]))
    try await phone.send(to: laptop)
    try phone.save(phone.names.update("Trip", fixtureID(1), ["rating": .int(4)]))
    try laptop.save(laptop.names.update("Trip", fixtureID(1), ["rating": .int(5)]))
    try await phone.send(to: laptop)
    try await laptop.send(to: phone)
    return (phone, laptop)
  }

  @Test func `both devices log the same entry, with both values`() async throws {
    let (phone, laptop) = try await collide()
    let here = try ConflictLog(store: phone.store).entries()
    let there = try ConflictLog(store: laptop.store).entries()
    #expect(here.map(\.id) == there.map(\.id))
    #expect(here.count == 1)
    #expect(here[0].fields.map(\.lost) == [.int(4)])
    #expect(here[0].fields.map(\.winning) == [.int(5)])
    #expect(here[0].lostStamp.replica == (try phone.id))
    #expect(try ConflictLog(store: phone.store).entry(here[0].id) == here[0])
  }

  @Test func `restoring writes the lost value as a new edit and removes the entry`() async throws {
    let (phone, laptop) = try await collide()
    let log = ConflictLog(store: laptop.store)
    let entry = try #require(try log.entries().first)
    laptop.clock.advance()
    try log.restore(entry.id, author: "a person")
    #expect(try log.entries().isEmpty)
    try await laptop.send(to: phone)
    #expect(try phone.store.value("Trip", fixtureID(1), "rating") == .int(4))
    #expect(try phone.store.read { try $0.history(after: 0).last?.author } == "a person")
    let error = #expect(throws: SyncError.self) { try log.restore(entry.id) }
    #expect(error?.code == .conflictNotFound)
  }

  private static let day: UInt64 = 86_400_000

  @Test func `entries go after ninety days on which the store was synchronised`() async throws {
    let (phone, _) = try await collide()
    let log = ConflictLog(store: phone.store)
    #expect(try log.removeExpired(nowMilliseconds: phone.clock.milliseconds) == 0)
    for _ in 1..<ConflictLog.retentionDays {
      phone.clock.advance(byMilliseconds: ConflictLogTests.day)
      #expect(try log.removeExpired(nowMilliseconds: phone.clock.milliseconds) == 0)
    }
    #expect(try log.entries().count == 1)
    phone.clock.advance(byMilliseconds: ConflictLogTests.day)
    _ = try await phone.engine().import()
    #expect(try log.entries().isEmpty)
    // Nothing is left that counts.
    let last = try phone.store.read { try $0.history(after: 0).last?.number }
    _ = try await phone.engine().import()
    #expect(try phone.store.read { try $0.history(after: 0).last?.number } == last)
  }

  /// Entries went by the wall clock: a device that was started with a clock of years ahead, and synchronised, removed
  /// what nobody had read yet; so did one whose clock was put right after it had been years behind.
  @Test(arguments: [3650, -3650] as [Int64])
  func `a clock that is wrong for a while, or jumps, makes no entry old`(days: Int64) async throws {
    let (phone, _) = try await collide()
    let log = ConflictLog(store: phone.store)
    let now = Int64(phone.clock.milliseconds)
    let wrong = UInt64(now + days * Int64(ConflictLogTests.day))
    #expect(try log.removeExpired(nowMilliseconds: wrong) == 0)
    for _ in 0..<40 {
      #expect(try log.removeExpired(nowMilliseconds: UInt64(now)) == 0)
      #expect(try log.removeExpired(nowMilliseconds: wrong) == 0)
    }
    #expect(try log.entries().count == 1)
  }
}
