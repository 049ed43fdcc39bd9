import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices of one family along four versions of a schema, in which a property becomes a number and a text again, and
/// another one goes and returns. The app's own stages write both.
///
/// A stage knows the values of the version before. So it must not write over what a person has entered in a version
/// that is as new as the stage's, on a device that migrated earlier.
struct DeviceLivesTests {
  static let last = 4

  static func schema(_ version: Int) -> StoreSchema {
    func attribute(_ name: String, _ type: FieldType = .string) -> AttributeDefinition {
      AttributeDefinition(name: name, type: type, isOptional: true)
    }
    var attributes = [attribute("title"), attribute("weight", version == 2 ? .int : .string)]
    if version != 2, version > 0 { attributes.append(attribute("note")) }
    if version == 4 { attributes.append(attribute("extra")) }
    return StoreSchema(
      version: SchemaVersion(version, 0, 0), entities: [EntityDefinition(name: "Parcel", attributes: attributes)])
  }

  final class Device {
    let replica: TestReplica
    private(set) var version: Int

    init(_ version: Int, _ clock: ManualClock, _ id: ReplicaID) throws {
      self.version = version
      replica = try TestReplica(clock: clock, schema: schema(version), replica: id)
    }

    /// Follows the plan, stage after stage, or goes by one stage.
    func update(to target: Int, atOnce: Bool = false) throws {
      replica.clock.advance()
      for next in (atOnce ? target : version + 1)...target { try advance(to: next) }
      try replica.store.migrate(to: schema(target))
      version = target
    }

    /// Goes back by a stage that does nothing.
    func goBack(to target: Int) throws {
      replica.clock.advance()
      let earlier = schema(target)
      _ = try replica.store.migrate { try $0.advance(to: earlier, prepare: {}, complete: { _ in }) }
      try replica.store.migrate(to: earlier)
      version = target
    }

    private func advance(to next: Int) throws {
      let schema = schema(next)
      _ = try replica.store.migrate { session in
        guard next == 2 || next == 3 else { return try session.advance(to: schema) }
        try session.advance(to: schema) {
        } complete: { past in
          let (old, new) = (FixtureNames(try past.read { $0.catalogue }), FixtureNames(session.catalogue))
          let weight = old.catalogue.entities[0].fields[old.ordinal("Parcel", "weight")]
          let images = try past.read { try $0.fetch(RecordQuery(entity: 0)) }
          let changes = images.map { image -> RecordChange in
            switch (next, image.value(of: weight)) {
            case (2, .string(let text)): return new.update("Parcel", image.id, ["weight": .int(Int64(text) ?? 0)])
            case (3, .int(let number)):
              return new.update("Parcel", image.id, ["weight": .string("\(number) kg"), "note": .string("by stage")])
            case (3, _): return new.update("Parcel", image.id, ["note": .string("by stage")])
            default: return new.update("Parcel", image.id, [:])
            }
          }
          _ = try session.store.commit(SaveRequest(changes: changes))
        }
      }
    }

    func save(_ values: [String: FieldValue], of id: RecordID, isNew: Bool = false) throws {
      let names = try FixtureNames(replica.store)
      let fields = values.filter { names.catalogue.entities[0].field(named: $0.key)?.isDeclared == true }
      try replica.save(isNew ? names.insert("Parcel", id, fields) : names.update("Parcel", id, fields))
    }

    func shown() throws -> [RecordID: [String: String]] {
      try replica.store.read { snapshot in
        let fields = snapshot.catalogue.entities[0].fields.filter(\.isDeclared)
        let images = try snapshot.fetch(RecordQuery(entity: 0))
        return Dictionary(
          uniqueKeysWithValues: images.map { image in
            (image.id, Dictionary(uniqueKeysWithValues: fields.map { ($0.name, "\(image.value(of: $0))") }))
          })
      }
    }

    /// The texts that the store has of a property, shown or not.
    func texts(_ property: String) throws -> [RecordID: String] {
      try replica.store.read { snapshot in
        let ordinals = snapshot.catalogue.entities[0].fields.filter { field in
          field.type == .string && (field.name == property || field.name.hasPrefix("\(property)~"))
        }.map(\.ordinal)
        var found: [RecordID: String] = [:]
        try snapshot.forEachFacts(of: 0) { facts, _ in
          for ordinal in ordinals {
            if case .string(let text)? = facts.register(at: ordinal)?.value { found[facts.id] = text }
          }
        }
        return found
      }
    }
  }

  private func withDevices(_ versions: [Int], _ body: ([Device]) async throws -> Void) async throws {
    let clock = ManualClock()
    let devices = try versions.enumerated().map { try Device($1, clock, ReplicaID(UInt64($0 + 1))) }
    try await body(devices)
    for _ in 0..<2 { try await exchange(devices.map(\.replica)) }
    for device in devices {
      #expect(try device.shown() == devices[0].shown())
      #expect(try device.replica.dump == devices[0].replica.dump)
      try expectSound(device.replica.store)
    }
  }

  /// The device gives the property up on its way, and took for its own what it had before.
  @Test func `an edit by a migrated device outlives the stages of one that migrates later`() async throws {
    try await withDevices([3, 1]) { devices in
      let parcel = fixtureID(1)
      try devices[1].save(["weight": .string("4"), "note": .string("first")], of: parcel, isNew: true)
      try await exchange(devices.map(\.replica))
      try devices[0].save(["weight": .string("heavy"), "note": .string("edited")], of: parcel)
      try await exchange(devices.map(\.replica))
      try devices[1].update(to: 3)
      #expect(try devices[1].shown()[parcel]?["weight"] == "\(FieldValue.string("heavy"))")
      #expect(try devices[1].shown()[parcel]?["note"] == "\(FieldValue.string("edited"))")
    }
  }

