import RecordStore
import TestSupport
import Testing

struct StoreBasicsTests {
  @Test func `a saved record is read back with defaults for what was not given`() throws {
    try withTemporaryStore { store in
      let names = try FixtureNames(store)
      let id = fixtureID(1)
      let result = try store.save(names.insert("Trip", id, ["name": .string("Rome")]))
      #expect(result.number == 1)
      #expect(result.changes == [HistoryChange(kind: .insert, entity: names.entity("Trip"), id: id)])
      #expect(try store.value("Trip", id, "name") == .string("Rome"))
      #expect(try store.value("Trip", id, "rating") == .int(3))
      #expect(try store.value("Trip", id, "start") == .null)
    }
  }

  @Test func `an update changes only what differs and says so in history`() throws {
    try withTemporaryStore { store in
      let names = try FixtureNames(store)
      let id = fixtureID(1)
      try store.save(names.insert("Trip", id, ["name": .string("Rome")]))
      try store.save(names.update("Trip", id, ["name": .string("Rome"), "rating": .int(5)]))
      let history = try store.read { try $0.history(after: 0) }
      #expect(history.map(\.number) == [1, 2])
      #expect(history[1].changes.map(\.fields) == [[names.ordinal("Trip", "rating")]])
      let same = try store.save(names.update("Trip", id, ["rating": .int(5)]))
      #expect(same.number == 0)
      #expect(try store.read { try $0.lastTransactionNumber } == 2)
    }
  }

  @Test func `a store that is opened again has everything and the same identity`() throws {
    let temporary = try TemporaryStore()
    let names = try FixtureNames(temporary.store)
    try temporary.store.save(names.insert("City", fixtureID(1), ["name": .string("Rome")]))
    let again = try RecordStore.open(temporary.configuration)
    #expect(again.storeID == temporary.store.storeID)
    #expect(try again.value("City", fixtureID(1), "name") == .string("Rome"))
    try temporary.check()
  }

  @Test func `an in-memory store keeps its records as long as it lives`() throws {
    let store = try RecordStore.open(StoreConfiguration(url: nil), schema: .fixture)
    let names = try FixtureNames(store)
    try store.save(names.insert("City", fixtureID(1), ["name": .string("Rome")]))
    #expect(try store.value("City", fixtureID(1), "name") == .string("Rome"))
    try expectSound(store)
  }
}
