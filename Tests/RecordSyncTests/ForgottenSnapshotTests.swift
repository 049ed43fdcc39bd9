import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Words about forgotten records are void, whether they come in change sets or in a snapshot.
struct ForgottenSnapshotTests {
  /// The laptop is given up, and the others forget a record of whose delete it never heard. Its own edit of the record
  /// is void for a device that reads its change sets, and for one that has only its snapshot.
  @Test(arguments: [false, true]) func `a snapshot by a retired device brings no forgotten record back`(
    laptopDeletes: Bool
  ) async throws {
    let clock = ManualClock()
    let family = [try TestReplica(clock: clock), try TestReplica(clock: clock), try TestReplica(clock: clock)]
    let (phone, tablet, laptop) = (family[0], family[1], family[2])
    let names = phone.names
    try phone.save(
      names.insert("Trip", fixtureID(1), ["name": .string("Rome")]),
      names.insert("Trip", fixtureID(2), ["name": .string("Oslo")]))
    try await exchange(family)
    try await exchange(family)
    // Apart: what the laptop says of one trip, and of another that stays.
    try laptop.save(
      names.update("Trip", fixtureID(1), ["rating": .int(4)]), names.update("Trip", fixtureID(2), ["rating": .int(2)]))
    _ = try await laptop.engine().export()
    try laptop.save(names.insert("Trip", fixtureID(3), ["name": .string("Bern")]))
    if laptopDeletes { try laptop.save(names.delete("Trip", fixtureID(1))) }
    _ = try await laptop.engine().export()
    #expect(try await laptop.engine().writeSnapshot().snapshotsWritten == 1)
    // The others go on without the laptop.
    try phone.save(names.delete("Trip", fixtureID(1)))
    _ = try await phone.engine().retire(laptop.id)
    for _ in 0..<2 { try await exchange([phone, tablet]) }
    let collected = try await phone.engine().collect().recordsCollected
    #expect(collected == 1)
    for _ in 0..<2 { try await exchange([phone, tablet]) }
    #expect(try phone.store.read { try $0.storedFacts(fixtureID(1), of: names.entity("Trip")) } == nil)
    // The phone can read the laptop's stream only by its snapshot, the tablet reads all of it.
    _ = try ExchangeCopy(source: laptop.exchange, target: phone.exchange).run()
    _ = try ExchangeCopy(source: laptop.exchange, target: tablet.exchange).run()
    try FileManager.default.removeItem(at: tablet.exchange.snapshots(of: try laptop.id))
    let have = try phone.store.read { [id = try laptop.id] in try $0.versionVector.sequence(of: id) }
    let missing = try #require(
      try phone.exchange.listing(of: laptop.id).files.first { $0.from <= have + 1 && $0.to > have })
    try FileManager.default.removeItem(at: missing.url)
    #expect(try await phone.engine().import().snapshotsJoined == 1)
    #expect(try await tablet.engine().import().snapshotsJoined == 0)
    for replica in [phone, tablet] {
      #expect(try replica.store.read { try $0.storedFacts(fixtureID(1), of: names.entity("Trip")) } == nil)
      #expect(try replica.store.read { try $0.row(fixtureID(3), of: names.entity("Trip")) } != nil)
      try expectSound(replica.store)
    }
    #expect(try phone.dump == tablet.dump)
    let log = { (replica: TestReplica) in
      try ConflictLog(store: replica.store).entries().map { "\($0.kind) \($0.record) \($0.lostStamp)" }
    }
    #expect(try log(phone) == log(tablet))
    for _ in 0..<3 { try await exchange(family) }
    for replica in family {
      #expect(try replica.dump == phone.dump)
      try expectSound(replica.store)
    }
  }
}
