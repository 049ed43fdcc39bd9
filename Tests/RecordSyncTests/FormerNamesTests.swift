import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Names that changed, and devices that met them in another order than the versions came.
struct FormerNamesTests {
  private func schema(_ version: Int, _ entity: EntityDefinition) -> StoreSchema {
    StoreSchema(version: SchemaVersion(version, 0, 0), entities: [entity])
  }

  private func person(_ version: Int, _ name: String?, from originalName: String? = nil) -> StoreSchema {
    let title = AttributeDefinition(name: "title", type: .string, isOptional: true)
    let name = name.map { AttributeDefinition(name: $0, originalName: originalName, type: .string, isOptional: true) }
    return schema(version, EntityDefinition(name: "Person", attributes: [title] + (name.map { [$0] } ?? [])))
  }

  private func names(_ replica: TestReplica, _ field: String) throws -> [FieldValue?] {
    try (1...3).map { try replica.store.value("Person", fixtureID($0), field) }
  }

  @Test func `a class that a store knows by its new name alone is that of the former name`() async throws {
    let title = AttributeDefinition(name: "title", type: .string)
    let old = schema(1, EntityDefinition(name: "Person", attributes: [title]))
    let new = schema(2, EntityDefinition(name: "Human", originalName: "Person", attributes: [title]))
    for isNewFirst in [false, true] {
      let (phone, laptop) = (try TestReplica(schema: old), try TestReplica(schema: new))
      try phone.save(phone.names.insert("Person", fixtureID(1), ["title": .string("Olga")]))
      try laptop.save(laptop.names.insert("Human", fixtureID(2), ["title": .string("Petro")]))
      let pair = isNewFirst ? [laptop, phone] : [phone, laptop]
      try await exchange(pair)
      #expect(try laptop.store.value("Human", fixtureID(1), "title") == .string("Olga"))
      #expect(try phone.store.value("Person", fixtureID(2), "title") == .string("Petro"))
      try phone.store.migrate(to: new)
      try await exchange(pair)
      for replica in pair {
        #expect(try replica.store.value("Human", fixtureID(1), "title") == .string("Olga"))
        #expect(try replica.store.value("Human", fixtureID(2), "title") == .string("Petro"))
        try expectSound(replica.store)
      }
    }
  }

  /// The late device has none of the names when the values come, or the former one afterwards.
  @Test(arguments: [false, true])
  func `a device that met a new name before the former one has one property`(updatesAtOnce: Bool) async throws {
    let clock = ManualClock()
    let old = try TestReplica(clock: clock, schema: person(1, "name"))
    let new = try TestReplica(clock: clock, schema: person(2, "fullName", from: "name"))
    let late = try TestReplica(clock: clock, schema: person(0, nil))
    try new.save(new.names.insert("Person", fixtureID(1), ["fullName": .string("Olga")]))
    try old.save(old.names.insert("Person", fixtureID(2), ["name": .string("Petro")]))
    try await new.send(to: late)
    try await old.send(to: late)
    if !updatesAtOnce {
      try late.store.migrate(to: person(1, "name"))
      #expect(try names(late, "name") == [.string("Olga"), .string("Petro"), nil])
      let declared = try FixtureNames(late.store)
      try late.save(declared.insert("Person", fixtureID(3), ["name": .string("Ruslana")]))
    }
    try late.store.migrate(to: person(2, "fullName", from: "name"))
    let third = updatesAtOnce ? nil : FieldValue.string("Ruslana")
    #expect(try names(late, "fullName") == [.string("Olga"), .string("Petro"), third])
    try await exchange([late, new, old])
    for (replica, field) in [(late, "fullName"), (new, "fullName"), (old, "name")] {
      #expect(try names(replica, field) == [.string("Olga"), .string("Petro"), third])
      try expectSound(replica.store)
    }
  }

