import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

/// Saves that happen once for their key: the ledger, the derived ids, what a second run leaves as it is.
@Suite struct OnceTests {
  private static func key(_ text: String) throws -> OnceKey { try OnceKey(text) }

  private static func effect(_ names: FixtureNames) -> [RecordChange] {
    [
      names.insert("Trip", fixtureID(10), ["name": .string("Rome"), "rating": .int(1)]),
      names.insert("Stop", fixtureID(11), ["title": .string("Forum"), "trip": .reference(fixtureID(10))]),
      names.insert(
        "Stop", fixtureID(12),
        ["title": .string("Ostia"), "position": .int(1), "trip": .reference(fixtureID(10))]),
      names.insert("Tag", fixtureID(13), ["name": .string("south")]),
      names.link("Trip", fixtureID(10), "tags", fixtureID(13)),
    ]
  }

  @Test func `an effect happens once, and the second run changes nothing`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let request = SaveRequest(changes: Self.effect(names), once: try Self.key("T42"))
      let first = try store.commit(request)
      #expect(first.once == .performed)
      let trip = try #require(first.remapped[fixtureID(10)])
      #expect(try trip == Self.key("T42").recordID(entity: "Trip", ordinal: 0))
      let second = try store.commit(request)
      #expect(second.once == .alreadyDone)
      #expect(second.number == 0)
      let count = try store.read { try $0.count(RecordQuery(entity: names.entity("Stop"))) }
      #expect(count == 2)
      #expect(try store.related("Trip", trip, "stops").count == 2)
      #expect(try store.related("Trip", trip, "tags").count == 1)
      let history = try store.read { try $0.history(after: 0) }
      #expect(history.map { $0.once?.text } == ["T42"])
      #expect(try store.read { try $0.runs(of: Self.key("T42")) } == [first.stamp])
    }
  }

  /// A file format: two builds that derived other ids would make an effect twice.
  @Test func `ids follow from key, entity and ordinal, for ever`() throws {
    let key = try Self.key("T42")
    #expect(key.recordID(entity: "Trip", ordinal: 0).description == "00c037bfe31c8cca535398af353215b6")
    #expect(key.recordID(entity: "Trip", ordinal: 1).description == "00a29153b217e71cc56587c60beff8e4")
    #expect(key.recordID(entity: "Stop", ordinal: 0).description == "004d46fbfd0699d51c42019216b6ba14")
    #expect(String(key.hash, radix: 16) == "952408f82dbe498")
  }

  @Test func `a key is compared by its canonical form and kept within its limits`() throws {
    #expect(try Self.key("caf\u{E9}") == Self.key("cafe\u{301}"))
    #expect(try Self.key("cafe\u{301}").text.utf8.count == 5)
    #expect(try Self.key(String(repeating: "k", count: 1024)).text.count == 1024)
    for text in ["", String(repeating: "k", count: 1025), String(repeating: "\u{E9}", count: 513)] {
      #expect(storeErrorCode { _ = try Self.key(text) } == .invalidRequest)
    }
    try withTemporaryStore { store throws in
      #expect(try store.commit(SaveRequest(once: Self.key("e\u{301}"))).once == .performed)
      #expect(try store.commit(SaveRequest(once: Self.key("\u{E9}"))).once == .alreadyDone)
    }
  }

  @Test func `a save that is refused records nothing`() throws {
    try withTemporaryStore(uniqueness: .throw) { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
      let request = SaveRequest(changes: Self.effect(names), once: try Self.key("T42"))
      #expect(storeErrorCode { _ = try store.commit(request) } == .uniquenessViolation)
      #expect(try store.read { try $0.isDone(Self.key("T42")) } == false)
      #expect(try store.read { try $0.onceKeyCount } == 0)
      try store.save(names.update("Trip", fixtureID(1), ["name": .string("Roma")]))
      #expect(try store.commit(request).once == .performed)
    }
  }

  @Test func `an effect without changes enters its key and travels`() throws {
    let family = try ReplicaFamily(count: 2)
    _ = try family.stores[0].store.commit(SaveRequest(once: Self.key("nothing")))
    try family.exchangeAll()
    #expect(try family.stores[1].store.commit(SaveRequest(once: Self.key("nothing"))).once == .alreadyDone)
    try family.check()
  }

  @Test func `the ledger outlives the records that its effect made`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let request = SaveRequest(changes: Self.effect(names), once: try Self.key("T42"))
      let trip = try #require(try store.commit(request).remapped[fixtureID(10)])
      try store.save(names.delete("Trip", trip))
      try store.trimHistory(through: 2)
      #expect(try store.commit(request).once == .alreadyDone)
      #expect(try store.isVisible("Trip", trip) == false)
    }
  }

  @Test func `updates and deletes in an effect follow the ids of its inserts`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Tag", fixtureID(1), ["name": .string("old")]))
      let result = try store.commit(
        SaveRequest(
          changes: Self.effect(names) + [
            names.update("Trip", fixtureID(10), ["rating": .int(5)]), names.delete("Stop", fixtureID(12)),
            names.update("Tag", fixtureID(1), ["name": .string("new")]),
          ], once: try Self.key("T42")))
      let trip = try #require(result.remapped[fixtureID(10)])
      #expect(try store.value("Trip", trip, "rating") == .int(5))
      #expect(try store.related("Trip", trip, "stops").count == 1)
      #expect(try store.value("Tag", fixtureID(1), "name") == .string("new"))
    }
  }

  @Test func `an insert whose unique value is taken updates the holder, once`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Trip", fixtureID(1), ["name": .string("Rome")]))
      let result = try store.commit(SaveRequest(changes: Self.effect(names), once: try Self.key("T42")))
      #expect(result.remapped[fixtureID(10)] == fixtureID(1))
      #expect(try store.related("Trip", fixtureID(1), "stops").count == 2)
      #expect(result.remapped.keys.sorted() == [10, 11, 12, 13].map { fixtureID($0) })
    }
  }
}

