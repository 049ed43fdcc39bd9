import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// A store that begins with a snapshot knows what one knows that has read every change set.
struct SnapshotTests {
  /// Two replicas that have worked and exchanged, joins by unique names included.
  private func family(rounds: Int, using generator: inout SeededGenerator) async throws -> [TestReplica] {
    let clock = ManualClock()
    let replicas = [try TestReplica(clock: clock), try TestReplica(clock: clock)]
    for round in 0..<rounds { try await work(replicas, round: UInt64(round), using: &generator) }
    return replicas
  }

  private func work(_ replicas: [TestReplica], round: UInt64, using generator: inout SeededGenerator) async throws {
    let names = replicas[0].names
    let some = { (base: UInt64, generator: inout SeededGenerator) in
      fixtureID(base + UInt64.random(in: 0...round, using: &generator))
    }
    for replica in replicas {
      replica.clock.advance(byMilliseconds: 3)
      let base: UInt64 = replica === replicas[0] ? 1000 : 2000
      let changes: [RecordChange] =
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1: [names.insert("Trip", fixtureID(base + round), ["name": .string("trip \(round % 7)")])]
        case 2:
          [
            names.insert(
              "Stop", fixtureID(base + 5000 + round),
              ["title": .string("stop"), "position": .int(Int64(round)), "trip": .reference(some(base, &generator))])
          ]
        case 3: [names.update("Trip", some(base, &generator), ["name": .string("renamed \(round % 5)")])]
        case 4: [names.delete("Trip", some(base, &generator))]
        case 5: [names.insert("Tag", fixtureID(base + 7000 + round), ["name": .string("tag \(round % 4)")])]
        default: [names.link("Tag", some(base + 7000, &generator), "trips", some(base, &generator))]
        }
      do {
        _ = try replica.store.commit(SaveRequest(changes: changes))
      } catch let error as StoreError where [.recordNotFound, .deleteDenied, .uniquenessViolation].contains(error.code)
      {
        continue
      }
    }
    if generator.oneIn(3) {
      try await replicas[0].send(to: replicas[1])
      try await replicas[1].send(to: replicas[0])
    }
  }

  @Test(arguments: 0..<4) func `a snapshot and what follows it give the same store as all change sets`(
    round: Int
  ) async throws {
    var generator = SeededGenerator(seed: SeededGenerator.announced("snapshot").seed &+ UInt64(round))
    let replicas = try await family(rounds: 40, using: &generator)
    let (phone, laptop) = (replicas[0], replicas[1])
    if generator.oneIn(2) {
      for _ in 0..<2 {
        try await phone.send(to: laptop)
        try await laptop.send(to: phone)
      }
      _ = try await phone.engine().collect()
    }
    #expect(try await phone.engine().writeSnapshot().snapshotsWritten == 1)
    let held = try #require(try phone.exchange.intactSnapshots().first).manifest.vector
    for round in 40..<60 as Range<UInt64> { try await work(replicas, round: round, using: &generator) }
    for _ in 0..<2 {
      try await phone.send(to: laptop)
      try await laptop.send(to: phone)
    }
    let (fresh, whole) = (try TestReplica(), try TestReplica())
    for new in [fresh, whole] { _ = try ExchangeCopy(source: phone.exchange, target: new.exchange).run() }
    for replica in [try phone.id, try laptop.id] {
      for file in try fresh.exchange.listing(of: replica).files where file.to <= held.sequence(of: replica) {
        try FileManager.default.removeItem(at: file.url)
      }
    }
    try FileManager.default.removeItem(at: whole.exchange.snapshots(of: try phone.id))
    let report = try await fresh.engine().import()
    #expect(report.snapshotsJoined == 1)
    #expect(report.waiting.isEmpty)
    #expect(try await whole.engine().import().snapshotsJoined == 0)
    #expect(try fresh.dump == whole.dump)
    #expect(try fresh.dump == phone.dump)
    #expect(try fresh.store.read { try $0.versionVector } == whole.store.read { try $0.versionVector })
    try expectSound(fresh.store)
    #expect(try await fresh.engine().import().isUnchanged)
    // What is written behind a snapshot is merged everywhere alike.
    for new in [fresh, whole] {
      try new.save(new.names.insert("Trip", fixtureID(90_000), ["name": .string("trip 3")]))
      try await new.send(to: phone)
    }
    for _ in 0..<2 { for new in [fresh, whole] { try await phone.send(to: new) } }
    for new in [fresh, whole] { #expect(try new.dump == phone.dump) }
  }

  @Test func `a snapshot with a missing or damaged file is not taken, and an intact copy is`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    _ = try await phone.engine().export()
    _ = try await phone.engine().writeSnapshot()
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    try FileManager.default.removeItem(at: laptop.exchange.stream(of: try phone.id))
    let stored = try #require(try laptop.exchange.intactSnapshots().first)
    for name in [SnapshotName.chunk(0), SnapshotName.manifest] {
      let file = stored.folder.appending(path: name)
      let intact = try Data(contentsOf: file)
      for offset in stride(from: 0, to: intact.count, by: 7) {
        var bytes = intact
        bytes[offset] ^= 1
        try bytes.write(to: file)
        let report = try await laptop.engine().import()
        #expect(report.snapshotsJoined == 0, "byte \(offset) of \(name)")
      }
      try intact.prefix(intact.count / 2).write(to: file)
      #expect(try await laptop.engine().import().snapshotsJoined == 0)
      try FileManager.default.removeItem(at: file)
      #expect(try await laptop.engine().import().snapshotsJoined == 0)
      try intact.write(to: file)
    }
    #expect(try await laptop.engine().import().snapshotsJoined == 1)
    #expect(try laptop.dump == phone.dump)
  }

  @Test func `readers of a store that takes a snapshot in are told what changed`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    _ = try await phone.engine().export()
    _ = try await phone.engine().writeSnapshot()
    try laptop.save(laptop.names.insert("Tag", fixtureID(2), ["name": .string("own")]))
    let before = try laptop.store.read { try $0.lastTransactionNumber }
    _ = try ExchangeCopy(source: phone.exchange, target: laptop.exchange).run()
    try FileManager.default.removeItem(at: laptop.exchange.stream(of: try phone.id))
    try FileManager.default.removeItem(at: laptop.exchange.heads(of: try phone.id))
    try phone.save(phone.names.update("Trip", fixtureID(1), ["rating": .int(5)]))
    _ = try await phone.engine().export()
    let tail = try #require(try phone.streamFiles.last)
    let place = laptop.exchange.stream(of: try phone.id)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: tail, to: place.appending(path: tail.lastPathComponent))
    #expect(try await laptop.engine().import().snapshotsJoined == 1)
    let history = try laptop.store.read { try $0.history(after: before) }
    #expect(history.flatMap(\.changes).contains { $0.kind == .insert && $0.id == fixtureID(1) })
    #expect(try laptop.store.isVisible("Tag", fixtureID(2)))
    try expectSound(laptop.store)
  }

  /// A device that takes in what others had saved before has the clock that it had: snapshots were ranked by it, and a
  /// newcomer could begin with an older one, which then stayed while the newer one was removed.
  @Test func `of snapshots with one clock the one that knows more is taken, and kept`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    laptop.clock.advance(byMilliseconds: 1)
    for number in 1...8 as ClosedRange<UInt64> {
      try laptop.save(laptop.names.insert("Trip", fixtureID(number), ["name": .string("trip \(number)")]))
      _ = try await laptop.engine { $0.changeSetBytes = 1 }.export()
    }
    phone.clock.advance(byMilliseconds: 60_000)
    try phone.save(phone.names.insert("Trip", fixtureID(100), ["name": .string("late")]))
    for number in 0..<8 {
      _ = try ExchangeCopy(source: laptop.exchange, target: phone.exchange).run()
      for file in try phone.exchange.listing(of: try laptop.id).files where file.to > UInt64(number + 1) {
        try FileManager.default.removeItem(at: file.url)
      }
      _ = try await phone.engine().sync()
      _ = try await phone.engine().writeSnapshot()
    }
    let snapshots = try phone.exchange.intactSnapshots(of: try phone.id)
    #expect(snapshots.count > 4 && Set(snapshots.map(\.manifest.clock)).count == 1)
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    for author in [try phone.id, try laptop.id] {
      try FileManager.default.removeItem(at: fresh.exchange.stream(of: author))
    }
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try fresh.dump == phone.dump)
    _ = try await phone.engine().compact()
    let kept = try #require(try phone.exchange.intactSnapshots(of: try phone.id).last)
    #expect(try phone.exchange.intactSnapshots(of: try phone.id).count == 1)
    #expect(try kept.manifest.vector == phone.store.read { try $0.versionVector })
  }

  @Test func `what one snapshot leaves open is taken from another at once`() async throws {
    let (phone, laptop, fresh) = (try TestReplica(), try TestReplica(), try TestReplica())
    for (index, device) in [phone, laptop].enumerated() {
      for name in ["begun \(index)", "gone on \(index)"] {
        try device.save(device.names.insert("Trip", fixtureID(UInt64(index + 1)), ["name": .string(name)]))
        _ = try await device.engine().export()
      }
      _ = try await device.engine().writeSnapshot()
      _ = try ExchangeCopy(source: device.exchange, target: fresh.exchange).run()
      let first = try #require(try fresh.exchange.listing(of: try device.id).files.min { $0.from < $1.from })
      try FileManager.default.removeItem(at: first.url)
    }
    let report = try await fresh.engine().import()
    #expect(report.snapshotsJoined == 2 && report.waiting.isEmpty)
    for number in 1...2 as ClosedRange<UInt64> { #expect(try fresh.store.isVisible("Trip", fixtureID(number))) }
  }

  @Test func `a new device begins with the conflict log of the snapshot's store`() async throws {
    let clock = ManualClock()
    let (phone, laptop, fresh) = (try TestReplica(clock: clock), try TestReplica(clock: clock), try TestReplica())
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    try await phone.send(to: laptop)
    try laptop.save(laptop.names.update("Trip", fixtureID(1), ["name": .string("Paris")]))
    try phone.save(phone.names.update("Trip", fixtureID(1), ["name": .string("Oslo")]))
    try await laptop.send(to: phone)
    let lost = try ConflictLog(store: phone.store).entries()
    #expect(lost.map { $0.fields.map(\.lost) } == [[.string("Paris")]])
    _ = try await phone.engine().writeSnapshot()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    for author in [try phone.id, try laptop.id] {
      try FileManager.default.removeItem(at: fresh.exchange.stream(of: author))
    }
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try ConflictLog(store: fresh.store).entries() == lost)
  }

  /// As a salvaged store has them: of transactions that it does not count.
  @Test func `what the snapshot's store has forgotten goes from a store that has records and has seen nothing`()
    async throws
  {
    let (phone, laptop, fresh) = (try TestReplica(), try TestReplica(), try TestReplica())
    for number in 1...2 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
    }
    let entity = phone.names.entity("Tag")
    let old = try phone.store.read { snapshot throws in
      try [1, 2].compactMap { try snapshot.facts(fixtureID($0), of: entity) }
    }
    try phone.save(phone.names.delete("Tag", fixtureID(1)))
    for _ in 0..<2 { try await exchange([phone, laptop]) }
    #expect(try await phone.engine().collect().recordsCollected == 1)
    _ = try await phone.engine().writeSnapshot()
    try fresh.store.restore(RestoredFacts(records: old))
    #expect(try fresh.store.isVisible("Tag", fixtureID(1)))
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    try FileManager.default.removeItem(at: fresh.exchange.stream(of: try phone.id))
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try !fresh.store.isVisible("Tag", fixtureID(1)))
    #expect(try fresh.dump == phone.dump)
    try expectSound(fresh.store)
  }

  @Test func `what a crash or damage left of an own snapshot goes with the next compaction`() async throws {
    let phone = try TestReplica()
    try phone.save(phone.names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
    _ = try await phone.engine().export()
    let place = phone.exchange.snapshots(of: try phone.id)
    for harm in ["missing", "damaged"] {
      try phone.save(phone.names.update("Trip", fixtureID(1), ["name": .string(harm)]))
      _ = try await phone.engine().writeSnapshot()
      let newest = try #require(try phone.exchange.intactSnapshots(of: try phone.id).max { $0.rank < $1.rank })
      let manifest = newest.folder.appending(path: SnapshotName.manifest)
      try FileManager.default.removeItem(at: manifest)
      if harm == "damaged" { try Data([1, 2, 3]).write(to: manifest) }
      #expect(try DurableFile.names(in: place).count == 1)
      _ = try await phone.engine().compact()
      #expect(try DurableFile.names(in: place) == [], "\(harm)")
    }
  }

  /// Two devices with a few thousand records, of which the first has written a snapshot.
  private func large() async throws -> TestReplica {
    let phone = try TestReplica()
    for part in 0..<12 as Range<UInt64> {
      let cities = (1...1_000 as ClosedRange<UInt64>).map { number in
        phone.names.insert("City", fixtureID(part << 20 | number), ["name": .string("city \(part) of \(number)")])
      }
      phone.clock.advance()
      _ = try phone.store.commit(SaveRequest(changes: cities))
    }
    _ = try await phone.engine().export()
    return phone
  }

  private func byteCount(below folder: URL) throws -> Int {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.reduce(0) { $0 + (try DurableFile.size(of: folder.appending(path: $1)) ?? 0) }
  }

  @Test func `a snapshot is hardly larger than the packed change sets of the same records`() async throws {
    let phone = try await large()
    _ = try await phone.engine().writeSnapshot()
    let (changes, snapshot) = (
      try byteCount(below: phone.exchange.stream(of: phone.id)),
      try byteCount(below: phone.exchange.snapshots(of: phone.id))
    )
    #expect(Double(snapshot) <= 1.2 * Double(changes), "\(snapshot) bytes, change sets \(changes)")
  }

  @Test func `an attempt that was ended is taken up where it was`() async throws {
    let phone = try await large()
    let place = phone.exchange.snapshots(of: try phone.id)
    // Of each chunk, what tells whether it was written again.
    var written: [String: UInt64] = [:]
    var reusedCount = 0
    func look(_ point: Int) throws {
      guard try DurableFile.item(at: place) != nil else { return }
      for path in try FileManager.default.subpathsOfDirectory(atPath: place.path) where path.hasSuffix(".tsc") {
        let number = try FileManager.default.attributesOfItem(atPath: place.appending(path: path).path)[
          .systemFileNumber]
        let found = try #require(number as? UInt64)
        if let known = written[path] {
          #expect(known == found, "\(path) was written again at point \(point)")
          reusedCount += 1
        }
        written[path] = found
      }
    }
    var point = 1
    while try await isStopped(at: point, { _ = try await phone.engine().writeSnapshot() }) {
      try look(point)
      #expect(try phone.exchange.intactSnapshots().allSatisfy { try $0.isWhole() })
      point += 1
    }
    try look(point)
    #expect(point > 5 && reusedCount > 0)
    #expect(try DurableFile.names(in: place).count == 1)
    let fresh = try TestReplica()
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    try FileManager.default.removeItem(at: fresh.exchange.stream(of: try phone.id))
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try fresh.dump == phone.dump)
  }

  /// A migration writes such a default down for records without a value, which is no transaction's word.
  @Test func `a store whose records keep the default of an earlier schema writes snapshots as ever`() async throws {
    func schema(_ version: Int, _ size: AttributeDefinition?) -> StoreSchema {
      let name = AttributeDefinition(name: "name", type: .string)
      return StoreSchema(
        version: SchemaVersion(version, 0, 0),
        entities: [EntityDefinition(name: "Page", attributes: [name] + (size.map { [$0] } ?? []))])
    }
    let last = schema(3, AttributeDefinition(name: "size", type: .int, isOptional: true))
    let phone = try TestReplica(schema: schema(1, nil))
    for number in 1...2 as ClosedRange<UInt64> {
      try phone.save(try FixtureNames(phone.store).insert("Page", fixtureID(number), ["name": .string("a")]))
    }
    try phone.store.migrate(to: schema(2, AttributeDefinition(name: "size", type: .int, defaultValue: .int(7))))
    try phone.store.migrate(to: last)
    let names = try FixtureNames(phone.store)
    #expect(try phone.store.value("Page", fixtureID(1), "size") == .int(7))
    #expect(try await phone.engine().writeSnapshot().snapshotsWritten == 1)
    let fresh = try TestReplica(schema: last)
    _ = try ExchangeCopy(source: phone.exchange, target: fresh.exchange).run()
    #expect(try await fresh.engine().import().snapshotsJoined == 1)
    #expect(try fresh.store.isVisible("Page", fixtureID(1)))
    try phone.save(names.update("Page", fixtureID(1), ["size": .int(9)]))
    _ = try await phone.send(to: fresh)
    // Nobody wrote the default, so no word of anybody's is lost with it.
    try fresh.save(names.update("Page", fixtureID(2), ["size": .int(8)]))
    #expect(try await fresh.send(to: phone).conflicts == 0)
    for replica in [phone, fresh] {
      #expect(try replica.store.value("Page", fixtureID(1), "size") == .int(9))
      #expect(try replica.store.value("Page", fixtureID(2), "size") == .int(8))
      try expectSound(replica.store)
    }
  }

  @Test func `a join that is cancelled in the middle leaves the store as it was`() async throws {
    let phone = try await large()
    _ = try await phone.engine().writeSnapshot()
    let fresh = try TestReplica()
    try fresh.save(fresh.names.insert("Tag", fixtureID(2), ["name": .string("own")]))
    let before = try fresh.dump
    let snapshot = try #require(try phone.exchange.intactSnapshots().first)
    let stored = try StoredContent(snapshot)
    let reach = ClockReach(.zero, lastEpoch: .max)
    let request = CancellationRequest()
    #expect(throws: CancellationError.self) {
      try CancellationRequest.$current.withValue(request) {
        try CancellationRequest.lendingCheck { check in
          try fresh.store.join { snapshot in
            var joined = try SnapshotJoin(stored, within: reach, in: snapshot, values: nil, nowMilliseconds: 1)
              .facts(check)
            let records = joined.records
            joined.records = { snapshot, body throws in
              try records(snapshot) { part in
                try body(part)
                // From another thread than the one that waits for the join.
                request.make()
                try check()
              }
            }
            return joined
          }
        }
      }
    }
    #expect(try fresh.dump == before)
    try expectSound(fresh.store)
    let task = Task { try CancellationRequest.lendingCheck { check in try check() } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
