import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// The folder stays small, and nobody loses anything for it.
struct CompactionTests {
  private func bytes(of replica: TestReplica) throws -> Int {
    let root = replica.exchange.url
    return try FileManager.default.subpathsOfDirectory(atPath: root.path).reduce(0) { sum, path in
      sum + (try DurableFile.size(of: root.appending(path: path)) ?? 0)
    }
  }

  @Test func `the folder of a family that saves, edits and deletes for ever does not grow`() async throws {
    let clock = ManualClock()
    let replicas = [try TestReplica(clock: clock), try TestReplica(clock: clock)]
    let names = replicas[0].names
    var sizes: [Int] = []
    for round in 0..<24 as Range<UInt64> {
      for (index, replica) in replicas.enumerated() {
        let base = 1000 + round * 100 + UInt64(index) * 50
        for number in 0..<10 {
          clock.advance(byMilliseconds: 2)
          let id = fixtureID(base + UInt64(number))
          try replica.store.save(names.insert("Note", id, ["text": .string("note \(id)")]))
          try replica.store.save(names.update("Note", id, ["x": .double(Double(round))]))
          if round > 0 { try replica.store.save(names.delete("Note", fixtureID(base + UInt64(number) - 100))) }
        }
      }
      try await exchange(replicas)
      try await exchange(replicas)
      for replica in replicas {
        _ = try await replica.engine().collect()
        _ = try await replica.engine().compact()
      }
      try await exchange(replicas)
      sizes.append(try replicas.map(bytes).max() ?? 0)
    }
    let live = try replicas[0].dump.count
    #expect(live <= 40 + 4)
    // Twenty living records and one round of changes, all along; only the names of forgotten records add up.
    let (early, late) = (sizes[4..<10].max() ?? 0, sizes[18..<24].max() ?? 0)
    #expect(late < early * 2, "\(sizes)")
    for replica in replicas {
      #expect(try replica.dump == replicas[0].dump)
      try expectSound(replica.store)
    }
  }

  @Test func `change sets stay until every known replica has applied them and another attests the snapshot`()
    async throws
  {
    let replicas = [try TestReplica(), try TestReplica(), try TestReplica()]
    let (phone, laptop, tablet) = (replicas[0], replicas[1], replicas[2])
    for number in 1...4 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await phone.engine { $0.changeSetBytes = 200 }.export()
    }
    try await exchange([phone, laptop])
    _ = try ExchangeCopy(source: tablet.exchange, target: phone.exchange).run()
    _ = try await tablet.engine().export()
    _ = try ExchangeCopy(source: tablet.exchange, target: phone.exchange).run()
    let few = { (options: inout SyncOptions) in options.changeSetBytes = 200 }
    // The tablet is known and has applied nothing.
    #expect(try await phone.engine(few).compact().filesCompacted == 0)
    #expect(try phone.streamFiles.count == 4)
    try await exchange(replicas)
    // All have applied all; nobody has attested a snapshot yet.
    #expect(try await phone.engine(few).compact().snapshotsWritten == 1)
    #expect(try phone.streamFiles.count == 4)
    try await exchange(replicas)
    #expect(try await phone.engine(few).compact().filesCompacted == 3)
    #expect(try phone.streamFiles.count == 1)
    // Others' copies of the removed files do not bring them back.
    try await exchange(replicas)
    _ = try await phone.engine(few).export()
    #expect(try phone.streamFiles.count == 1)
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try fresh.dump == phone.dump)
  }

  @Test func `a snapshot that stands for change sets that are gone is written anew where it was damaged`() async throws
  {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    for number in 1...4 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await phone.engine { $0.changeSetBytes = 200 }.export()
    }
    let few = { (options: inout SyncOptions) in options.changeSetBytes = 200 }
    for _ in 0..<3 {
      try await exchange([phone, laptop])
      _ = try await phone.engine(few).compact()
    }
    #expect(try phone.streamFiles.count == 1)
    for snapshot in try phone.exchange.intactSnapshots() {
      let chunk = snapshot.folder.appending(path: SnapshotName.chunk(0))
      var bytes = try Data(contentsOf: chunk)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: chunk)
    }
    #expect(try await phone.engine(few).compact().snapshotsWritten == 1)
    #expect(try await phone.engine(few).compact().snapshotsWritten == 0)
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try fresh.dump == phone.dump)
  }

  /// It has not read the head yet by which it knows that its copies are replaced; but it has the snapshot.
  @Test func `a device that is one save behind does not bring back what a snapshot has replaced`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    let few = { (options: inout SyncOptions) in options.changeSetBytes = 200 }
    for number in 1...4 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
      _ = try await phone.engine(few).export()
    }
    try await exchange([phone, laptop])
    #expect(try await phone.engine(few).compact().snapshotsWritten == 1)
    try await exchange([phone, laptop])
    #expect(try await phone.engine(few).compact().filesCompacted == 3)
    try phone.save(phone.names.insert("Tag", fixtureID(5), ["name": .string("tag 5")]))
    _ = try await phone.engine(few).export()
    let folder = try TemporaryFolder()
    let shared = ExchangeFolder(root: folder.url, storeID: TestReplica.family)
    for device in [phone, laptop] {
      var copy = ExchangeCopy(source: device.exchange, target: shared)
      copy.stores = (device.store, nil)
      _ = try copy.run()
    }
    #expect(try laptop.exchange.listing(of: phone.id).files.count == 4)
    let names = try phone.exchange.listing(of: phone.id).files.map(\.name)
    #expect(try shared.listing(of: phone.id).files.map(\.name) == names)
  }

  @Test func `a compaction that is cut off at any point loses nothing and ends later`() async throws {
    for point in 0..<60 {
      let (phone, laptop) = (try TestReplica(), try TestReplica())
      for number in 1...3 as ClosedRange<UInt64> {
        try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
        try await phone.send(to: laptop)
        try await laptop.send(to: phone)
      }
      _ = try await phone.engine().writeSnapshot()
      try await phone.send(to: laptop)
      try await laptop.send(to: phone)
      try phone.save(phone.names.insert("Tag", fixtureID(4), ["name": .string("tag 4")]))
      var wasStopped = false
      do {
        let engine = phone.engine()
        try await Interruption.$plan.withValue(Interruption.Plan(at: point)) { _ = try await engine.compact() }
      } catch is Interruption.Stop {
        wasStopped = true
      }
      _ = try await phone.engine().compact()
      try await phone.send(to: laptop)
      #expect(try laptop.dump == phone.dump, "cut off at point \(point)")
      let fresh = try TestReplica()
      _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
      _ = try await fresh.engine().import()
      #expect(try fresh.dump == phone.dump, "cut off at point \(point)")
      try expectSound(fresh.store)
      if !wasStopped { return }
    }
    Issue.record("a compaction has more points than this test knows")
  }

  @Test func `small files are joined in runs of one schema that fit one file`() {
    func record(_ from: UInt64, _ bytes: Int, schema: UInt8 = 1) -> ExportRecord {
      let set = ChangeSet(
        storeID: id(1), replica: ReplicaID(1), firstSequence: from, previousHash: ContentHash.none.bytes,
        schemaDescription: [], transactions: [[1]])
      var record = ExportRecord(set, file: ChangeSetCodec.file(of: set), schemaKey: [schema])
      record.fileBytes = bytes
      return record
    }
    let runs = FileRuns.small(
      [record(1, 10), record(2, 10), record(3, 90), record(4, 10), record(5, 10, schema: 2), record(6, 10, schema: 2)],
      limitBytes: 100)
    #expect(runs.map { $0.map(\.from) } == [[1, 2], [5, 6]])
  }
}
