import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Devices of one family whose apps have different versions, each of which updates when it likes: random saves,
/// exchanges and updates. In the end all have the newest version and show the same.
struct SchemaVersionsTests {
  /// A device with one of the versions, as a migration plan of all of them leads its store.
  final class Device {
    let replica: TestReplica
    private(set) var version: Int
    private let versions: Versions

    init(_ versions: Versions, _ version: Int, _ clock: ManualClock, _ id: ReplicaID) throws {
      (self.versions, self.version) = (versions, version)
      let history = MigrationHistory(
        versions: (0...Versions.last).map { versions[$0] }, stages: [], target: version
      ) { _, _ in }
      replica = try TestReplica(clock: clock, schema: history.naming(versions[version]), replica: id)
    }

    func update() throws {
      guard version < Versions.last else { return }
      version += 1
      replica.clock.advance()
      do {
        try migrate()
      } catch let error as StoreError where error.message.contains("take links away before") {
        try keepOneTag()
        try migrate()
      }
    }

    private func migrate() throws {
      let next = versions[version]
      if versions.changes.contains(.changedType), version == 2 {
        let entity = versions.name(1)
        _ = try replica.store.migrate { session in
          try session.advance(to: next) {
          } complete: { past in
            let (old, new) = (FixtureNames(try past.read { $0.catalogue }), FixtureNames(session.catalogue))
            let size = old.catalogue.entities[old.entity(entity)].fields[old.ordinal(entity, "size")]
            let images = try past.read { try $0.fetch(RecordQuery(entity: old.entity(entity))) }
            let changes = images.compactMap { image -> RecordChange? in
              guard case .int(let number) = image.value(of: size) else { return nil }
              return new.update(entity, image.id, ["size": .string("\(number)")])
            }
            _ = try session.store.commit(SaveRequest(changes: changes))
          }
        }
      }
      try replica.store.migrate(to: next)
    }

    /// What the app must do before a note may have one tag only.
    private func keepOneTag() throws {
      let names = try FixtureNames(replica.store)
      let entity = versions.name(version - 1)
      let changes = try replica.store.read { snapshot in
        try snapshot.fetch(RecordQuery(entity: names.entity(entity))).flatMap { image in
          try snapshot.related(image.id, of: names.entity(entity), relationship: "tag").sorted().dropFirst()
            .map { names.link(entity, image.id, "tag", $0, false) }
        }
      }
      _ = try replica.store.commit(SaveRequest(changes: changes))
      replica.clock.advance()
    }

    var entity: String { versions.name(version) }

    func fields(_ values: [String: FieldValue]) -> [String: FieldValue] {
      Dictionary(
        uniqueKeysWithValues: values.compactMap { property, value in
          versions.name(of: property, version).map { ($0, value) }
        })
    }

    /// What readers see: of each record its values, and the records to which it is related.
    func shown() throws -> [RecordID: [String: [String]]] {
      try replica.store.read { snapshot in
        var shown: [RecordID: [String: [String]]] = [:]
        for entity in snapshot.catalogue.entities where entity.isDeclared && !entity.isJoin {
          for image in try snapshot.fetch(RecordQuery(entity: entity.number)) {
            var values: [String: [String]] = ["of": [entity.name]]
            for field in entity.fields where field.isDeclared && field.type != .reference {
              values[field.name] = ["\(image.value(of: field))"]
            }
            for relationship in entity.relationships {
              values[relationship.name] = try snapshot.related(
                image.id, of: entity.number, relationship: relationship.name
              ).map { "\($0)" }.sorted()
            }
            shown[image.id] = values
          }
        }
        return shown
      }
    }

    /// Whether the conflict log tells of a value of a record that it lost.
    func logsLoss(of value: FieldValue, in field: String, of id: RecordID) throws -> Bool {
      let ordinal = try FixtureNames(replica.store).ordinal(entity, field)
      return try ConflictLog(store: replica.store).entries().contains { entry in
        entry.record == id && entry.kind == .editLost
          && entry.fields.contains { $0.ordinal == ordinal && $0.lost == value }
      }
    }

    /// The records that collections took away here.
    func forgotten() throws -> [ForgottenRecords] {
      try replica.store.read { snapshot in
        var forgotten: [ForgottenRecords] = []
        try snapshot.forEachAttachment(prefix: SyncAttachment.forgotten) { _, value in
          forgotten.append(try ForgottenRecords(value))
          return true
        }
        return forgotten
      }
    }
  }

  /// The later write of each property counts, and the later of delete and edit.
  private struct Expected {
    var values: [String: FieldValue] = [:]
    var isAlive = true
  }

  private struct Work {
    let versions: Versions
    let clock = ManualClock()
    var generator: SeededGenerator
    var devices: [Device] = []
    var expected: [RecordID: Expected] = [:]
    private var next: UInt64 = 0
    private var others: [String: [RecordID]] = [:]

