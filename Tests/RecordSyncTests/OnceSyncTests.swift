import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Effects that happen once, through real exchange folders.
@Suite struct OnceSyncTests {
  private func purchase(on replica: TestReplica, rating: Int64 = 1) throws -> OnceOutcome? {
    replica.clock.advance()
    let request = SaveRequest(
      changes: [
        replica.names.insert("Trip", fixtureID(1), ["name": .string("T42"), "rating": .int(rating)]),
        replica.names.insert("Stop", fixtureID(2), ["title": .string("grant"), "trip": .reference(fixtureID(1))]),
      ], once: try OnceKey("purchase 42"))
    return try replica.store.commit(request).once
  }

  private let trip: RecordID

  init() throws { trip = try OnceKey("purchase 42").recordID(entity: "Trip", ordinal: 0) }

  @Test func `a key that arrived counts as done, also after its records were deleted`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    #expect(try purchase(on: phone) == .performed)
    try await phone.send(to: laptop)
    #expect(try purchase(on: laptop) == .alreadyDone)
    try laptop.save(laptop.names.delete("Trip", trip))
    try await laptop.send(to: phone)
    #expect(try purchase(on: phone) == .alreadyDone)
    #expect(try phone.store.isVisible("Trip", trip) == false)
    #expect(try phone.dump == laptop.dump)
    for replica in [phone, laptop] { try replica.temporary.check() }
  }

  @Test func `two devices that ran a key apart have one effect, and nothing to complain of`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    #expect(try purchase(on: phone) == .performed)
    laptop.clock.advance(byMilliseconds: 5)
    #expect(try purchase(on: laptop) == .performed)
    try await phone.send(to: laptop)
    try await laptop.send(to: phone)
    for replica in [phone, laptop] {
      #expect(try replica.store.related("Trip", trip, "stops").count == 1)
      #expect(try ConflictLog(store: replica.store).entries() == [])
      #expect(try replica.store.read { try $0.runs(of: OnceKey("purchase 42")) }.count == 2)
      try replica.temporary.check()
    }
    #expect(try phone.dump == laptop.dump)
    #expect(try await phone.send(to: laptop).isUnchanged)
  }

  @Test func `different values of one effect are in the conflict log, and an edit beats both`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    #expect(try purchase(on: phone, rating: 4) == .performed)
    try phone.save(phone.names.update("Trip", trip, ["rating": .int(5)]))
    laptop.clock.advance(byMilliseconds: 50)
    #expect(try purchase(on: laptop, rating: 2) == .performed)
    try await phone.send(to: laptop)
    try await laptop.send(to: phone)
    for replica in [phone, laptop] {
      #expect(try replica.store.value("Trip", trip, "rating") == .int(5))
      let lost = try ConflictLog(store: replica.store).entries().flatMap(\.fields).map(\.lost)
      #expect(lost.contains(.int(2)))
    }
    #expect(try phone.dump == laptop.dump)
  }

  @Test func `files redelivered in any order repeat nothing`() async throws {
    let (phone, laptop) = (try TestReplica(), try TestReplica())
    _ = try purchase(on: phone)
    try await phone.send(to: laptop)
    try laptop.save(laptop.names.delete("Trip", trip))
    let dump = try laptop.dump
    // As after a restored exchange folder: everything arrives once more.
    for file in try phone.streamFiles {
      let copy = laptop.exchange.stream(of: try phone.id).appending(path: "again-\(file.lastPathComponent)")
      try FileManager.default.copyItem(at: file, to: copy)
    }
    #expect(try await laptop.engine().import().transactionsMerged == 0)
    #expect(try laptop.dump == dump)
    try laptop.temporary.check()
  }
}
