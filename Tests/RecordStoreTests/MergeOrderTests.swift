import RecordStore
import TestSupport
import Testing

/// What two devices do apart to the same few records, in every pair, met in either order.
struct MergeOrderTests {
  /// Trip 1 has stop 3 in city 4, tag 5 and pass 6; trip 2 has nothing.
  enum Edit: CaseIterable, Sendable {
    case rate, rename, renameToOther, deleteTrip, deleteStop, moveStop, leaveCity, deleteCity, untag, deleteTag
    case givePass, deletePass, insertEqual, replaceStop

    func changes(_ names: FixtureNames, device: UInt64) -> [RecordChange] {
      let (one, two, stop, city) = (fixtureID(1), fixtureID(2), fixtureID(3), fixtureID(4))
      let (tag, pass, new) = (fixtureID(5), fixtureID(6), fixtureID(100 + device))
      switch self {
      case .rate: return [names.update("Trip", one, ["rating": .int(Int64(device) + 10)])]
      case .rename: return [names.update("Trip", one, ["name": .string("device \(device)")])]
      case .renameToOther: return [names.update("Trip", one, ["name": .string("common")])]
      case .deleteTrip: return [names.delete("Trip", one)]
      case .deleteStop: return [names.delete("Stop", stop)]
      case .moveStop: return [names.update("Stop", stop, ["trip": .reference(two), "position": .int(7)])]
      case .leaveCity: return [names.update("Stop", stop, ["city": .null])]
      case .deleteCity: return [names.update("Stop", stop, ["city": .null]), names.delete("City", city)]
      case .untag: return [names.link("Trip", one, "tags", tag, false)]
      case .deleteTag: return [names.delete("Tag", tag)]
      case .givePass: return [names.update("Pass", pass, ["trip": .reference(two)])]
      case .deletePass: return [names.delete("Pass", pass)]
      case .insertEqual: return [names.insert("Trip", new, ["name": .string("common"), "rating": .int(1)])]
      case .replaceStop:
        let fields: [String: FieldValue] = ["title": .string("new"), "trip": .reference(one), "position": .int(1)]
        return [names.delete("Stop", stop), names.insert("Stop", new, fields)]
      }
    }
  }

  /// Two writers and two readers, all with the same records.
  private func family() throws -> (ReplicaFamily, FixtureNames) {
    let family = try ReplicaFamily(count: 4)
    let names = try FixtureNames(family.stores[0].store)
    let (trip, city) = (FieldValue.reference(fixtureID(1)), FieldValue.reference(fixtureID(4)))
    try family.stores[0].store.save(
      names.insert("Trip", fixtureID(1), ["name": .string("one")]),
      names.insert("Trip", fixtureID(2), ["name": .string("two")]),
      names.insert("City", fixtureID(4), ["name": .string("city")]),
      names.insert("Tag", fixtureID(5), ["name": .string("tag")]),
      names.insert("Stop", fixtureID(3), ["title": .string("stop"), "trip": trip, "city": city, "position": .int(1)]),
      names.insert("Pass", fixtureID(6), ["trip": trip]),
      names.link("Trip", fixtureID(1), "tags", fixtureID(5)))
    for target in 1..<4 { try family.pull(into: target, from: 0) }
    return (family, names)
  }

  /// The first edit is the earlier one.
  private func meet(_ first: Edit, _ second: Edit) throws -> ReplicaFamily {
    let (family, names) = try family()
    for (device, edit) in [first, second].enumerated() {
      family.clocks[device].advance(byMilliseconds: device == 0 ? 5 : 10)
      _ = try family.stores[device].store.commit(SaveRequest(changes: edit.changes(names, device: UInt64(device))))
    }
    try family.pull(into: 0, from: 1)
    try family.pull(into: 1, from: 0)
    for (reader, order) in [(2, [0, 1]), (3, [1, 0])] {
      for source in order { try family.pull(into: reader, from: source) }
    }
    return family
  }

  @Test(arguments: Edit.allCases, Edit.allCases)
  func `two edits made apart leave one state, in whatever order they meet`(first: Edit, second: Edit) throws {
    let family = try meet(first, second)
    let dumps = try (0..<4).map { try family.dump($0) }
    for device in 1..<4 { #expect(dumps[device] == dumps[0], "device \(device)") }
    try family.check()
  }

  @Test func `of two writes of one field the later is seen, of two fields both`() throws {
    for device in 0..<4 {
      let store = try meet(.rate, .rate).stores[device].store
      #expect(try store.value("Trip", fixtureID(1), "rating") == .int(11))
      let both = try meet(.rename, .rate).stores[device].store
      #expect(try both.value("Trip", fixtureID(1), "rating") == .int(11))
      #expect(try both.value("Trip", fixtureID(1), "name") == .string("device 0"))
    }
  }

  @Test func `an edit after a delete gives the record back with all that it had, one before goes with it`() throws {
    let revived = try meet(.deleteTrip, .rate).stores[2].store
    #expect(try revived.value("Trip", fixtureID(1), "name") == .string("one"))
    #expect(try revived.related("Trip", fixtureID(1), "stops") == [fixtureID(3)])
    #expect(try revived.related("Trip", fixtureID(1), "tags") == [fixtureID(5)])
    let gone = try meet(.rate, .deleteTrip).stores[2].store
    #expect(try !gone.isVisible("Trip", fixtureID(1)) && !gone.isVisible("Stop", fixtureID(3)))
    #expect(try gone.isVisible("Tag", fixtureID(5)))
  }

  @Test func `a stop that was moved away does not go with the trip that it left`() throws {
    for (first, second) in [(Edit.moveStop, Edit.deleteTrip), (.deleteTrip, .moveStop)] {
      let store = try meet(first, second).stores[3].store
      #expect(try store.related("Trip", fixtureID(2), "stops") == [fixtureID(3)])
    }
  }

  @Test func `equal unique values made apart are one record under both ids`() throws {
    let family = try meet(.insertEqual, .insertEqual)
    for device in 0..<4 {
      let store = family.stores[device].store
      #expect(try store.isVisible("Trip", fixtureID(100)) && store.isVisible("Trip", fixtureID(101)))
      let names = try FixtureNames(store)
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("Trip"))) } == 3)
    }
  }
}