    init(_ versions: Versions, _ generator: SeededGenerator) throws {
      (self.versions, self.generator) = (versions, generator)
      for _ in 0..<3 { try addDevice() }
    }

    mutating func addDevice() throws {
      let version = Int.random(in: 0...Versions.last, using: &generator)
      devices.append(try Device(versions, version, clock, ReplicaID(UInt64(devices.count + 1))))
    }

    mutating func step() async throws {
      clock.advance(byMilliseconds: 10)
      let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
      switch Int.random(in: 0..<40, using: &generator) {
      case 0...7:
        let other = devices[Int.random(in: 0..<devices.count, using: &generator)]
        if other !== device { try await device.replica.send(to: other.replica) }
      case 8: try device.update()
      case 9:
        if devices.count < 4 { try addDevice() }
      case 10: _ = try await device.replica.engine().writeSnapshot()
      case 11:
        clock.advance(byMilliseconds: 40 * 86_400_000)
        _ = try await device.replica.engine().sync()
      default: try save(on: device)
      }
    }

    /// Does what chance says, unless a unique value stands against it.
    private mutating func save(on device: Device) throws {
      let names = try FixtureNames(device.replica.store)
      let visible = try device.shown()
      let notes = expected.keys.filter { visible[$0] != nil }.sorted()
      next += 1
      let new = fixtureID(next)
      switch (Int.random(in: 0..<24, using: &generator), notes.randomElement(using: &generator)) {
      case (3, _):
        let kind = generator.pick(["Folder", "Tag"])
        others[kind, default: []].append(new)
        try device.replica.save(names.insert(kind, new))
      case (5, _):
        let kind = generator.pick(["Folder", "Tag"])
        guard let other = other(kind, visible) else { return }
        try device.replica.save(names.delete(kind, other))
      case (4, let note?):
        try device.replica.save(names.delete(device.entity, note))
        expected[note]?.isAlive = false
      case (6...9, let note?):
        let property = generator.pick(["folder", "tag"])
        let target = other(property.capitalized, visible)
        if property == "tag", versions.hasManyTags(device.version) {
          guard let target else { return }
          let isLinked = !(visible[note]?["tag"] ?? []).contains("\(target)")
          try device.replica.save(names.link(device.entity, note, "tag", target, isLinked))
        } else {
          try update(note, [property: target.map { .reference($0) } ?? .null], on: device, names, visible)
        }
      case (20...21, let note): try saveExtra(of: note, on: device, names, visible, new)
      case (22...23, let note?): try saveBadge(of: note, on: device, names, visible, new)
      case (10...19, let note?):
        var values = randomValues(for: device)
        // In an order that is the same in each process, as the seed is.
        for property in values.keys.sorted() where !generator.oneIn(3) { values[property] = nil }
        // A device that does not know yet that values are unique keeps none that was given up.
        if versions.changes.contains(.uniqueField) { values["code"] = nil }
        try update(note, values, on: device, names, visible)
      default:
        let values = randomValues(for: device)
        guard try isTaken(names.insert(device.entity, new, device.fields(values)), by: device) else { return }
        expected[new] = Expected(values: known(values, on: device))
      }
    }

    private mutating func saveExtra(
      of note: RecordID?, on device: Device, _ names: FixtureNames, _ visible: [RecordID: [String: [String]]],
      _ new: RecordID
    ) throws {
      guard versions.hasExtras(device.version) else { return }
      let owner = note.map { FieldValue.reference($0) } ?? .null
      switch (generator.pick([0, 1, 2, 3]), other("Extra", visible)) {
      case (1, let extra?): try device.replica.save(names.update("Extra", extra, ["label": .string("label \(next)")]))
      case (2, let extra?): try device.replica.save(names.update("Extra", extra, ["owner": owner]))
      case (3, let extra?): try device.replica.save(names.delete("Extra", extra))
      default:
        others["Extra", default: []].append(new)
        try device.replica.save(names.insert("Extra", new, ["label": .string("extra \(next)"), "owner": owner]))
      }
    }

    private mutating func saveBadge(
      of note: RecordID, on device: Device, _ names: FixtureNames, _ visible: [RecordID: [String: [String]]],
      _ new: RecordID
    ) throws {
      guard versions.hasBadges(device.version) else { return }
      guard let badge = other("Badge", visible), !generator.oneIn(3) else {
        others["Badge", default: []].append(new)
        return try device.replica.save(names.insert("Badge", new))
      }
      if generator.oneIn(5) { return try device.replica.save(names.delete("Badge", badge)) }
      let isTaken = generator.oneIn(4)
      if versions.isBadgeOfNote(device.version) {
        try device.replica.save(
          names.update(device.entity, note, ["badge": isTaken ? .null : .reference(badge)]))
      } else {
        try device.replica.save(names.update("Badge", badge, ["note": isTaken ? .null : .reference(note)]))
      }
    }

