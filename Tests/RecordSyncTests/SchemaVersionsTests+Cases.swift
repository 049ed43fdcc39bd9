import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// What random histories of versions have shown, one by one.
extension SchemaVersionsTests {
  @Test func `a row that a later version joins outlives a collection by an earlier one`() async throws {
    let (versions, clock) = (Versions(changes: [.uniqueField]), ManualClock())
    let old = try Device(versions, 1, clock, ReplicaID(1))
    let new = try Device(versions, Versions.last, clock, ReplicaID(2))
    let replicas = [old.replica, new.replica]
    func write(_ values: [String: String], _ id: UInt64, on device: Device, isNew: Bool = false) throws {
      let names = try FixtureNames(device.replica.store)
      let fields = device.fields(values.mapValues { .string($0) })
      try device.replica.save(
        isNew ? names.insert("Note", fixtureID(id), fields) : names.update("Note", fixtureID(id), fields))
    }
    try write(["code": "x", "title": "one"], 1, on: old, isNew: true)
    try write(["code": "x", "title": "other"], 2, on: new, isNew: true)
    for _ in 0..<2 { try await exchange(replicas) }
    try old.replica.save(FixtureNames(old.replica.store).delete("Note", fixtureID(1)))
    try write(["title": "edited"], 2, on: old)
    for _ in 0..<2 { try await exchange(replicas) }
    #expect(try new.shown().keys.sorted() == [fixtureID(1)], "by the value that they share")
    try write(["text": "by the new version"], 1, on: new)
    #expect(try await old.replica.engine().collect().recordsCollected == 1)
    for _ in 0..<2 { try await exchange(replicas) }
    while old.version < Versions.last { try old.update() }
    for _ in 0..<2 { try await exchange(replicas) }
    for device in [old, new] {
      let row = try #require(try device.shown()[fixtureID(1)])
      #expect(row["title"] == ["\(FieldValue.string("edited"))"])
      #expect(row["text"] == ["\(FieldValue.string("by the new version"))"])
      #expect(try device.shown().count == 1)
      try expectSound(device.replica.store)
    }
    #expect(try old.replica.dump == new.replica.dump)
  }

  @Test func `a record that one version shows outlives a collection by another whose rules hide it`() async throws {
    let (versions, clock) = (Versions(changes: [.cascade]), ManualClock())
    let old = try Device(versions, 1, clock, ReplicaID(1))
    let new = try Device(versions, Versions.last, clock, ReplicaID(2))
    let replicas = [old.replica, new.replica]
    let (folder, note) = (fixtureID(1), fixtureID(2))
    try old.replica.save(
      old.replica.names.insert("Folder", folder),
      old.replica.names.insert("Note", note, old.fields(["title": .string("one"), "folder": .reference(folder)])))
    for _ in 0..<2 { try await exchange(replicas) }
    try new.replica.save(new.replica.names.delete("Folder", folder))
    for _ in 0..<2 { try await exchange(replicas) }
    #expect(try new.shown().isEmpty, "by the rule of the new version")
    #expect(try await new.replica.engine().collect().recordsCollected == 2)
    for _ in 0..<2 { try await exchange(replicas) }
    let row = try #require(try old.shown()[note])
    #expect(row["title"] == ["\(FieldValue.string("one"))"] && row["folder"] == [])
    while old.version < Versions.last { try old.update() }
    for _ in 0..<2 { try await exchange(replicas) }
    #expect(try old.shown() == new.shown())
    #expect(try old.replica.dump == new.replica.dump)
    for replica in replicas { try expectSound(replica.store) }
  }

