import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices of which one has migrated by the app's own stage and the other has not yet.
struct MigratedDevicesTests {
  private func schema(_ version: Int) -> StoreSchema {
    let stars = AttributeDefinition(name: "stars", type: version == 1 ? .string : .int)
    let text = AttributeDefinition(name: "text", type: .string, isOptional: true)
    return StoreSchema(
      version: SchemaVersion(version, 0, 0), entities: [EntityDefinition(name: "Note", attributes: [text, stars])])
  }

  /// The app's stage: text becomes numbers, whatever is no number becomes 0.
  private func migrate(_ replica: TestReplica) throws {
    replica.clock.advance()
    let next = schema(2)
    _ = try replica.store.migrate { session in
      try session.advance(to: next) {
      } complete: { past in
        let old = try past.read { $0.catalogue }
        let new = session.catalogue
        guard let before = old.entities[0].field(named: "stars"), let after = new.entities[0].field(named: "stars")
        else { return }
        let images = try past.read { try $0.fetch(RecordQuery(entity: 0)) }
        let changes = images.map { image -> RecordChange in
          guard case .string(let text) = image.value(of: before) else { preconditionFailure("stars are text") }
          let value = FieldValue.int(Int64(text) ?? 0)
          return .update(entity: 0, id: image.id, fields: [FieldWrite(after.ordinal, value)])
        }
        _ = try session.store.commit(SaveRequest(changes: changes))
      }
    }
    // The handle's user declares the new version from now on.
    try replica.store.migrate(to: next)
  }

  private func exchange(_ first: TestReplica, _ second: TestReplica) async throws {
    for _ in 0..<2 {
      try await first.send(to: second)
      try await second.send(to: first)
    }
  }

  private func stars(_ replica: TestReplica) throws -> [FieldValue?] {
    try (1...3).map { try replica.store.value("Note", fixtureID($0), "stars") }
  }

  @Test func `a value that is newer than the migration is not overwritten by another device's stage`() async throws {
    let (phone, laptop) = (try TestReplica(schema: schema(1)), try TestReplica(schema: schema(1)))
    try phone.save(phone.names.insert("Note", fixtureID(1), ["stars": .string("1")]))
    try laptop.save(laptop.names.insert("Note", fixtureID(2), ["stars": .string("2")]))
    try await exchange(phone, laptop)

    try migrate(phone)
    let names = try FixtureNames(phone.store)
    try phone.save(names.insert("Note", fixtureID(3), ["stars": .int(5)]))
    try phone.save(names.update("Note", fixtureID(1), ["stars": .int(4)]))
    for clock in [phone.clock, laptop.clock] { clock.advance(byMilliseconds: 10_000) }
    try await exchange(phone, laptop)
    // The laptop keeps what it cannot show.
    #expect(try stars(laptop) == [.string("1"), .string("2"), .string("")])

    try migrate(laptop)
    #expect(try stars(laptop) == [.int(4), .int(2), .int(5)])
    try await exchange(phone, laptop)
    #expect(try stars(phone) == [.int(4), .int(2), .int(5)])
    #expect(try stars(laptop) == [.int(4), .int(2), .int(5)])
    for replica in [phone, laptop] { try expectSound(replica.store) }
  }

  @Test func `what an older device saves meanwhile arrives with its own migration`() async throws {
    let (phone, laptop) = (try TestReplica(schema: schema(1)), try TestReplica(schema: schema(1)))
    for number in 1...3 as ClosedRange<UInt64> {
      try phone.save(phone.names.insert("Note", fixtureID(number), ["stars": .string("\(number)")]))
    }
    // Saved before the migration and sent after it.
    try migrate(phone)
    try await exchange(phone, laptop)
    #expect(try laptop.store.value("Note", fixtureID(2), "stars") == .string("2"))
    try laptop.save(laptop.names.insert("Note", fixtureID(4), ["stars": .string("4")]))
    try await exchange(phone, laptop)
    #expect(try phone.store.value("Note", fixtureID(4), "stars") == .int(0))
    try migrate(laptop)
    try await exchange(phone, laptop)
    for replica in [phone, laptop] {
      #expect(try stars(replica) == [.int(1), .int(2), .int(3)])
      #expect(try replica.store.value("Note", fixtureID(4), "stars") == .int(4))
      try expectSound(replica.store)
    }
  }

  @Test func `a stage gives no life to what another device deleted meanwhile`() async throws {
    let (phone, laptop) = (try TestReplica(schema: schema(1)), try TestReplica(schema: schema(1)))
    try phone.save(phone.names.insert("Note", fixtureID(1), ["stars": .string("1")]))
    try await exchange(phone, laptop)
    try laptop.save(laptop.names.delete("Note", fixtureID(1)))
    phone.clock.advance(byMilliseconds: 60_000)
    try migrate(phone)
    #expect(try phone.store.isVisible("Note", fixtureID(1)))
    try await exchange(phone, laptop)
    for replica in [phone, laptop] { #expect(try !replica.store.isVisible("Note", fixtureID(1))) }
  }
}
