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
