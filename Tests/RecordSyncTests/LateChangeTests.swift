import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What a device that was retired had done below a record that the others have deleted and forgotten meanwhile. Nothing
/// was left of it on any device, and no log said so.
struct LateChangeTests {
  private struct Family {
    let phone: TestReplica
    let tablet: TestReplica
    let laptop: TestReplica
    var all: [TestReplica] { [phone, tablet, laptop] }
    /// The two trips, the stop that was in the second one, and the stop that the laptop made in the first.
    static let (gone, kept) = (fixtureID(1), fixtureID(2))
    static let (moved, made) = (fixtureID(3), fixtureID(4))

    /// The laptop works below the trip, before or after the phone deletes it, and is away until the trip is forgotten.
    init(isLater: Bool) async throws {
      let clock = ManualClock()
      (phone, tablet, laptop) = (
        try TestReplica(clock: clock), try TestReplica(clock: clock), try TestReplica(clock: clock)
      )
      let names = phone.names
      try phone.save(
        names.insert("Trip", Self.gone, ["name": .string("Rome")]),
        names.insert("Trip", Self.kept, ["name": .string("Oslo")]),
        names.insert(
          "Stop", Self.moved, ["title": .string("Forum"), "position": .int(1), "trip": .reference(Self.kept)]))
      for _ in 0..<2 { try await exchange([phone, tablet, laptop]) }
      if isLater { try phone.save(names.delete("Trip", Self.gone)) }
      try laptop.save(
        names.insert(
          "Stop", Self.made, ["title": .string("Colosseum"), "position": .int(2), "trip": .reference(Self.gone)]))
      try laptop.save(names.update("Stop", Self.moved, ["trip": .reference(Self.gone)]))
      if !isLater { try phone.save(names.delete("Trip", Self.gone)) }
      for _ in 0..<2 { try await exchange([phone, tablet]) }
      _ = try await phone.engine().retire(laptop.id)
      for _ in 0..<2 { try await exchange([phone, tablet]) }
      #expect(try await phone.engine().collect().recordsCollected == 1)
      for _ in 0..<2 { try await exchange([phone, tablet]) }
    }

    func meet() async throws {
      for _ in 0..<3 { try await exchange(all) }
      for replica in all { try expectSound(replica.store) }
    }
  }

  @Test func `what lost to a record that is forgotten is in the log of every device`() async throws {
    let family = try await Family(isLater: false)
    try await family.meet()
    for (number, replica) in family.all.enumerated() {
      #expect(try !replica.store.isVisible("Stop", Family.made))
      #expect(try !replica.store.isVisible("Stop", Family.moved))
      let log = ConflictLog(store: replica.store)
      let entries = try log.entries().filter { $0.kind == .editLostToDelete }
      #expect(Set(entries.map(\.record)) == [Family.made, Family.moved], "device \(number): \(entries)")
      let moved = try #require(entries.first { $0.record == Family.moved })
      #expect(moved.fields.map(\.lost) == [.reference(Family.gone)], "device \(number)")
      let made = entries.first { $0.record == Family.made }
      #expect(made?.fields.contains { $0.lost == .string("Colosseum") } == true, "device \(number)")
      // What it hung on is not there to be brought back.
      let error = #expect(throws: SyncError.self) { try log.restore(moved.id) }
      #expect(error?.code == .notRestorable)
      #expect(try log.removeExpired(nowMilliseconds: replica.clock.milliseconds) == 0)
      #expect(try log.entries().count == entries.count)
    }
    #expect(try family.phone.dump == family.tablet.dump)
    #expect(try family.phone.dump == family.laptop.dump)
  }

  @Test func `the entry goes when the record is moved where it can be seen`() async throws {
    let family = try await Family(isLater: false)
    try await family.meet()
    let names = family.phone.names
    // A new trip under the old id, as an app with ids of its own makes it.
    try family.phone.save(names.insert("Trip", Family.gone, ["name": .string("Rome again")]))
    try await family.meet()
    for replica in family.all {
      #expect(try replica.store.isVisible("Stop", Family.moved))
      #expect(try ConflictLog(store: replica.store).entries().allSatisfy { $0.kind != .editLostToDelete })
    }
  }

  @Test func `what is later than the delete brings the record back everywhere, and nothing is lost`() async throws {
    let family = try await Family(isLater: true)
    try await family.meet()
    for replica in family.all {
      for id in [Family.made, Family.moved] { #expect(try replica.store.isVisible("Stop", id)) }
      #expect(try replica.store.isVisible("Trip", Family.gone))
      #expect(try ConflictLog(store: replica.store).entries().allSatisfy { $0.kind != .editLostToDelete })
    }
    #expect(try family.phone.dump == family.laptop.dump)
  }

  /// Two devices are away while the others delete and forget a trip: one edits it, the other deletes it, too. The
  /// edit brings the trip back for all, and no log told of the delete that lost.
  @Test(arguments: [false, true]) func `a void delete is in the log of every device, and can be done again`(
    isLater: Bool
  ) async throws {
    let clock = ManualClock()
    let all = try (0..<4).map { _ in try TestReplica(clock: clock) }
    let (phone, tablet, laptop, watch) = (all[0], all[1], all[2], all[3])
    let names = phone.names
    try phone.save(names.insert("Trip", Family.gone, ["name": .string("Rome")]))
    for _ in 0..<2 { try await exchange(all) }
    try phone.save(names.delete("Trip", Family.gone))
    for _ in 0..<2 { try await exchange([phone, tablet]) }
    for away in [laptop, watch] { _ = try await phone.engine().retire(away.id) }
    for _ in 0..<2 { try await exchange([phone, tablet]) }
    #expect(try await phone.engine().collect().recordsCollected == 1)
    try laptop.save(names.update("Trip", Family.gone, ["rating": .int(5)]))
    let former = try watch.id
    if !isLater { try watch.save(names.delete("Trip", Family.gone)) }
    for _ in 0..<2 { try await exchange([phone, tablet, laptop]) }
    if isLater { try watch.save(names.delete("Trip", Family.gone)) }
    for _ in 0..<3 { try await exchange(all) }
    var told: Set<String> = []
    for (number, replica) in all.enumerated() {
      try expectSound(replica.store)
      #expect(try replica.dump == phone.dump, "device \(number)")
      #expect(try replica.store.value("Trip", Family.gone, "rating") == .int(5))
      let log = ConflictLog(store: replica.store)
      let void = try log.entries().filter { $0.kind == .deletionOverridden && $0.lostStamp.replica == former }
      #expect(void.count == 1, "device \(number): \(void)")
      told.formUnion(void.map(\.id))
      #expect(void.allSatisfy { $0.winningStamp > .zero && $0.fields.isEmpty })
      #expect(try log.removeExpired(nowMilliseconds: clock.milliseconds) == 0)
      #expect(try void.allSatisfy { try log.details(of: $0.id).loser.replica == former })
    }
    #expect(told.count == 1)
    let log = ConflictLog(store: tablet.store)
    try log.restore(try #require(told.first))
    #expect(try !log.entries().contains { told.contains($0.id) })
    for _ in 0..<2 { try await exchange(all) }
    for replica in all {
      #expect(try !replica.store.isVisible("Trip", Family.gone))
      #expect(try !ConflictLog(store: replica.store).entries().contains { $0.kind == .deletionOverridden })
    }
  }
}
