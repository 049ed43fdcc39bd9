import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Entries of the conflict log name one loss alike on each device.
struct ConflictIdentityTests {
  /// One loss, apart from the record that it is told of.
  private struct Loss: Hashable {
    let kind: Conflict.Kind
    let lost: Stamp
    let ordinals: [Int]
  }

  private func entries(_ replica: TestReplica) throws -> [Conflict] { try ConflictLog(store: replica.store).entries() }

  @Test func `an overridden delete is told of the row, and goes when a save arrives that has seen it`() async throws {
    let early = try TestReplica(clock: ManualClock())
    let late = try TestReplica(clock: ManualClock(milliseconds: 1_800_003_600_000))
    let names = early.names
    try early.save(names.insert("Tag", id(5), ["name": .string("red")]))
    try late.save(names.insert("Tag", id(7), ["name": .string("red")]))
    try early.save(names.delete("Tag", id(5)))
    for _ in 0..<2 { try await exchange([early, late]) }
    for replica in [early, late] {
      let logged = try entries(replica)
      #expect(logged.map(\.kind) == [.deletionOverridden])
      #expect(logged.map(\.record) == [id(5)])
    }
    #expect(try entries(early).map(\.id) == entries(late).map(\.id))

    // The device that deleted the tag goes on with it.
    try early.save(names.update("Tag", id(5), ["name": .string("blue")]))
    for _ in 0..<2 { try await exchange([early, late]) }
    #expect(try entries(late) == [])
    for replica in [early, late] {
      #expect(try replica.store.value("Tag", id(7), "name") == .string("blue"))
      try expectSound(replica.store)
    }
    #expect(try early.dump == late.dump)
  }