  @Test func `a new store of a plan with two renames takes what devices of its first version save`() async throws {
    let clock = ManualClock()
    let versions = [person(1, "name"), person(2, "fullName", from: "name"), person(3, "title2", from: "fullName")]
    let old = try TestReplica(clock: clock, schema: versions[0])
    let history = MigrationHistory(versions: versions, stages: [], target: 2) { _, _ in }
    let folder = try TemporaryFolder()
    var configuration = old.temporary.configuration
    configuration.url = folder.url.appending(path: "new.store")
    let new = try RecordStore.open(configuration, schema: versions[2], history: history)
    var options = SyncOptions()
    options.storeID = TestReplica.family
    let engine = SyncEngine(store: new, folder: old.root, options: options)
    try old.save(old.names.insert("Person", fixtureID(1), ["name": .string("Olga")]))
    try new.save(FixtureNames(new).insert("Person", fixtureID(2), ["title2": .string("Petro")]))
    for _ in 0..<2 {
      _ = try await engine.sync()
      _ = try await old.engine().sync()
    }
    #expect(try new.value("Person", fixtureID(1), "title2") == .string("Olga"))
    #expect(try old.store.value("Person", fixtureID(2), "name") == .string("Petro"))
    for version in versions.dropFirst() { try old.store.migrate(to: version) }
    #expect(try names(old, "title2").prefix(2) == [.string("Olga"), .string("Petro")])
    try expectSound(new)
    try expectSound(old.store)
  }

  @Test func `a store made by the schema of a folder takes what devices of former versions save`() async throws {
    let clock = ManualClock()
    let old = try TestReplica(clock: clock, schema: person(1, "name"))
    let new = try TestReplica(clock: clock, schema: person(1, "name"))
    try new.store.migrate(to: person(2, "fullName", from: "name"))
    try new.store.migrate(to: person(3, "title2", from: "fullName"))
    try new.save(FixtureNames(new.store).insert("Person", fixtureID(1), ["title2": .string("Olga")]))
    _ = try await new.engine().export()
    let copy = try TestReplica(clock: clock, schema: try #require(try new.exchange.newestSchema()))
    try old.save(old.names.insert("Person", fixtureID(2), ["name": .string("Petro")]))
    try await exchange([old, copy])
    try await exchange([new, copy, old])
    #expect(try names(copy, "title2").prefix(2) == [.string("Olga"), .string("Petro")])
    #expect(try names(old, "name").prefix(2) == [.string("Olga"), .string("Petro")])
  }

  /// The links of a relationship lie under the name that it had first.
  @Test func `a store made by the schema of a folder has the links of a relationship that was renamed`() async throws {
    func version(_ number: Int, _ suffix: String, from earlier: String? = nil) -> StoreSchema {
      func side(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDefinition {
        RelationshipDefinition(
          name: name + suffix, originalName: earlier.map { name + $0 }, destination: destination, isToMany: true,
          inverse: inverse + suffix)
      }
      return StoreSchema(
        version: SchemaVersion(number, 0, 0),
        entities: [
          EntityDefinition(name: "Owner", relationships: [side("members", "Member", "owners")]),
          EntityDefinition(name: "Member", relationships: [side("owners", "Owner", "members")]),
        ])
    }
    let clock = ManualClock()
    let phone = try TestReplica(clock: clock, schema: version(1, "A"))
    try phone.save(phone.names.insert("Owner", fixtureID(1)), phone.names.insert("Member", fixtureID(2)))
    try phone.save(phone.names.link("Owner", fixtureID(1), "membersA", fixtureID(2)))
    try phone.store.migrate(to: version(2, "Z", from: "A"))
    try phone.store.migrate(to: version(3, "B", from: "Z"))
    _ = try await phone.engine().export()
    let copy = try TestReplica(clock: clock, schema: try #require(try phone.exchange.newestSchema()))
    try await exchange([phone, copy])
    #expect(try copy.store.related("Owner", fixtureID(1), "membersB") == [fixtureID(2)])
    try copy.save(copy.names.link("Owner", fixtureID(1), "membersB", fixtureID(2), false))
    try await exchange([phone, copy])
    #expect(try phone.store.related("Owner", fixtureID(1), "membersB").isEmpty)
    #expect(try phone.dump == copy.dump)
    for replica in [phone, copy] { try expectSound(replica.store) }
  }
}
