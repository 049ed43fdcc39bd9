import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Files with right checksums and numbers at the end of their range. A change set with the greatest stamp was merged,
/// and from then on no device could write above it; a counter or a vector at the end of its range ended the process at
/// the first addition. Each test synchronises twice with a save between, for some of this showed only then.
struct HostileNumbersTests {
  private static let stranger = ReplicaID(0x5757)

  /// Writes one transaction of a stranger into a replica's folder, as its first.
  private func plant(
    _ stamp: Stamp, context: VersionVector = VersionVector(), sequence: UInt64 = 1, in replica: TestReplica
  ) throws {
    try plant([stamp], context: context, sequence: sequence, in: replica)
  }

  /// Writes a file with a transaction of a stranger for each stamp.
  private func plant(
    _ stamps: [Stamp], context: VersionVector = VersionVector(), sequence: UInt64 = 1, isEmpty: Bool = false,
    in replica: TestReplica
  ) throws {
    let catalogue = try replica.store.read { $0.catalogue }
    let tag = try #require(catalogue.entity(named: "Tag"))
    let name = replica.names.ordinal("Tag", "name")
    let transactions = stamps.enumerated().map { index, stamp in
      TransactionFacts(
        dot: Dot(replica: stamp.replica, sequence: sequence + UInt64(index)), stamp: stamp, author: nil,
        context: context,
        records: isEmpty
          ? []
          : [
            RecordFacts(
              entity: tag.number, id: fixtureID(77), isInserted: true, touch: stamp,
              registers: [.init(ordinal: name, value: .string("theirs"), stamp: stamp)])
          ])
    }
    let set = ChangeSet(
      storeID: TestReplica.family, replica: stamps[0].replica, firstSequence: sequence,
      previousHash: ContentHash.none.bytes, schemaDescription: try SchemaDescription.encode(catalogue),
      transactions: transactions.map { TransactionCodec.encode($0) })
    let bytes = ChangeSetCodec.encode(set)
    let last = sequence + UInt64(stamps.count - 1)
    let file = ChangeSetName(from: sequence, to: last, hash: ContentHash(of: bytes))
    try DurableFile.publish(bytes, named: file.text, in: replica.exchange.stream(of: set.replica))
  }

  /// Synchronises, saves, synchronises again; then what is written here must win on another device that has the files.
  private func expectGoingOn(_ phone: TestReplica, _ laptop: TestReplica) async throws -> SyncReport {
    let report = try await phone.engine().sync()
    try phone.save(phone.names.insert("Tag", fixtureID(78), ["name": .string("ours")]))
    _ = try await phone.engine().sync()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    _ = try await laptop.engine().sync()
    try laptop.save(laptop.names.update("Tag", fixtureID(78), ["name": .string("ours again")]))
    _ = try await laptop.engine().sync()
    _ = try ExchangeCopy(source: laptop.exchange, target: phone.exchange).run()
    _ = try await phone.engine().sync()
    #expect(try phone.store.value("Tag", fixtureID(78), "name") == .string("ours again"))
    #expect(try phone.dump == laptop.dump)
    try expectSound(phone.store)
    try expectSound(laptop.store)
    return report
  }