// What other devices did meanwhile.
extension OnceTests {
  /// Runs the effect on two devices that do not know of each other, then what `after` does on the first; merges all
  /// transactions into a third store in every order of delivery, and gives its dump and what it shows.
  private func apart(
    _ after: (_ store: RecordStore, FixtureNames, _ trip: RecordID) throws -> Void,
    check: (_ store: RecordStore, _ trip: RecordID) throws -> Void
  ) throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    let trip = try Self.key("T42").recordID(entity: "Trip", ordinal: 0)
    let request = SaveRequest(changes: Self.effect(names), once: try Self.key("T42"))
    #expect(try family.stores[0].store.commit(request).once == .performed)
    family.clocks[0].advance(byMilliseconds: 10)
    try after(family.stores[0].store, names, trip)
    family.clocks[1].advance(byMilliseconds: 1000)
    #expect(try family.stores[1].store.commit(request).once == .performed)
    let (left, right) = (try family.outgoing(of: 0, after: 0), try family.outgoing(of: 1, after: 0))
    var dumps: Set<String> = []
    for order in interleavings(left, right) {
      let receiver = try ReplicaFamily(count: 1)
      try receiver.stores[0].store.adopt(storeID: family.stores[0].store.storeID)
      for transaction in order { try receiver.merge([transaction], into: 0) }
      try check(receiver.stores[0].store, trip)
      #expect(try receiver.stores[0].store.commit(request).once == .alreadyDone)
      dumps.insert(try receiver.dump(0))
      try receiver.check()
    }
    try family.exchangeAll()
    for index in 0..<2 {
      try check(family.stores[index].store, trip)
      dumps.insert(try family.dump(index))
    }
    #expect(dumps.count == 1, "the order of delivery matters: \(dumps)")
    try family.check()
  }

  private func interleavings(_ left: [TransactionFacts], _ right: [TransactionFacts]) -> [[TransactionFacts]] {
    guard let first = left.first else { return [right] }
    guard let second = right.first else { return [left] }
    return interleavings(Array(left.dropFirst()), right).map { [first] + $0 }
      + interleavings(left, Array(right.dropFirst())).map { [second] + $0 }
  }

  @Test func `two devices that run a key apart make the same records`() throws {
    try apart({ _, _, _ throws in }) { store, trip throws in
      #expect(try store.related("Trip", trip, "stops").count == 2)
      #expect(try store.related("Trip", trip, "tags").count == 1)
      #expect(try store.read { try $0.runs(of: OnceKey("T42")) }.count == 2)
    }
  }

  @Test func `a record of an effect that was deleted stays deleted when another device runs the key later`() throws {
    try apart({ store, names, trip throws in try store.save(names.delete("Trip", trip)) }) { store, trip throws in
      #expect(try store.isVisible("Trip", trip) == false)
      let names = try FixtureNames(store)
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("Stop"))) } == 0)
    }
  }

  @Test func `a child of an effect that was deleted stays deleted`() throws {
    let stop = try Self.key("T42").recordID(entity: "Stop", ordinal: 0)
    try apart({ store, names, _ throws in try store.save(names.delete("Stop", stop)) }) { store, trip throws in
      #expect(try store.related("Trip", trip, "stops").count == 1)
    }
  }

  @Test func `an edit since the effect is not taken back by a later run of it`() throws {
    try apart({ store, names, trip throws in
      try store.save(names.update("Trip", trip, ["rating": .int(5)]))
    }) { store, trip throws in
      #expect(try store.value("Trip", trip, "rating") == .int(5))
    }
  }

  @Test func `a link of an effect that was taken away stays away`() throws {
    try apart({ store, names, trip throws in
      let tag = try Self.key("T42").recordID(entity: "Tag", ordinal: 0)
      try store.save(names.link("Trip", trip, "tags", tag, false))
    }) { store, trip throws in
      #expect(try store.related("Trip", trip, "tags") == [])
    }
  }

  @Test func `a deleted record of an effect that is inserted anew lives, with its new values`() throws {
    try apart({ store, names, trip throws in
      try store.save(names.delete("Trip", trip))
      try store.save(names.insert("Trip", trip, ["name": .string("Milan")]))
    }) { store, trip throws in
      #expect(try store.value("Trip", trip, "name") == .string("Milan"))
    }
  }

  @Test func `a second key that inserts a deleted link anew is an effect of its own`() throws {
    try apart({ store, names, trip throws in
      let tag = try Self.key("T42").recordID(entity: "Tag", ordinal: 0)
      try store.save(names.link("Trip", trip, "tags", tag, false))
      let again = SaveRequest(changes: [names.link("Trip", trip, "tags", tag)], once: try Self.key("again"))
      #expect(try store.commit(again).once == .performed)
    }) { store, trip throws in
      #expect(try store.related("Trip", trip, "tags").count == 1)
    }
  }

  @Test func `values that two devices gave one effect are joined by the later stamp`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for (index, rating) in [Int64(1), 2].enumerated() {
      family.clocks[index].advance(byMilliseconds: UInt64(10 * (index + 1)))
      _ = try family.stores[index].store.commit(
        SaveRequest(
          changes: [names.insert("Trip", fixtureID(1), ["name": .string("Rome"), "rating": .int(rating)])],
          once: Self.key("T42")))
    }
    try family.exchangeAll()
    let trip = try Self.key("T42").recordID(entity: "Trip", ordinal: 0)
    for store in family.stores { #expect(try store.store.value("Trip", trip, "rating") == .int(2)) }
    #expect(try family.dump(0) == family.dump(1))
    try family.check()
  }

  @Test func `a store of the first format opens, and gets its ledger with the first key`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "SyncFixtures/golden/store-1/data.mdb")
    let url = folder.appending(path: "old.store")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: golden, to: url.appending(path: "data.mdb"))
    let store = try RecordStore.open(StoreConfiguration(url: url, createsIfMissing: false))
    let other = try RecordStore.open(StoreConfiguration(url: url, isReadOnly: true))
    #expect(try other.read { try ($0.isDone(OnceKey("T42")), $0.onceKeyCount) } == (false, 0))
    try expectSound(store)
    let tag = try #require(try store.read { $0.catalogue.entity(named: "Tag") })
    let name = try #require(tag.field(named: "name")).ordinal
    let request = SaveRequest(
      changes: [.insert(entity: tag.number, id: fixtureID(1), fields: [FieldWrite(name, .string("once"))])],
      once: try Self.key("T42"))
    #expect(try store.commit(request).once == .performed)
    #expect(try other.read { try ($0.isDone(OnceKey("T42")), $0.onceKeyCount) } == (true, 1))
    #expect(try other.read { try $0.count(RecordQuery(entity: tag.number)) } == 3)
    #expect(try store.commit(request).once == .alreadyDone)
    try expectSound(store)
  }
}
