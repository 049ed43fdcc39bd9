import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What a store's status says of the exchange.
struct SyncStatusTests {
  /// They counted no more once the store had another id, and the status called the store settled.
  @Test func `what a store saved under a former id is unexported until it is in a change set`() async throws {
    let phone = try TestReplica()
    let laptop = try TestReplica(clock: phone.clock)
    let names = phone.names
    let day = FieldValue.date(Date(timeIntervalSinceReferenceDate: 0))
    func save(_ number: UInt64) throws {
      phone.clock.advance()
      _ = try phone.store.save(
        names.insert("Trip", fixtureID(number), ["name": .string("\(number)"), "start": day]))
    }
    func status() throws -> SyncStatus {
      try SyncStatus(of: phone.store, folder: phone.root, storeID: TestReplica.family)
    }
    try save(1)
    try await exchange([phone, laptop])
    for number in 2...4 as ClosedRange<UInt64> { try save(number) }
    #expect(try status().unexported == 3)
    _ = try phone.store.renewReplica(because: .copied)
    #expect(try status().unexported == 3 && !status().isSettled)
    try save(5)
    #expect(try status().unexported == 4)
    try await exchange([phone, laptop])
    #expect(try status().unexported == 0)
    #expect(try laptop.store.read { try $0.count(RecordQuery(entity: names.entity("Trip"))) } == 5)
  }
}