  /// The device that had the later of two equal inserts first took the earlier one for no loss, and then did not know
  /// of it any more when an edit came whose author had not seen it.
  @Test func `an edit that beats one of two equal inserts is told alike on both devices`() async throws {
    let early = try TestReplica(clock: ManualClock())
    let late = try TestReplica(clock: ManualClock(milliseconds: 1_800_003_600_000))
    let names = early.names
    for replica in [early, late] { try replica.save(names.insert("Tag", id(5), ["name": .string("red")])) }
    try await late.send(to: early)
    #expect(try entries(early) == [], "both wrote the same")
    try late.save(names.update("Tag", id(5), ["name": .string("blue")]))
    for _ in 0..<2 { try await exchange([early, late]) }
    for replica in [early, late] {
      let logged = try entries(replica)
      #expect(logged.map(\.kind) == [.editLost])
      #expect(logged.first?.fields.map(\.lost) == [.string("red")])
      #expect(logged.first?.fields.map(\.winning) == [.string("blue")])
    }
    #expect(try entries(early).map(\.id) == entries(late).map(\.id))
    try ConflictLog(store: early.store).restore(#require(entries(early).first).id)
    for _ in 0..<2 { try await exchange([early, late]) }
    for replica in [early, late] { #expect(try replica.store.value("Tag", id(5), "name") == .string("red")) }
    #expect(try entries(early) == [])
  }

  /// As the merges wrote them.
  private func winnersInStore(_ replica: TestReplica) throws -> [Stamp] {
    try replica.store.read { snapshot in
      var found: [Stamp] = []
      try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { key, value in
        found.append(try Conflict(key: key, value: value).winningStamp)
        return true
      }
      return found
    }
  }

  /// The rules let a later edit of a stop pass without a look at its trip.
  @Test func `an overridden delete names the newest write below, whether it came with the others or by itself`()
    async throws
  {
    let early = try TestReplica(clock: ManualClock())
    let late = try TestReplica(clock: ManualClock(milliseconds: 1_800_003_600_000))
    let (stepwise, atOnce) = (try TestReplica(), try TestReplica())
    let names = early.names
    try early.save(names.insert("Trip", id(1), ["name": .string("north")]))
    try early.save(names.insert("Stop", id(2), ["title": .string("a"), "trip": .reference(id(1))]))
    for other in [late, stepwise, atOnce] { try await early.send(to: other) }
    try early.save(names.delete("Trip", id(1)))
    try await early.send(to: stepwise)
    for title in ["b", "c"] {
      late.clock.advance(byMilliseconds: 1_000)
      try late.save(names.update("Stop", id(2), ["title": .string(title)]))
      try await late.send(to: stepwise)
    }
    for other in [early, late] { try await other.send(to: atOnce) }
    let newest = try late.store.read { try $0.clockStamp }
    #expect(try winnersInStore(stepwise).allSatisfy { $0 < newest }, "the rules have not looked at the trip again")
    for replica in [stepwise, atOnce] {
      let logged = try entries(replica)
      #expect(logged.map(\.kind) == [.deletionOverridden])
      #expect(logged.first?.winningStamp == newest)
    }
    #expect(try entries(stepwise).map(\.id) == entries(atOnce).map(\.id))
    // Done again, the delete takes the entry along, under whatever key the store has it.
    try ConflictLog(store: stepwise.store).restore(#require(entries(stepwise).first).id)
    #expect(try entries(stepwise) == [])
    #expect(try stepwise.store.isVisible("Trip", id(1)) == false)
  }

  @Test func `equal writes are no loss, also after a later one of the same value, and days of the log`() async throws {
    let clocks = (0..<3).map { ManualClock(milliseconds: 1_800_000_000_000 + $0 * 3_600_000) }
    let replicas = try clocks.map { try TestReplica(clock: $0) }
    for replica in replicas { try replica.save(replica.names.insert("Tag", id(5), ["name": .string("red")])) }
    for _ in 0..<2 { try await exchange(replicas) }
    for replica in replicas {
      #expect(try entries(replica) == [])
      #expect(try ConflictLog(store: replica.store).removeExpired(nowMilliseconds: replica.clock.milliseconds) == 0)
    }
  }

  /// Of devices that have not met the last write of each is in the log, unless it is the latest of all or says the
  /// same.
  @Test func `what was written apart is told alike in whatever order it comes`() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<12 {
      let clocks = (0..<3).map { _ in ManualClock() }
      let replicas = try clocks.map { try TestReplica(clock: $0) }
      var lasts: [ReplicaID: (stamp: Stamp, value: FieldValue)] = [:]
      var steps: [String] = []
      for index in (0..<10).map({ $0 < 3 ? $0 : Int.random(in: 0..<3, using: &random) }) {
        for clock in clocks { clock.advance(byMilliseconds: 1_000) }
        let replica = replicas[index]
        let value = FieldValue.string(["red", "blue"].randomElement(using: &random) ?? "")
        let isFirst = try lasts[replica.id] == nil
        let isSame = try lasts[replica.id]?.value == value
        if isSame { continue }
        try replica.save(
          isFirst
            ? replica.names.insert("Tag", id(5), ["name": value])
            : replica.names.update("Tag", id(5), ["name": value]))
        lasts[try replica.id] = (try replica.store.read { try $0.clockStamp }, value)
        steps.append("\(index): \(value)")
        _ = try await replica.engine().export()
      }
      try await deliverApart(among: replicas, &random)
      let winner = try #require(lasts.values.max { $0.stamp < $1.stamp })
      let lost = Set(lasts.values.filter { $0.value != winner.value }.map(\.stamp))
      for replica in replicas {
        let logged = try entries(replica)
        #expect(Set(logged.map(\.lostStamp)) == lost && logged.count == lost.count, "\(steps)")
        #expect(logged.allSatisfy { $0.winningStamp == winner.stamp }, "\(steps)")
      }
    }
  }

  /// Change sets arrive one by one, of each author in its order.
  private func deliverApart(among replicas: [TestReplica], _ random: inout SeededGenerator) async throws {
    for target in replicas {
      var files = try replicas.filter { $0 !== target }.flatMap { source in
        try source.exchange.listing(of: source.id).files
      }.sorted { $0.from < $1.from }
      while !files.isEmpty {
        let index = Int.random(in: files.indices, using: &random)
        let root = files[index].exchange.root
        let file = files.remove(at: files.firstIndex { $0.exchange.root == root } ?? index)
        let path = file.url.path.dropFirst(root.path.count)
        let place = URL(filePath: target.root.path + path)
        try FileManager.default.createDirectory(
          at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: file.url, to: place)
        _ = try await target.engine().import()
      }
    }
  }

  @Test func `devices name one record for each loss, in whatever order they met`() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<25 {
      let history = try await history(&random)
      var named: [Loss: RecordID] = [:]
      for replica in history.replicas {
        for entry in try entries(replica) {
          let loss = Loss(kind: entry.kind, lost: entry.lostStamp, ordinals: entry.fields.map(\.ordinal))
          let row = try replica.store.read { try $0.canonical(entry.record) }
          if entry.kind != .editLost { #expect(entry.record == row, "\(history.steps)") }
          #expect(named[loss, default: row] == row, "\(history.steps)")
          named[loss] = row
        }
        try expectSound(replica.store)
      }
    }
  }

  private struct History {
    let replicas: [TestReplica]
    var steps: [String] = []
  }

  /// Three devices, an hour apart, with trips of two names and stops in them.
  private func history(_ random: inout SeededGenerator) async throws -> History {
    let hours = (0..<3).map { ManualClock(milliseconds: 1_800_000_000_000 + $0 * 3_600_000) }
    var history = History(replicas: try hours.map { try TestReplica(clock: $0) })
    let names = history.replicas[0].names
    var trips: [RecordID] = []
    var stops: [RecordID] = []
    for number in 1...20 {
      let device = Int.random(in: 0..<3, using: &random)
      let name = FieldValue.string(["red", "blue"].randomElement(using: &random) ?? "")
      let trip = trips.randomElement(using: &random)
      let stop = stops.randomElement(using: &random)
      let new = id(UInt64(number))
      let change: RecordChange
      switch (Int.random(in: 0..<8, using: &random), trip, stop) {
      case (0, let trip?, _), (1, let trip?, _):
        stops.append(new)
        change = names.insert("Stop", new, ["title": name, "trip": .reference(trip)])
      case (2, let trip?, _): change = names.update("Trip", trip, ["name": name])
      case (3, let trip?, let stop?): change = names.update("Stop", stop, ["trip": .reference(trip)])
      case (4, let trip?, _): change = names.delete("Trip", trip)
      case (5, _, let stop?): change = names.delete("Stop", stop)
      case (6, _, _), (7, _, _):
        let other = (device + 1) % 3
        history.steps.append("\(device) and \(other) meet")
        try await exchange([history.replicas[device], history.replicas[other]])
        continue
      default:
        trips.append(new)
        change = names.insert("Trip", new, ["name": name])
      }
      do {
        try history.replicas[device].save(change)
        history.steps.append("\(device): \(change)")
      } catch is StoreError {
        // The device does not know the record, or the rules do not allow it.
        continue
      }
    }
    for _ in 0..<4 { try await exchange(history.replicas) }
    return history
  }
}