  /// A snapshot joins the work of many devices, and a stage took what came by one for its store's own.
  @Test(arguments: [false, true]) func `an edit that comes by a snapshot outlives the stages, too`(
    isPassedOn: Bool
  ) async throws {
    try await withDevices(isPassedOn ? [3, 1, 4] : [3, 1]) { devices in
      let (parcel, late) = (fixtureID(1), devices[1])
      try late.save(["weight": .string("4"), "note": .string("first")], of: parcel, isNew: true)
      try await exchange(devices.map(\.replica))
      try devices[0].save(["weight": .string("heavy"), "note": .string("edited")], of: parcel)
      _ = try await devices[0].replica.engine().export()
      let source = devices[isPassedOn ? 2 : 0].replica
      if isPassedOn { try await devices[0].replica.send(to: source) }
      #expect(try await source.engine().writeSnapshot().snapshotsWritten == 1)
      _ = try ExchangeCopy(source: source.exchange, target: late.replica.exchange).run()
      try FileManager.default.removeItem(at: late.replica.exchange.stream(of: devices[0].replica.id))
      #expect(try await late.replica.engine().import().snapshotsJoined == 1)
      try late.update(to: 3)
      #expect(try late.shown()[parcel]?["weight"] == "\(FieldValue.string("heavy"))")
      #expect(try late.shown()[parcel]?["note"] == "\(FieldValue.string("edited"))")
      for device in devices where isPassedOn && device.version < Self.last { try device.update(to: Self.last) }
    }
  }

  /// The store itself never had the property: it went back from a version that does not have it either.
  @Test func `a value that came for a later version outlives a way back and the stage forth`() async throws {
    try await withDevices([3, 2]) { devices in
      let parcel = fixtureID(1)
      try devices[1].save(["weight": .int(4)], of: parcel, isNew: true)
      try await exchange(devices.map(\.replica))
      try devices[0].save(["note": .string("edited")], of: parcel)
      try await exchange(devices.map(\.replica))
      try devices[1].goBack(to: 0)
      try devices[1].update(to: 3, atOnce: true)
      #expect(try devices[1].shown()[parcel]?["note"] == "\(FieldValue.string("edited"))")
    }
  }

  @Test func `texts of the first version that came by sync alone give way to no stage`() async throws {
    try await withDevices([1, 2]) { devices in
      let parcel = fixtureID(1)
      try devices[0].save(["weight": .string("4"), "note": .string("first")], of: parcel, isNew: true)
      try await exchange(devices.map(\.replica))
      try devices[1].update(to: 3)
      #expect(try devices[1].shown()[parcel]?["note"] == "\(FieldValue.string("first"))")
      try devices[0].update(to: 3)
    }
  }

  @Test(arguments: 0..<6) func `devices that update when they like end equal, and stages take no person's later value`(
    round: Int
  ) async throws {
    var generator = SeededGenerator.announced("device lives, round \(round)")
    let clock = ManualClock()
    var devices: [Device] = []
    func addDevice(_ generator: inout SeededGenerator) throws {
      let version = Int.random(in: 1...Self.last, using: &generator)
      devices.append(try Device(version, clock, ReplicaID(UInt64(devices.count + 1))))
    }
    func update(_ device: Device, to version: Int) throws {
      let before = try ["weight", "note"].map { try device.texts($0) }
      try device.update(to: version)
      let after = try ["weight", "note"].map { try device.texts($0) }
      for (before, after) in zip(before, after) {
        for (id, text) in before where text.hasPrefix("by a person") { #expect(after[id] == text, "\(id)") }
      }
    }
    for _ in 0..<3 { try addDevice(&generator) }
    var count: UInt64 = 0
    for step in 0..<60 {
      clock.advance(byMilliseconds: 10)
      let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
      let isLate = device.version > 2
      let text = FieldValue.string(isLate ? "by a person, step \(step)" : "\(step)")
      let weight = device.version == 2 ? FieldValue.int(Int64(step)) : text
      let known = try device.shown().keys.sorted()
      switch (Int.random(in: 0..<12, using: &generator), known.randomElement(using: &generator)) {
      case (0...1, _), (_, nil):
        count += 1
        try device.save(["weight": weight, "note": text], of: fixtureID(count), isNew: true)
      case (2...4, let id?): try device.save(["weight": weight], of: id)
      case (5...6, let id?): try device.save(["note": text, "title": text, "extra": text], of: id)
      case (7, let id?): try device.replica.save(try FixtureNames(device.replica.store).delete("Parcel", id))
      case (8, _):
        if device.version < Self.last {
          try update(device, to: Int.random(in: device.version + 1...Self.last, using: &generator))
        }
      case (9, _): if devices.count < 4 { try addDevice(&generator) }
      default:
        let other = devices[Int.random(in: 0..<devices.count, using: &generator)]
        if other !== device { try await device.replica.send(to: other.replica) }
      }
    }
    for device in devices where device.version < Self.last { try update(device, to: Self.last) }
    for _ in 0..<3 { try await exchange(devices.map(\.replica)) }
    for device in devices {
      #expect(try device.shown() == devices[0].shown())
      #expect(try device.replica.dump == devices[0].replica.dump)
      try expectSound(device.replica.store)
    }
  }
}