  @Test(arguments: [false, true]) func `of links made in both places the later one counts after an update`(
    isOldLater: Bool
  ) async throws {
    let (versions, clock) = (Versions(changes: [.oneToOne, .linksBack]), ManualClock())
    let old = try Device(versions, 2, clock, ReplicaID(1))
    let new = try Device(versions, Versions.last, clock, ReplicaID(2))
    let (replicas, badge) = ([old.replica, new.replica], fixtureID(3))
    let (notes, tags) = ([fixtureID(1), fixtureID(2)], [fixtureID(4), fixtureID(5)])
    for note in notes { try old.replica.save(old.replica.names.insert("Note", note)) }
    for tag in tags { try old.replica.save(old.replica.names.insert("Tag", tag)) }
    try old.replica.save(old.replica.names.insert("Badge", badge))
    for _ in 0..<2 { try await exchange(replicas) }
    func save(_ isOld: Bool) throws {
      clock.advance()
      let (oldNames, newNames) = (try FixtureNames(old.replica.store), try FixtureNames(new.replica.store))
      if isOld {
        try old.replica.save(
          oldNames.update("Badge", badge, ["note": .reference(notes[0])]),
          oldNames.link("Note", notes[0], "tag", tags[0], true))
      } else {
        try new.replica.save(newNames.update("Note", notes[1], ["badge": .reference(badge)]))
        try new.replica.save(newNames.update("Note", notes[0], ["tag": .reference(tags[1])]))
      }
    }
    try save(!isOldLater)
    try save(isOldLater)
    for _ in 0..<2 { try await exchange(replicas) }
    try old.update()
    for _ in 0..<2 { try await exchange(replicas) }
    for device in [old, new] {
      let shown = try device.shown()
      #expect(shown[badge]?["note"] == ["\(notes[isOldLater ? 0 : 1])"])
      #expect(shown[notes[0]]?["tag"] == ["\(tags[isOldLater ? 0 : 1])"])
      try expectSound(device.replica.store)
    }
    #expect(try old.shown() == new.shown())
    #expect(try old.replica.dump == new.replica.dump)
  }

  @Test(arguments: [false, true]) func `an update to a rule of cascade takes no record whose target was deleted before`(
    isCollected: Bool
  ) async throws {
    let (versions, clock) = (Versions(changes: [.cascade]), ManualClock())
    let devices = try [1, 2].map { try Device(versions, 1, clock, ReplicaID($0)) }
    let (replicas, folder, note) = (devices.map(\.replica), fixtureID(1), fixtureID(2))
    let names = devices[0].replica.names
    try devices[0].replica.save(
      names.insert("Folder", folder), names.insert("Note", note, ["folder": .reference(folder)]))
    for _ in 0..<2 { try await exchange(replicas) }
    try devices[0].replica.save(names.delete("Folder", folder))
    for _ in 0..<2 { try await exchange(replicas) }
    if isCollected {
      #expect(try await devices[0].replica.engine().collect().recordsCollected == 1)
      for _ in 0..<2 { try await exchange(replicas) }
    }
    for device in devices {
      while device.version < Versions.last { try device.update() }
      #expect(try device.shown()[note]?["folder"] == [])
    }
    for _ in 0..<2 { try await exchange(replicas) }
    for device in devices {
      #expect(try device.shown()[note]?["folder"] == [])
      try expectSound(device.replica.store)
    }
    #expect(try replicas[0].dump == replicas[1].dump)
  }

  @Test func `a record whose target has not come yet waits for it after an update to a rule of cascade`() async throws {
    let (versions, clock) = (Versions(changes: [.cascade]), ManualClock())
    let devices = try [1, 2, 3].map { try Device(versions, 1, clock, ReplicaID($0)) }
    let (replicas, folder, note) = (devices.map(\.replica), fixtureID(1), fixtureID(2))
    let names = replicas[0].names
    try replicas[0].save(names.insert("Folder", folder))
    try await replicas[0].send(to: replicas[1])
    try replicas[1].save(names.insert("Note", note, ["folder": .reference(folder)]))
    for file in try replicas[1].exchange.listing(of: replicas[0].id).files {
      try FileManager.default.removeItem(at: file.url)
    }
    try await replicas[1].send(to: replicas[2])
    #expect(try devices[2].shown()[note]?["folder"] == [])
    while devices[2].version < Versions.last { try devices[2].update() }
    for _ in 0..<2 { try await exchange(replicas) }
    #expect(try devices[2].shown()[note]?["folder"] == ["\(folder)"])
  }
}
