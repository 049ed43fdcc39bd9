import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices whose clocks show times at the ends of what clocks count.
struct ExtremeClockTests {
  private static let present: UInt64 = 1_800_000_000_000
  /// 1970, a day later, 2000, the ends of 31 and 32 bits in seconds, 9999, and the ends of what is counted.
  static let times: [UInt64] = [
    0, 86_400_000, 946_684_800_000, 2_147_483_648_000, 4_294_967_296_000, 253_402_300_799_999,
    Stamp.maximumWallMilliseconds + 1, .max / 2, .max - 1, .max,
  ]

  /// Work of all kinds that asks the clock.
  private func work(_ phone: TestReplica, _ laptop: TestReplica, _ round: UInt64) async throws {
    for (number, replica) in [phone, laptop].enumerated() {
      let (id, names) = (fixtureID(round * 10 + UInt64(number)), replica.names)
      let day = FieldValue.date(number == 0 ? .distantPast : .distantFuture)
      _ = try replica.store.save(
        names.insert("Trip", id, ["name": .string("\(round) \(number)"), "start": day]))
      if round > 0 {
        _ = try replica.store.save(names.update("Trip", fixtureID(0), ["rating": .int(Int64(round) + Int64(number))]))
      }
      if round == 2 { _ = try replica.store.save(names.delete("Trip", fixtureID(10 + UInt64(number)))) }
    }
    try await exchange([phone, laptop])
    for replica in [phone, laptop] {
      _ = try await replica.engine().sync()
      _ = try await replica.engine().writeSnapshot()
      _ = try ConflictLog(store: replica.store).details()
      _ = try SyncStatus(of: replica.store, folder: replica.root, storeID: TestReplica.family)
    }
  }

  @Test(arguments: times) func `a clock at the end of time stops nobody, and is made up for`(time: UInt64) async throws
  {
    let (phone, laptop) = (
      try TestReplica(clock: ManualClock(milliseconds: time)), try TestReplica(clock: ManualClock())
    )
    try await work(phone, laptop, 0)
    // The clock is set, and goes wrong again.
    for (round, now) in [Self.present + 60_000, time, Self.present + 120_000].enumerated() {
      (phone.clock.milliseconds, laptop.clock.milliseconds) = (now, Self.present + 60_000 * UInt64(round + 1))
      try await work(phone, laptop, UInt64(round + 1))
    }
    try await exchange([phone, laptop])
    #expect(try phone.dump == laptop.dump)
    #expect(try phone.store.value("Trip", fixtureID(0), "rating") == .int(4))
    #expect(try phone.store.value("Trip", fixtureID(0), "start") == .date(.distantPast))
    for replica in [phone, laptop] { try expectSound(replica.store) }
  }

  @Test(arguments: times) func `a store is copied and migrated at any time`(time: UInt64) throws {
    let replica = try TestReplica(clock: ManualClock(milliseconds: time))
    _ = try replica.store.save(replica.names.insert("Note", fixtureID(1)))
    var schema = StoreSchema.fixture
    schema.version = SchemaVersion(2, 0, 0)
    let note = try #require(schema.entities.firstIndex { $0.name == "Note" })
    schema.entities[note].attributes[0].isOptional = false
    schema.entities[note].attributes[0].defaultValue = .string("nothing")
    try replica.store.migrate(to: schema)
    #expect(try replica.store.value("Note", fixtureID(1), "text") == .string("nothing"))
    #expect(try RecordStore.backups(of: replica.store.url).count == 1)
    try expectSound(replica.store)
  }
}