  @Test(arguments: [UInt16.max, UInt16.max - 1, Stamp.greatestFreeEpoch + 1])
  func `a stamp that could hardly be surpassed is refused, and names its file`(epoch: UInt16) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    let stamp = Stamp(epoch: epoch, wallMilliseconds: .max, counter: .max, replica: Self.stranger)
    _ = try await phone.engine().sync()
    try plant(stamp, in: phone)
    let report = try await expectGoingOn(phone, laptop)
    #expect(report.refused.count == 1)
    #expect(report.refused.first?.reason.contains("clock") ?? false, "\(report.refused)")
    #expect(try !phone.store.isVisible("Tag", fixtureID(77)))
  }

  @Test func `the greatest stamp that is taken is surpassed by every device`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    let stamp = Stamp(
      epoch: Stamp.greatestFreeEpoch, wallMilliseconds: .max, counter: .max, replica: Self.stranger)
    _ = try await phone.engine().sync()
    try plant(stamp, in: phone)
    let report = try await expectGoingOn(phone, laptop)
    #expect(report.refused.isEmpty)
    #expect(try phone.store.value("Tag", fixtureID(77), "name") == .string("theirs"))
    try phone.save(phone.names.update("Tag", fixtureID(77), ["name": .string("mine")]))
    _ = try await phone.send(to: laptop)
    #expect(try laptop.store.value("Tag", fixtureID(77), "name") == .string("mine"))
    #expect(try phone.dump == laptop.dump)
  }

  private func climb(from epoch: UInt16, count: UInt16, _ replica: ReplicaID) -> [Stamp] {
    (epoch..<epoch + count).map { Stamp(epoch: $0, wallMilliseconds: .max, counter: .max, replica: replica) }
  }

  /// Each was at most one epoch above the one before, so a file of 33,000 small transactions led to the end.
  @Test func `stamps that climb epoch by epoch, in one file and in several, do not reach the end in one import`()
    async throws
  {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let first = Stamp.greatestFreeEpoch
    try plant(climb(from: first, count: 400, Self.stranger), isEmpty: true, in: phone)
    for part in 0..<4 as Range<UInt16> {
      let replica = ReplicaID(Self.stranger.value + 1 + UInt64(part))
      try plant(climb(from: first + part * 100, count: 101, replica), isEmpty: true, in: phone)
    }
    let report = try await phone.engine().sync()
    #expect(report.refused.count == 3, "\(report.refused)")
    #expect(try phone.store.read { try $0.clockStamp.epoch } <= first + 256)
    // The laptop follows as slowly.
    for _ in 0..<2 {
      for (from, to) in [(phone, laptop), (laptop, phone)] {
        _ = try ExchangeCopy(source: from.exchange, target: to.exchange).run()
        _ = try await to.engine().sync()
      }
    }
    _ = try await expectGoingOn(phone, laptop)
  }

  /// In one file, and from one file to the next: the stream was merged, and its transactions were not found any more.
  @Test(arguments: [true, false]) func `transactions whose times do not rise are refused`(
    isOneFile: Bool
  ) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let stamps = [9, 8].map { stamp(1 << 20 + $0, Self.stranger.value) }
    if isOneFile {
      try plant(stamps, in: phone)
    } else {
      for (index, stamp) in stamps.enumerated() { try plant(stamp, sequence: UInt64(index) + 1, in: phone) }
    }
    let report = try await expectGoingOn(phone, laptop)
    #expect(report.refused.count == 1)
    #expect(report.refused.first?.reason.contains("no later than the one before") ?? false, "\(report.refused)")
    #expect(try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == (isOneFile ? 0 : 1))
  }

  @Test func `a context with a stamp out of reach is refused`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    let end = Stamp(time: .max, counter: .max, replica: ReplicaID(9))
    _ = try await phone.engine().sync()
    try plant(
      stamp(1 << 20, Self.stranger.value),
      context: VersionVector(entries: [ReplicaID(9): .init(sequence: 3, stamp: end)]), in: phone)
    #expect(try await expectGoingOn(phone, laptop).refused.count == 1)
  }

  @Test(arguments: [UInt64.max, Dot.greatestSequence + 1])
  func `sequence numbers beyond all that can be written are refused`(sequence: UInt64) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    try plant(stamp(1 << 20, Self.stranger.value), sequence: sequence, in: phone)
    #expect(try await expectGoingOn(phone, laptop).refused.count == 1)

    var context = VersionVector()
    context.entries[ReplicaID(9)] = .init(sequence: sequence, stamp: stamp(1, 9))
    let facts = TransactionFacts(
      dot: Dot(replica: Self.stranger, sequence: 1), stamp: stamp(1, Self.stranger.value), author: nil,
      context: context, records: [])
    let refusal = #expect(throws: StoreError.self) {
      try TransactionCodec.decode(TransactionCodec.encode(facts)) { _, _ in .int }
    }
    #expect(refusal?.code == .damaged)
  }

  @Test(arguments: [UInt64.max, HeadName.greatestCounter, HeadName.greatestCounter - 1])
  func `an own head with the greatest counter is replaced by a true one`(counter: UInt64) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let own = try phone.id
    let known = try #require(try phone.exchange.newestHead(of: own)?.head)
    let place = phone.exchange.heads(of: own).appending(path: HeadName(counter: counter, content: known.encoded()).text)
    try Data(known.encoded()).write(to: place)
    _ = try await expectGoingOn(phone, laptop)
    let newest = try #require(try phone.exchange.newestHead(of: own))
    #expect(newest.head.lastSequence == 1)
    #expect(newest.name.counter < HeadName.greatestCounter)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test func `an own head of garbage under a right hash is replaced by a true one`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let own = try phone.id
    let garbage = Array("no head at all".utf8)
    let place = phone.exchange.heads(of: own).appending(path: HeadName(counter: 900, content: garbage).text)
    try Data(garbage).write(to: place)
    _ = try await expectGoingOn(phone, laptop)
    #expect(try phone.exchange.newestHead(of: own)?.head.lastSequence == 1)
    #expect(try laptop.exchange.intactHeads(of: own).first?.lastSequence == 1)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test(arguments: [UInt64.max, Dot.greatestSequence + 1])
  func `a head that speaks of sequences beyond all that can be written is not read`(sequence: UInt64) throws {
    var head = ReplicaHead(
      storeID: TestReplica.family, replica: Self.stranger, lastSequence: 1, clock: stamp(1, 1),
      applied: VersionVector(entries: [Self.stranger: .init(sequence: sequence, stamp: stamp(1, 1))]),
      displayName: "x")
    head.schemaID = Array(1...16)
    #expect(syncErrorCode { _ = try ReplicaHead(head.encoded(), subject: "it") } == .damagedFile)
    head.applied = VersionVector()
    head.oldestSequence = sequence
    #expect(syncErrorCode { _ = try ReplicaHead(head.encoded(), subject: "it") } == .damagedFile)
    head.oldestSequence = 1
    head.lastSequence = sequence
    #expect(syncErrorCode { _ = try ReplicaHead(head.encoded(), subject: "it") } == .damagedFile)
  }

  /// Where a device would join a snapshot, because nothing else tells it of a stream.
  private func plantSnapshot(
    _ entry: VersionVector.Entry, _ content: SnapshotContent = SnapshotContent(),
    followedBy behind: SnapshotContent = SnapshotContent(), in replica: TestReplica
  ) throws {
    let payload = content.encoded() + behind.encoded()
    let manifest = SnapshotManifest(
      storeID: TestReplica.family, replica: Self.stranger, clock: entry.stamp,
      vector: VersionVector(entries: [Self.stranger: entry]),
      schemaDescription: try SchemaDescription.encode(try replica.store.read { $0.catalogue }),
      chunks: payload.isEmpty
        ? [] : [SnapshotManifest.Chunk(byteCount: payload.count, hash: ContentHash(of: payload))])
    try replica.exchange.publish(
      payload, as: manifest, named: SnapshotName(vector: manifest.vector, manifest: manifest.encoded()))
    var head = ReplicaHead(
      storeID: TestReplica.family, replica: Self.stranger, lastSequence: 5, clock: stamp(1 << 20, 0x5757),
      applied: VersionVector(), displayName: "stranger")
    head.schemaID = Array(1...16)
    head.oldestSequence = 4
    try replica.exchange.publish(head)
  }

  @Test func `a snapshot whose vector ends the range of sequences is not there`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    try plantSnapshot(.init(sequence: .max, stamp: stamp(1 << 20, 0x5757)), in: phone)
    _ = try await expectGoingOn(phone, laptop)
    #expect(try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == 0)
  }

  /// It was stored, and from then on no synchronisation could read what stood in the store.
  @Test(arguments: [
    SyncAttachment.contexts, SyncAttachment.contexts + [UInt8](repeating: 1, count: 18), SyncAttachment.collected,
    SyncAttachment.forgotten, SyncAttachment.retired, SyncAttachment.conflicts,
  ])
  func `a snapshot with garbage of synchronisation is refused`(key: [UInt8]) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    var content = SnapshotContent()
    content.attachments = [StoreAttachment(key: key, value: [0xFF, 0xFF, 0xFF])]
    try plantSnapshot(.init(sequence: 5, stamp: stamp(1 << 20, 0x5757)), content, in: phone)
    let report = try await expectGoingOn(phone, laptop)
    #expect(!report.waiting.isEmpty)
    #expect(try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == 0)
  }

  /// What it says behind the records would never be read.
  @Test(arguments: [true, false])
  func `a snapshot with anything behind its records is refused`(isInOrder: Bool) async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    let own = stamp(1 << 20, 0x5757)
    var (rest, records) = (SnapshotContent(), SnapshotContent())
    rest.contexts = [CausalContext(since: own, context: VersionVector())]
    var record = RecordFacts(entity: 0, id: fixtureID(1), isInserted: true)
    record.touch = own
    records.records = [record]
    let (first, second) = isInOrder ? (rest, records) : (records, rest)
    try plantSnapshot(.init(sequence: 5, stamp: own), first, followedBy: second, in: phone)
    let report = try await expectGoingOn(phone, laptop)
    #expect(report.waiting.isEmpty == isInOrder, "\(report.waiting)")
    #expect(try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == (isInOrder ? 5 : 0))
  }

  @Test func `a snapshot with a stamp out of reach is refused`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try await phone.engine().sync()
    try plantSnapshot(.init(sequence: 5, stamp: Stamp(time: .max, counter: .max, replica: Self.stranger)), in: phone)
    let report = try await expectGoingOn(phone, laptop)
    #expect(report.waiting.contains { $0.contains("clock") }, "\(report.waiting)")
    #expect(try phone.store.read { try $0.versionVector.sequence(of: Self.stranger) } == 0)
  }
}
