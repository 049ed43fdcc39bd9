import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values between replicas that meet in one folder: change sets name them, and they lie in files of their own.
struct LargeValueTests {
  /// Replicas with photos, and a folder in clear or with a key.
  final class Album {
    static let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Photo",
        attributes: [
          AttributeDefinition(name: "name", type: .string),
          AttributeDefinition(name: "image", type: .data, isOptional: true, isStoredExternally: true),
        ])
    ])

    let root: TemporaryFolder
    let key: FamilyKey?
    let replicas: [TestReplica]

    init(
      isSealed: Bool = false, count: Int = 2, schemas: [StoreSchema] = [], largeValueBytes: [Int] = []
    ) throws {
      root = try TemporaryFolder()
      key = isSealed ? FamilyKey() : nil
      replicas = try (0..<count).map { index in
        try TestReplica(
          schema: schemas.indices.contains(index) ? schemas[index] : Album.schema,
          largeValueBytes: largeValueBytes.indices.contains(index) ? largeValueBytes[index] : 131_072)
      }
    }

    var exchange: ExchangeFolder { ExchangeFolder(root: root.url, storeID: TestReplica.family, key: key) }

    func engine(_ index: Int, _ change: (inout SyncOptions) -> Void = { _ in }) -> SyncEngine {
      var options = SyncOptions()
      options.storeID = TestReplica.family
      options.key = key
      change(&options)
      return SyncEngine(store: replicas[index].store, folder: root.url, options: options)
    }

    @discardableResult
    func sync(_ indices: Int...) async throws -> [SyncReport] {
      var reports: [SyncReport] = []
      for index in indices { reports.append(try await engine(index).sync()) }
      return reports
    }

    func insert(_ number: UInt64, _ image: Data?, on index: Int) throws {
      let replica = replicas[index]
      try replica.save(
        replica.names.insert(
          "Photo", fixtureID(number), ["name": .string("\(number)"), "image": image.map { .data($0) } ?? .null]))
    }

    func update(_ number: UInt64, _ image: Data?, on index: Int) throws {
      let replica = replicas[index]
      try replica.save(
        replica.names.update("Photo", fixtureID(number), ["image": image.map { .data($0) } ?? .null]))
    }

    /// Whether the replica's own folder has the value: others of the process do not count.
    func has(_ image: Data, _ index: Int) throws -> Bool {
      let reference = try #require(ExternalReference(of: image))
      return try #require(replicas[index].store.externalFolder).has(reference)
    }

    func image(_ number: UInt64, on index: Int) throws -> FieldValue? {
      try replicas[index].store.value("Photo", fixtureID(number), "image")
    }

    /// The files of values, by their paths in the folder.
    func valueFiles() throws -> [URL] {
      try exchange.knownReplicas().flatMap { replica in
        try DurableFile.names(in: exchange.values(of: replica)).map { exchange.values(of: replica).appending(path: $0) }
      }
    }

    func expectEqual() throws {
      for replica in replicas {
        #expect(try replica.dump == replicas[0].dump)
        try replica.temporary.check()
      }
    }
  }

  /// A process reads a value from any store that it has open: this suite's values are no other's.
  private static func bytes(_ count: Int, _ seed: UInt64) -> Data { SeededGenerator.bytes(count, seed << 32) }

  @Test(arguments: [false, true])
  func `a large value travels in a file of its own, and the change set names it`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(300_000, 1)
    try album.insert(1, image, on: 0)
    try album.insert(2, image, on: 0)
    let reports = try await album.sync(0, 1)
    #expect(reports.map(\.valuesDelivered) == [1, 0] && reports.map(\.valuesReceived) == [0, 1])
    #expect(reports.allSatisfy { $0.isComplete }, "\(reports)")
    #expect(try album.image(1, on: 1) == .data(image) && album.image(2, on: 1) == .data(image))
    #expect(try album.has(image, 1))
    let files = try album.valueFiles()
    #expect(files.count == 1)
    let bytes = try Data(contentsOf: files[0])
    let name = try #require(ExternalReference(of: image)).name
    #expect((bytes == image) != isSealed)
    #expect(files[0].lastPathComponent.contains(name) != isSealed)
    let set = try #require(
      try album.exchange.listing(of: album.replicas[0].id).files.first?
        .read(expecting: album.exchange, replica: album.replicas[0].id))
    #expect(set.holdsReferences && set.transactions.allSatisfy { $0.count < 1_000 })
    try album.expectEqual()
    let again = try await album.sync(0, 1, 0)
    #expect(again.allSatisfy { $0.isUnchanged && $0.isComplete }, "\(again)")
  }

  @Test func `without large values every file is of the formats that earlier builds read`() async throws {
    let album = try Album()
    try album.insert(1, Self.bytes(1_000, 2), on: 0)
    try await album.sync(0)
    _ = try await album.engine(0).writeSnapshot()
    let id = try album.replicas[0].id
    let file = try #require(try album.exchange.listing(of: id).files.first)
    #expect(try ChangeSetHeader(DurableFile.read(file.url, limit: 1 << 20)[...], subject: "it").leastReader == 3)
    #expect(try album.exchange.intactSnapshots(of: id).allSatisfy { !$0.manifest.holdsReferences })
    #expect(try album.valueFiles().isEmpty)
  }

  @Test(arguments: [false, true])
  func `a record whose value has not come says so, and the value comes later`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(200_000, 3)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    let file = try #require(try album.valueFiles().first)
    let kept = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    let report = try #require(try await album.sync(1).first)
    #expect(report.transactionsMerged == 1 && report.valuesReceived == 0)
    #expect(!report.isComplete)
    let author = try album.replicas[0].id
    #expect(report.awaited.count == 1 && report.awaited[0].contains("\(author)"))
    #expect(try !album.has(image, 1))
    try album.replicas[1].temporary.check()
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try kept.write(to: file)
    let later = try #require(try await album.sync(1).first)
    #expect(later.valuesReceived == 1 && later.isComplete)
    #expect(try album.image(1, on: 1) == .data(image) && album.has(image, 1))
    try album.expectEqual()
  }

  @Test(arguments: [false, true])
  func `a value's file that is cut short or changed is refused, and a whole one elsewhere is taken`(
    isSealed: Bool
  ) async throws {
    let album = try Album(isSealed: isSealed, count: 3)
    let image = Self.bytes(200_000, 4)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    let file = try #require(try album.valueFiles().first)
    let kept = try Data(contentsOf: file)
    var changed = kept
    changed[changed.count / 2] ^= 1
    for damaged in [kept.dropLast(1), changed, Data(kept.reversed())] {
      try damaged.write(to: file)
      let report = try #require(try await album.sync(1).first)
      #expect(report.valuesReceived == 0 && report.refused.count == 1, "\(report)")
      #expect(report.refused.first?.file.hasSuffix(file.lastPathComponent) == true)
      #expect(try !album.has(image, 1))
    }
    let other = album.exchange.values(of: ReplicaID(77))
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    try kept.write(to: other.appending(path: file.lastPathComponent))
    let report = try #require(try await album.sync(1).first)
    #expect(report.valuesReceived == 1)
    #expect(try album.has(image, 1))
  }

  @Test func `a run without news lists values and looks at none`() async throws {
    let album = try Album()
    for number in 1...20 { try album.insert(UInt64(number), Self.bytes(140_000, 100 + UInt64(number)), on: 0) }
    try await album.sync(0, 1, 0, 1)
    let calls = Mutex<[String]>([])
    let watcher: @Sendable (FileCall, String) -> Int32? = { _, path in
      calls.withLock { $0.append(path) }
      return nil
    }
    _ = try await FileCall.$watcher.withValue(watcher) { try await album.sync(1) }
    let seen = calls.withLock { $0 }
    #expect(seen.count <= 2 * 20 + 2, "\(seen)")
    #expect(!seen.contains { $0.hasSuffix(".tlv") })
  }

  @Test func `equal values of two replicas are one file`() async throws {
    let album = try Album()
    let image = Self.bytes(200_000, 5)
    try album.insert(1, image, on: 0)
    try album.insert(2, image, on: 1)
    let reports = try await album.sync(0, 1, 0)
    #expect(reports.map(\.valuesDelivered) == [1, 0, 0] && reports.map(\.valuesReceived) == [0, 0, 0])
    #expect(try album.valueFiles().count == 1)
    try album.expectEqual()
  }

  @Test func `a file that was lost in the folder comes back from any replica that has the value`() async throws {
    let album = try Album(count: 3)
    let image = Self.bytes(200_000, 6)
    try album.insert(1, image, on: 0)
    try await album.sync(0, 1)
    try FileManager.default.removeItem(at: try #require(try album.valueFiles().first))
    let reports = try await album.sync(1, 2)
    #expect(reports.map(\.valuesDelivered) == [1, 0] && reports.map(\.valuesReceived) == [0, 1])
    try album.expectEqual()
  }

  @Test func `a snapshot names large values, and a new device gets them`() async throws {
    let album = try Album()
    let image = Self.bytes(200_000, 7)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    _ = try await album.engine(0).writeSnapshot()
    let id = try album.replicas[0].id
    let snapshot = try #require(try album.exchange.intactSnapshots(of: id).first)
    #expect(snapshot.manifest.holdsReferences && snapshot.manifest.payloadBytes < 10_000)
    for file in try album.exchange.listing(of: id).files { try FileManager.default.removeItem(at: file.url) }
    let report = try await album.engine(1).import()
    #expect(report.snapshotsJoined == 1 && report.valuesReceived == 1, "\(report)")
    #expect(try album.image(1, on: 1) == .data(image))
    try album.expectEqual()
  }

  @Test func `a lost change set of an earlier build, with the value inside, is made again as it was`() async throws {
    let album = try Album()
    let (replica, image) = (album.replicas[0], Self.bytes(200_000, 8))
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    // As the build before this one wrote and noted it.
    let id = try replica.id
    let file = try #require(try album.exchange.listing(of: id).files.first)
    var set = try file.read(expecting: album.exchange, replica: id)
    set.transactions = try replica.store.read { snapshot in try set.transactions.map { try snapshot.withValues($0) } }
    set.holdsReferences = false
    let former = ChangeSetCodec.file(of: set)
    let record = ExportRecord(
      set, file: former, schemaKey: SyncAttachment.schemas + ContentHash(of: set.schemaDescription).bytes.prefix(16))
    _ = try replica.store.commit(
      SaveRequest(attachments: [record.attachment(storeID: TestReplica.family, replica: id)]))
    try FileManager.default.removeItem(at: file.url)
    try await album.sync(0)
    let made = try #require(try album.exchange.listing(of: id).files.first)
    #expect(try DurableFile.read(made.url, limit: 1 << 22) == former.bytes)
    // The same transaction in both forms is no fork.
    try album.exchange.publish(former.bytes, record.name, of: id)
    let report = try #require(try await album.sync(1).first)
    #expect(report.isComplete && report.warnings.isEmpty, "\(report)")
    #expect(try replica.id == id)
    try album.expectEqual()
  }

  @Test func `one stream in files of both forms is no fork`() async throws {
    let album = try Album()
    let replica = album.replicas[0]
    for number in 1...3 { try album.insert(UInt64(number), Self.bytes(150_000, 8 + UInt64(number)), on: 0) }
    try await album.sync(0)
    let id = try replica.id
    let file = try #require(try album.exchange.listing(of: id).files.first)
    let set = try file.read(expecting: album.exchange, replica: id)
    var part = set
    part.transactions = try replica.store.read { snapshot in
      try set.transactions.prefix(2).map { try snapshot.withValues($0) }
    }
    part.holdsReferences = false
    let bytes = ChangeSetCodec.encode(part)
    try album.exchange.publish(bytes, ChangeSetName(from: 1, to: 2, hash: ContentHash(of: bytes)), of: id)
    let reports = try await album.sync(1, 0, 1)
    #expect(reports.allSatisfy { $0.warnings.isEmpty && $0.refused.isEmpty }, "\(reports)")
    #expect(try replica.id == id)
    try album.expectEqual()
  }

  @Test func `a device on which the attribute is not stored externally keeps the name of the value`() async throws {
    var plain = Album.schema
    plain.entities[0].attributes[1].isStoredExternally = false
    let unknown = StoreSchema(entities: [
      EntityDefinition(name: "Photo", attributes: [AttributeDefinition(name: "name", type: .string)])
    ])
    let album = try Album(count: 3, schemas: [Album.schema, plain, unknown])
    let image = Self.bytes(200_000, 20)
    try album.insert(1, image, on: 0)
    let reports = try await album.sync(0, 1, 2)
    #expect(reports.allSatisfy { $0.isComplete }, "\(reports)")
    #expect(try album.has(image, 1) && album.has(image, 2))
    #expect(try album.image(1, on: 1) == .data(image))
    try album.expectEqual()
  }

  @Test func `a device that has the attribute in an index waits for the value before it merges`() async throws {
    var indexed = Album.schema
    indexed.entities[0].uniquenessConstraints = [["image"]]
    let album = try Album(schemas: [Album.schema, indexed])
    let image = Self.bytes(200_000, 21)
    try album.insert(1, image, on: 0)
    try await album.sync(0)
    let file = try #require(try album.valueFiles().first)
    let kept = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    let report = try #require(try await album.sync(1).first)
    #expect(report.transactionsMerged == 0 && report.waiting.count == 1 && !report.isComplete, "\(report)")
    try kept.write(to: file)
    let later = try #require(try await album.sync(1).first)
    #expect(later.transactionsMerged == 1 && later.isComplete, "\(later)")
    try album.expectEqual()
  }

  @Test func `a large value that lost is in the conflict log, and is restored`() async throws {
    let album = try Album()
    let (first, second) = (Self.bytes(200_000, 22), Self.bytes(200_000, 23))
    try album.insert(1, nil, on: 0)
    try await album.sync(0, 1)
    try album.update(1, first, on: 0)
    album.replicas[1].clock.advance(byMilliseconds: 50)
    try album.update(1, second, on: 1)
    try await album.sync(0, 1, 0, 1)
    let log = ConflictLog(store: album.replicas[0].store)
    let entry = try #require(try log.entries().first)
    #expect(entry.fields.map(\.lost) == [.data(first)] && entry.fields.map(\.winning) == [.data(second)])
    _ = try log.restore(entry.id)
    try await album.sync(0, 1)
    #expect(try album.image(1, on: 1) == .data(first))
    try album.expectEqual()
  }

  @Test func `an owner removes a file once no replica names its value`() async throws {
    let album = try Album()
    let image = Self.bytes(200_000, 24)
    try album.insert(1, image, on: 0)
    try await album.sync(0, 1, 0)
    try album.update(1, nil, on: 0)
    try await album.sync(0)
    #expect(try album.valueFiles().count == 1)
    for replica in album.replicas {
      let last = try replica.store.read { try $0.lastTransactionNumber }
      try replica.store.trimHistory(through: last)
      replica.clock.advance(byMilliseconds: 86_400_001)
    }
    // The second replica has not merged the change.
    try await album.sync(0, 0)
    #expect(try album.valueFiles().count == 1)
    for _ in 0..<2 {
      try await album.sync(1, 0)
      for replica in album.replicas {
        let last = try replica.store.read { try $0.lastTransactionNumber }
        try replica.store.trimHistory(through: last)
        replica.clock.advance(byMilliseconds: 86_400_001)
      }
    }
    try await album.sync(1, 0)
    #expect(try album.valueFiles().isEmpty)
    try album.expectEqual()
  }

  @Test func `a device that asks for values leaves the others in the folder`() async throws {
    let album = try Album(isSealed: true)
    let (first, second) = (Self.bytes(200_000, 27), Self.bytes(200_000, 28))
    try album.insert(1, first, on: 0)
    try album.insert(2, second, on: 0)
    try await album.sync(0)
    let engine = album.engine(1) { $0.largeValues = .onDemand }
    let report = try await engine.sync()
    #expect(report.transactionsMerged == 2 && report.valuesReceived == 0 && report.isComplete, "\(report)")
    #expect(try !album.has(first, 1) && !album.has(second, 1))
    let name = try #require(ExternalReference(of: second)).name
    try await engine.loadValue(sha256: name)
    #expect(try !album.has(first, 1) && album.has(second, 1))
    try await engine.loadValue(sha256: name)
    for file in try album.valueFiles() { try FileManager.default.removeItem(at: file) }
    let missing = try #require(ExternalReference(of: first)).name
    let error = await #expect(throws: SyncError.self) { try await engine.loadValue(sha256: missing) }
    #expect(error?.code == .missingValue)
    try await album.sync(0, 1)
    try album.expectEqual()
  }

  @Test func `a value that lost its file on a device comes back at its next synchronisation`() async throws {
    let album = try Album()
    let image = Self.bytes(200_000, 25)
    try album.insert(1, image, on: 0)
    try await album.sync(0, 1)
    let reference = try #require(ExternalReference(of: image))
    let folder = try #require(album.replicas[1].store.externalFolder)
    try FileManager.default.removeItem(atPath: folder.path(of: reference.name))
    try await album.sync(1)
    #expect(try album.has(image, 1))
    try album.expectEqual()
  }

  @Test func `a run that stops anywhere loses no value, and the next one ends its work`() async throws {
    var point = 1
    while true {
      let album = try Album()
      let image = Self.bytes(200_000, 26)
      try album.insert(1, image, on: 0)
      let isStopped = try await isStopped(at: point) { try await album.sync(0, 1) }
      try await album.sync(0, 1)
      #expect(try album.image(1, on: 1) == .data(image), "after a stop at point \(point)")
      #expect(try album.has(image, 1))
      try album.expectEqual()
      guard isStopped else { break }
      point += 1
    }
    #expect(point > 20)
  }
}
