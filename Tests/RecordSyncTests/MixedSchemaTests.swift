import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices that give one field different types: values of the other type are kept as they came, passed on, and shown
/// once the field has their type.
struct MixedSchemaTests {
  private static func schema(_ type: FieldType?, version: Int = 1, isRequired: Bool = false) -> StoreSchema {
    let size = type.map { [AttributeDefinition(name: "size", type: $0, isOptional: !isRequired)] } ?? []
    return StoreSchema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        EntityDefinition(
          name: "Item", attributes: [AttributeDefinition(name: "title", type: .string)] + size,
          indexes: size.isEmpty ? [] : [IndexDefinition("size")])
      ])
  }

  private func replica(_ type: FieldType?, clock: ManualClock = ManualClock()) throws -> TestReplica {
    try TestReplica(clock: clock, schema: Self.schema(type))
  }

  private func exchange(_ replicas: [TestReplica]) async throws {
    for _ in 0..<2 {
      for source in replicas {
        for target in replicas where target !== source { try await source.send(to: target) }
      }
    }
  }

  private func size(_ replica: TestReplica, _ number: UInt64 = 1) throws -> FieldValue? {
    try replica.store.value("Item", fixtureID(number), "size")
  }

  @Test func `values of another type are kept with their stamps, and each device shows its own`() async throws {
    let clock = ManualClock()
    let (whole, text) = (try replica(.int, clock: clock), try replica(.string, clock: clock))
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    try await exchange([whole, text])
    #expect(try size(text) == .null)
    try text.save(text.names.update("Item", fixtureID(1), ["size": .string("L")]))
    let report = try await text.send(to: whole)
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("Item.size is of type int here and string where the change") == true)
    try await exchange([whole, text])
    #expect(try size(whole) == .int(4))
    #expect(try size(text) == .string("L"))
    #expect(try whole.store.value("Item", fixtureID(1), "size~string") == .string("L"))
    #expect(try whole.dump == text.dump)
    #expect(try whole.dump[0].contains("size~int=int(4)"))
    #expect(try whole.dump[0].contains("size~string=string(\"L\")"))
    for replica in [whole, text] { try expectSound(replica.store) }
  }

  @Test func `a value of another type passes through a device that knows neither, and through a snapshot`() async throws
  {
    let clock = ManualClock()
    let (whole, text, middle) = (
      try replica(.int, clock: clock), try replica(.string, clock: clock), try replica(nil, clock: clock)
    )
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    try await whole.send(to: middle)
    try await middle.send(to: text)
    try text.save(text.names.update("Item", fixtureID(1), ["size": .string("L")]))
    try await text.send(to: middle)
    #expect(try size(middle) == .int(4))
    #expect(try middle.store.value("Item", fixtureID(1), "size~string") == .string("L"))
    // Of all that the newcomer could read, only the middle's snapshot.
    _ = try await middle.engine().writeSnapshot()
    for type in [FieldType.int, .string, .bool] {
      let fresh = try replica(type, clock: clock)
      _ = try ExchangeCopy(source: middle.exchange, target: fresh.exchange).run()
      for replica in [try whole.id, try text.id, try middle.id] {
        for file in try fresh.exchange.listing(of: replica).files { try FileManager.default.removeItem(at: file.url) }
      }
      #expect(try await fresh.engine().import().snapshotsJoined == 1)
      #expect(try size(fresh) == [.int: .int(4), .string: .string("L"), .bool: .null][type])
      #expect(try fresh.store.value("Item", fixtureID(1), "size~int") == (type == .int ? nil : .int(4)))
      #expect(try fresh.store.value("Item", fixtureID(1), "size~string") == (type == .string ? nil : .string("L")))
      try expectSound(fresh.store)
    }
  }

  @Test func `what was kept appears when the schema gives the field that type, and the index finds it`() async throws {
    let clock = ManualClock()
    let (whole, text) = (try replica(.int, clock: clock), try replica(.string, clock: clock))
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    try text.save(text.names.insert("Item", fixtureID(2), ["title": .string("cap"), "size": .string("L")]))
    try await exchange([whole, text])
    try whole.store.migrate(to: Self.schema(.string, version: 2))
    #expect(try size(whole, 1) == .null)
    #expect(try size(whole, 2) == .string("L"))
    #expect(try whole.store.value("Item", fixtureID(1), "size~int") == .int(4))
    let names = try FixtureNames(whole.store)
    let query = RecordQuery(
      entity: names.entity("Item"),
      filter: .compare(FieldPath(names.ordinal("Item", "size")), .equal, .string("L")))
    #expect(try whole.store.read { try $0.identifiers(query) } == [fixtureID(2)])
    try expectSound(whole.store)
    // And back again, with nothing lost on the way.
    try whole.store.migrate(to: Self.schema(.int, version: 3))
    #expect(try size(whole, 1) == .int(4))
    #expect(try size(whole, 2) == .null)
    try await exchange([whole, text])
    #expect(try whole.dump == text.dump)
    try expectSound(whole.store)
  }

  /// The values came when nothing was known of the field, so nobody was told that they are not shown.
  @Test func `what was kept of a field that was not known is named once a schema gives the field another type`()
    async throws
  {
    let clock = ManualClock()
    let (whole, middle) = (try replica(.int, clock: clock), try replica(nil, clock: clock))
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    #expect(try await whole.send(to: middle).warnings.isEmpty)
    try middle.store.migrate(to: Self.schema(.string, version: 2))
    let report = try await middle.engine().sync()
    #expect(report.warnings.count == 1)
    #expect(report.warnings.first?.contains("Item.size is of type string here and int where the change") == true)
    #expect(try await middle.engine().sync().warnings.isEmpty)
  }

  /// Before, a store that had met the field as a whole number could not be opened any more by an app that declares it a
  /// text.
  @Test func `a field that came with another type does not stand in the way of a schema`() async throws {
    let (whole, middle) = (try replica(.int), try replica(nil))
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    try await whole.send(to: middle)
    try middle.store.migrate(to: Self.schema(.string, version: 2))
    #expect(try size(middle) == .null)
    #expect(try middle.store.value("Item", fixtureID(1), "size~int") == .int(4))
    try expectSound(middle.store)
    let error = #expect(throws: StoreError.self) { try middle.store.migrate(to: Self.schema(.bool, version: 3)) }
    #expect(error?.code == .incompatibleSchema)
  }

  @Test func `a required field of another type has its default until a value of its own comes`() async throws {
    let (whole, text) = (
      try TestReplica(schema: Self.schema(.int, isRequired: true)),
      try TestReplica(schema: Self.schema(.string, isRequired: true))
    )
    try whole.save(whole.names.insert("Item", fixtureID(1), ["title": .string("hat"), "size": .int(4)]))
    try await exchange([whole, text])
    #expect(try size(text) == .string(""))
    try text.save(text.names.update("Item", fixtureID(1), ["size": .string("L")]))
    try await exchange([whole, text])
    #expect(try size(text) == .string("L"))
    #expect(try size(whole) == .int(4))
    #expect(try whole.dump == text.dump)
  }

  @Test(arguments: 0..<6)
  func `replicas of mixed schemas end equal, and equal to all new ones after the upgrade`(round: Int) async throws {
    var generator = SeededGenerator(seed: SeededGenerator.announced("mixed schemas").seed &+ UInt64(round))
    let clock = ManualClock()
    let types: [FieldType?] = [.int, .string, nil, .bool]
    let replicas = try types.map { try replica($0, clock: clock) }
    for step in 0..<60 as Range<UInt64> {
      clock.advance()
      let index = Int.random(in: 0..<replicas.count, using: &generator)
      let (replica, names) = (replicas[index], try FixtureNames(replicas[index].store))
      if generator.oneIn(4) {
        try await replica.send(to: replicas[(index + Int.random(in: 1..<replicas.count, using: &generator)) % 4])
        continue
      }
      let value: FieldValue? = types[index].map { type in
        switch type {
        case .int: .int(Int64(step))
        case .string: .string("\(step)")
        default: .bool(step % 2 == 0)
        }
      }
      let fields = value.map { ["size": $0] } ?? ["title": .string("step \(step)")]
      let id = fixtureID(1 + UInt64.random(in: 0...6, using: &generator))
      if try replica.store.isVisible("Item", id) {
        try replica.save(generator.oneIn(6) ? names.delete("Item", id) : names.update("Item", id, fields))
      } else {
        try replica.save(names.insert("Item", id, fields.merging(["title": .string("item")]) { first, _ in first }))
      }
    }
    try await exchange(replicas)
    for replica in replicas { try expectSound(replica.store) }
    for replica in replicas.dropFirst() { #expect(try replica.dump == replicas[0].dump) }
    for replica in replicas { try replica.store.migrate(to: Self.schema(.string, version: 2)) }
    for replica in replicas.dropFirst() { #expect(try replica.dump == replicas[0].dump) }
    for number in 1...7 as ClosedRange<UInt64> {
      let shown = try size(replicas[1], number)
      for replica in replicas { #expect(try size(replica, number) == shown) }
    }
    for replica in replicas { try expectSound(replica.store) }
  }
}