    private mutating func update(
      _ note: RecordID, _ values: [String: FieldValue], on device: Device, _ names: FixtureNames,
      _ visible: [RecordID: [String: [String]]]
    ) throws {
      // What is written again as it is, is no write.
      let changes = known(values, on: device).filter { property, value in
        let shown = visible[note]?[versions.name(of: property, device.version) ?? ""] ?? []
        if case .reference(let target) = value { return shown != ["\(target)"] }
        return value == .null && shown.isEmpty ? false : shown != ["\(value)"]
      }
      guard !changes.isEmpty,
        try isTaken(names.update(device.entity, note, device.fields(changes)), by: device)
      else { return }
      expected[note]?.isAlive = true
      expected[note]?.values.merge(changes) { $1 }
    }

    private func isTaken(_ change: RecordChange, by device: Device) throws -> Bool {
      do {
        try device.replica.save(change)
        return true
      } catch let error as StoreError where error.code == .uniquenessViolation {
        return false
      }
    }

    private mutating func other(_ kind: String, _ visible: [RecordID: [String: [String]]]) -> RecordID? {
      others[kind, default: []].filter { visible[$0] != nil }.randomElement(using: &generator)
    }

    private mutating func randomValues(for device: Device) -> [String: FieldValue] {
      var values: [String: FieldValue] = [:]
      for property in ["title", "text", "mark", "gone", "color"] { values[property] = .string("\(property) \(next)") }
      values["count"] = .int(Int64(next))
      values["size"] = device.version > 1 ? .string("size \(next)") : .int(Int64(next))
      values["rank"] = generator.oneIn(3) ? .null : .int(Int64(next))
      if versions.changes.contains(.requiredField), values["rank"] == .null { values["rank"] = .int(-1) }
      values["code"] = .string("code \(Int.random(in: 0..<6, using: &generator))")
      return values
    }

    private func known(_ values: [String: FieldValue], on device: Device) -> [String: FieldValue] {
      values.filter { versions.name(of: $0.key, device.version) != nil }
    }

    func finish() async throws {
      for device in devices { while device.version < Versions.last { try device.update() } }
      for _ in 0..<3 {
        clock.advance()
        try await exchange(devices.map(\.replica))
      }
    }
  }

  private func expectEqual(_ work: Work) throws {
    let shown = try work.devices[0].shown()
    let dump = try work.devices[0].replica.dump
    for (number, device) in work.devices.enumerated() {
      try expectSound(device.replica.store)
      let other = try device.shown()
      for id in Set(shown.keys).union(other.keys).sorted() where shown[id] != other[id] {
        Issue.record("\(id) is \(shown[id] ?? [:]) on device 0 and \(other[id] ?? [:]) on device \(number)")
      }
      let otherDump = try device.replica.dump
      #expect(otherDump == dump, "device \(number): \(Set(otherDump).symmetricDifference(dump).sorted())")
    }
    // Of records that become one, and of those that others take along, more is to be said.
    guard work.versions.changes.isDisjoint(with: [.uniqueField, .cascade, .oneToOne]) else { return }
    let forgotten = try work.devices[0].forgotten()
    for (id, expected) in work.expected {
      // A device that edited what others forgot, unknown to them, says the record again: an insert of its own, whole.
      // It outlives a delete, and beats earlier edits, by another such device; these edits are in the log.
      let isSaidAgain = shown[id] != nil && forgotten.contains { $0.contains(id) }
      #expect((shown[id] != nil) == expected.isAlive || isSaidAgain, "\(id)")
      guard expected.isAlive, let values = shown[id] else { continue }
      for property in ["title", "text", "mark", "gone", "count", "color", "rank", "code"] {
        guard let name = work.versions.name(of: property, Versions.last) else { continue }
        let wanted = expected.values[property] ?? (property == "color" ? .string("red") : .null)
        let isLogged = try isSaidAgain && work.devices.allSatisfy { try $0.logsLoss(of: wanted, in: name, of: id) }
        #expect(values[name] == ["\(wanted)"] || isLogged, "\(id) \(property): \(wanted)")
      }
    }
  }

  private func run(_ changes: Set<Change>, _ generator: SeededGenerator) async throws {
    var work = try Work(Versions(changes: changes), generator)
    for _ in 0..<120 { try await work.step() }
    try await work.finish()
    try expectEqual(work)
  }

  @Test(arguments: Change.allCases) func `devices of different versions end equal after`(_ change: Change) async throws
  {
    try await run([change], SeededGenerator.announced("versions, \(change)"))
  }

  @Test(arguments: 0..<2) func `devices of versions with several changes end equal`(round: Int) async throws {
    var generator = SeededGenerator.announced("versions, several changes, round \(round)")
    let changes = Set(Change.allCases.filter { _ in generator.oneIn(2) })
    print("versions, several changes, round \(round): \(changes.map(\.rawValue).sorted())")
    try await run(changes, generator)
  }
}
