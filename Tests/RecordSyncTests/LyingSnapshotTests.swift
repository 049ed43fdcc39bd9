import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Snapshots with right checksums whose claims contradict each other, or what the store knows. Some were joined and
/// left the store unsound: it counted transactions as seen that it did not have, or had facts that it did not count as
/// seen.
struct LyingSnapshotTests {
  private static let stranger = ReplicaID(0x5757)
  /// Before everything that the clocks of these tests make.
  private static let early = stamp(1 << 20, 0x5757)
  private static let late = stamp(1 << 20 + 9, 0x5757)

  private static func honest() -> VersionVector { VersionVector(entries: [stranger: .init(sequence: 5, stamp: late)]) }

  /// A tag as the stranger has written it.
  private func tag(_ number: UInt64, _ stamp: Stamp, in replica: TestReplica) throws -> RecordFacts {
    let entity = try #require(try replica.store.read { $0.catalogue.entity(named: "Tag") }).number
    return RecordFacts(
      entity: entity, id: fixtureID(number), isInserted: true, touch: stamp,
      registers: [
        .init(ordinal: replica.names.ordinal("Tag", "name"), value: .string("theirs \(number)"), stamp: stamp)
      ])
  }

  /// Where a device would join the snapshot, because nothing else tells it of the stranger's stream.
  private func plant(
    _ content: SnapshotContent, _ vector: VersionVector, knowing more: [EntityDefinition] = [], in replica: TestReplica
  ) throws {
    let payload = content.encoded()
    let manifest = SnapshotManifest(
      storeID: TestReplica.family, replica: Self.stranger, clock: Self.late, vector: vector,
      schemaDescription: try SchemaDescription.encode(try replica.store.read { $0.catalogue.adding(more) }),
      chunks: payload.isEmpty
        ? [] : [SnapshotManifest.Chunk(byteCount: payload.count, hash: ContentHash(of: payload))])
    try replica.exchange.publish(
      payload, as: manifest, named: SnapshotName(vector: manifest.vector, manifest: manifest.encoded()))
    var head = ReplicaHead(
      storeID: TestReplica.family, replica: Self.stranger, lastSequence: 5, clock: Self.late,
      applied: VersionVector(), displayName: "stranger")
    head.schemaID = Array(1...16)
    head.oldestSequence = 6
    try replica.exchange.publish(head)
  }

  /// A device with tags of its own and of another device, of which one row is both's.
  private func device() async throws -> (phone: TestReplica, laptop: TestReplica) {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("shared")]))
    try laptop.save(laptop.names.insert("Tag", fixtureID(3), ["name": .string("laptop's")]))
    try phone.save(phone.names.insert("Tag", fixtureID(1), ["name": .string("shared")]))
    try await laptop.send(to: phone)
    #expect(try phone.store.read { try $0.canonical(fixtureID(2)) } == fixtureID(1))
    return (phone, laptop)
  }

  /// Synchronises, saves and synchronises again, and reads what another device writes meanwhile.
  private func goOn(_ phone: TestReplica, _ laptop: TestReplica) async throws -> SyncReport {
    let report = try await phone.engine().sync()
    try phone.save(phone.names.insert("Tag", fixtureID(78), ["name": .string("phone's")]))
    try laptop.save(laptop.names.insert("Tag", fixtureID(79), ["name": .string("laptop's new one")]))
    try await laptop.send(to: phone)
    _ = try await phone.engine().sync()
    #expect(try phone.store.isVisible("Tag", fixtureID(79)))
    try expectSound(phone.store)
    return report
  }

  private func expectRefused(
    _ content: SnapshotContent, _ vector: VersionVector, because reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (phone, laptop) = try await device()
    try plant(content, vector, in: phone)
    let name = try #require(try phone.exchange.intactSnapshots().first).path
    let report = try await goOn(phone, laptop)
    #expect(report.snapshotsJoined == 0, sourceLocation: sourceLocation)
    #expect(
      report.waiting.contains { $0.contains(reason) && $0.contains(name) }, "\(report.waiting)",
      sourceLocation: sourceLocation)
    #expect(
      try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == 0, sourceLocation: sourceLocation)
  }

  @Test func `one whose claims are true is joined`() async throws {
    let (phone, laptop) = try await device()
    var content = SnapshotContent()
    content.records = [try tag(77, Self.early, in: phone)]
    try plant(content, Self.honest(), in: phone)
    #expect(try await goOn(phone, laptop).snapshotsJoined == 1)
    #expect(try phone.store.isVisible("Tag", fixtureID(77)))
  }

  enum Fact: CaseIterable { case record, pastWrite, context }

  @Test(arguments: Fact.allCases) func `facts that the vector does not count are refused`(fact: Fact) async throws {
    let (phone, _) = try await device()
    let uncounted = Stamp(time: Self.late.time, counter: 1, replica: Self.stranger)
    var content = SnapshotContent()
    content.records = [try tag(77, Self.early, in: phone)]
    switch fact {
    case .record: content.records.append(try tag(76, uncounted, in: phone))
    case .pastWrite:
      let name = phone.names.ordinal("Tag", "name")
      let write = PastWrite(ordinal: name, stamp: stamp(1, 0x5858), value: .string("older"))
      content.pastWrites = [RecordPastWrite(entity: content.records[0].entity, id: fixtureID(77), write: write)]
    case .context: content.contexts = [CausalContext(since: uncounted, context: VersionVector())]
    }
    try await expectRefused(content, Self.honest(), because: "does not count")
  }

  /// The records before it are taken before it is read.
  @Test func `a lie in the last of many records undoes all, and is not read again`() async throws {
    let (phone, laptop) = try await device()
    let before = try phone.store.read { $0.catalogue }
    let entity = EntityDefinition(name: "Stranger", attributes: [AttributeDefinition(name: "name", type: .string)])
    var content = SnapshotContent()
    content.records = try (0..<10_000).map { try tag(1_000 + $0, Self.early, in: phone) }
    try plant(content, Self.honest(), knowing: [entity], in: phone)
    let honest = try #require(try phone.exchange.intactSnapshots().first)
    let uncounted = Stamp(time: Self.late.time, counter: 1, replica: Self.stranger)
    content.records.append(try tag(11_001, uncounted, in: phone))
    try FileManager.default.removeItem(at: honest.folder)
    try plant(content, Self.honest(), knowing: [entity], in: phone)
    let lying = try #require(try phone.exchange.intactSnapshots().first)
    let report = try await goOn(phone, laptop)
    #expect(report.waiting.contains { $0.contains("does not count") }, "\(report.waiting)")
    #expect(try phone.store.read { $0.catalogue } == before)
    #expect(try !phone.store.isVisible("Tag", fixtureID(1_000)))

    try FileManager.default.removeItem(at: lying.folder.appending(path: SnapshotName.chunk(0)))
    #expect(try await phone.engine().sync().waiting.contains { $0.contains("does not count") })
    content.records.removeLast()
    try plant(content, Self.honest(), knowing: [entity], in: phone)
    #expect(try await goOn(phone, laptop).snapshotsJoined == 1)
    #expect(try phone.store.isVisible("Tag", fixtureID(1_000)))
    #expect(try phone.store.read { $0.catalogue.entity(named: "Stranger") } != nil)
  }

  @Test func `a snapshot that lacks a chunk is taken when it has come`() async throws {
    let (phone, laptop) = try await device()
    var content = SnapshotContent()
    content.records = [try tag(77, Self.early, in: phone)]
    try plant(content, Self.honest(), in: phone)
    let snapshot = try #require(try phone.exchange.intactSnapshots().first)
    let chunk = snapshot.folder.appending(path: SnapshotName.chunk(0))
    let bytes = try Data(contentsOf: chunk)
    try FileManager.default.removeItem(at: chunk)
    #expect(try await goOn(phone, laptop).waiting.contains { $0.contains("lacks its chunk") })
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[place] ^= 1
      try damaged.write(to: chunk)
      let report = try await phone.engine().sync()
      #expect(report.snapshotsJoined == 0 && report.waiting.contains { $0.contains("damaged") }, "\(place)")
    }
    try bytes.write(to: chunk)
    #expect(try await goOn(phone, laptop).snapshotsJoined == 1)
  }

  @Test func `a vector that ends a stream with another's transaction, or with none, is refused`() async throws {
    for entry in [VersionVector.Entry(sequence: 5, stamp: stamp(9, 0x5858)), .init(sequence: 0, stamp: Self.late)] {
      var vector = Self.honest()
      vector.entries[ReplicaID(0x5959)] = entry
      try await expectRefused(SnapshotContent(), vector, because: "not one of its stream")
    }
  }

  @Test func `a vector that counts what this device has not written is refused`() async throws {
    let (phone, laptop) = try await device()
    let own = try #require(try phone.store.read { try $0.versionVector.entries[try phone.id] })
    var vector = Self.honest()
    vector.entries[try phone.id] = .init(sequence: own.sequence + 1, stamp: own.stamp)
    try plant(SnapshotContent(), vector, in: phone)
    let report = try await goOn(phone, laptop)
    #expect(report.waiting.contains { $0.contains("has not written") }, "\(report.waiting)")
  }

  /// By sequence more and by time less than is known, and the other way round.
  @Test(arguments: [(1, -1), (1, 0), (0, 1), (-1, 1)])
  func `a vector that tells a known stream otherwise is refused`(sequence: Int, time: Int) async throws {
    let (phone, laptop) = try await device()
    let known = try #require(try phone.store.read { try $0.versionVector.entries[try laptop.id] })
    var vector = Self.honest()
    vector.entries[try laptop.id] = .init(
      sequence: UInt64(Int(known.sequence) + sequence),
      stamp: Stamp(
        time: UInt64(Int(known.stamp.time) + time), counter: known.stamp.counter, replica: known.stamp.replica))
    try plant(SnapshotContent(), vector, in: phone)
    let report = try await goOn(phone, laptop)
    #expect(report.waiting.contains { $0.contains("otherwise than its stream") }, "\(report.waiting)")
  }

  @Test(arguments: [0, 1]) func `an overwritten value that nothing has overwritten is refused`(
    after: UInt64
  ) async throws {
    let (phone, _) = try await device()
    var content = SnapshotContent()
    content.records = [try tag(77, Self.early, in: phone)]
    let write = PastWrite(
      ordinal: phone.names.ordinal("Tag", "name"), stamp: stamp(Self.early.time + after, 0x5757),
      value: .string("before"))
    for id in [77, 76] as [UInt64] {
      content.pastWrites = [RecordPastWrite(entity: content.records[0].entity, id: fixtureID(id), write: write)]
      try await expectRefused(content, Self.honest(), because: "nothing newer has overwritten")
    }
  }

  @Test func `runs of a once key that fall are refused`() async throws {
    var content = SnapshotContent()
    content.once = [OnceEntry(key: try OnceKey("key"), runs: [Self.late, Self.early])]
    try await expectRefused(content, Self.honest(), because: "once key")
    content.once = [OnceEntry(key: try OnceKey("key"), runs: [])]
    try await expectRefused(content, Self.honest(), because: "once key")
  }

  /// An id that is a record's own, in the snapshot or here; one that leads to a greater id, to another alias, nowhere.
  @Test(arguments: [[77: 70], [70: 77], [90: 77, 91: 90], [90: 76], [3: 0]] as [[UInt64: UInt64]])
  func `aliases that cannot be are refused`(aliases: [UInt64: UInt64]) async throws {
    let (phone, _) = try await device()
    var content = SnapshotContent()
    content.records = try [0, 77].map { try tag($0, Self.early, in: phone) }
    content.aliases = Dictionary(uniqueKeysWithValues: aliases.map { (fixtureID($0), fixtureID($1)) })
    try await expectRefused(content, Self.honest(), because: "gives the id")
  }

  @Test func `an alias of an earlier build is taken where rows are shared already`() async throws {
    let (phone, laptop) = try await device()
    var content = SnapshotContent()
    content.records = [try tag(77, Self.early, in: phone)]
    content.aliases = [fixtureID(90): fixtureID(77)]
    try plant(content, Self.honest(), in: phone)
    #expect(try await goOn(phone, laptop).snapshotsJoined == 1)
    #expect(try phone.store.read { try $0.canonical(fixtureID(90)) } == fixtureID(77))
  }

  /// Which records share a row follows from what authors knew; for what is here, their own contexts have decided that.
  @Test func `what authors of known transactions had seen is not told anew`() async throws {
    let (phone, laptop) = try await device()
    _ = try await phone.engine().export()
    _ = try await phone.engine().writeSnapshot()
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    for author in [try phone.id, try laptop.id] {
      try FileManager.default.removeItem(at: fresh.exchange.stream(of: author))
    }
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    try expectSound(fresh.store)
    let applied = try fresh.store.read { try $0.versionVector }
    var content = SnapshotContent()
    content.contexts = try fresh.store.read { snapshot in
      try snapshot.causalContexts().map { CausalContext(since: $0.since, context: applied) }
    }
    #expect(!content.contexts.isEmpty)
    var vector = applied
    vector.join(Self.honest())
    try plant(content, vector, in: fresh)
    #expect(try await goOn(fresh, laptop).snapshotsJoined == 1)
    #expect(try fresh.store.read { try $0.canonical(fixtureID(2)) } == fixtureID(1))
  }

  /// A forked stream changes what authors knew, for all of its writes: nothing shows
  /// that it is false, so rows must be what it makes of them.
  @Test func `a stream that is called forked without being so leaves the store sound`() async throws {
    let (phone, laptop) = try await device()
    try laptop.save(laptop.names.delete("Tag", fixtureID(3)))
    try laptop.save(laptop.names.insert("Tag", fixtureID(4), ["name": .string("laptop's")]))
    try await laptop.send(to: phone)
    #expect(try phone.store.read { try $0.canonical(fixtureID(4)) } == fixtureID(4))
    var content = SnapshotContent()
    content.attachments = [
      ForkedStreams.attachment(stream: try laptop.id, branch: ReplicaID(.max), lastShared: .zero)
    ]
    try plant(content, Self.honest(), in: phone)
    #expect(try await goOn(phone, laptop).snapshotsJoined == 1)
    #expect(try phone.store.read { try $0.canonical(fixtureID(4)) } == fixtureID(3))
  }

  @Test func `a device that is called a branch of another's stream is none`() async throws {
    let (phone, laptop) = try await device()
    for branch in [try phone.id, try laptop.id] {
      var content = SnapshotContent()
      content.attachments = [
        ForkedStreams.attachment(stream: Self.stranger, branch: branch, lastShared: Self.early)
      ]
      try plant(content, Self.honest(), in: phone)
      let report = try await goOn(phone, laptop)
      #expect(report.waiting.contains { $0.contains("a branch") }, "\(report.waiting)")
    }
  }

  /// A change set of the stranger from transaction 1 on: each makes, or deletes, a tag, of which the first have one
  /// name.
  private func plantTransactions(_ records: [(number: UInt64, isDeleted: Bool)], in replica: TestReplica) throws {
    let catalogue = try replica.store.read { $0.catalogue }
    let transactions = try records.enumerated().map { index, record in
      let stamp = stamp(Self.early.time + UInt64(index), 0x5757)
      var facts = try tag(record.number, stamp, in: replica)
      if record.isDeleted {
        facts = RecordFacts(entity: facts.entity, id: facts.id, deleted: stamp)
      } else if record.number < 72 {
        facts.registers[0].value = .string("one name")
      }
      return TransactionCodec.encode(
        TransactionFacts(
          dot: Dot(replica: Self.stranger, sequence: UInt64(index) + 1), stamp: stamp, author: nil,
          context: VersionVector(), records: [facts]))
    }
    let set = ChangeSet(
      storeID: TestReplica.family, replica: Self.stranger, firstSequence: 1, previousHash: ContentHash.none.bytes,
      schemaDescription: try SchemaDescription.encode(catalogue), transactions: transactions)
    let bytes = ChangeSetCodec.encode(set)
    let name = ChangeSetName(from: 1, to: UInt64(records.count), hash: ContentHash(of: bytes))
    try DurableFile.publish(bytes, named: name.text, in: replica.exchange.stream(of: Self.stranger))
  }

  /// By files as well: those that a device has read are replaced by two that begin otherwise.
  @Test func `a stream that shows itself forked without what was read of it leaves the store sound`() async throws {
    let (phone, laptop) = try await device()
    try plantTransactions([(70, false), (70, true), (71, false)], in: phone)
    _ = try await goOn(phone, laptop)
    #expect(try phone.store.read { try $0.canonical(fixtureID(71)) } == fixtureID(71))
    try FileManager.default.removeItem(at: phone.exchange.stream(of: Self.stranger))
    for number in [72, 73] as [UInt64] { try plantTransactions([(number, false)], in: phone) }
    let before = try phone.store.read { try $0.lastTransactionNumber }
    let report = try await goOn(phone, laptop)
    #expect(report.warnings.contains { $0.contains("both are taken") }, "\(report.warnings)")
    #expect(try phone.store.read { try $0.canonical(fixtureID(71)) } == fixtureID(70))
    let changes = try phone.store.read { try $0.history(after: before) }.flatMap(\.changes)
    #expect(changes.contains { $0.id == fixtureID(71) && $0.kind == .delete })
  }
}
