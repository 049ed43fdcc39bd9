import LMDB
import RecordStore
import StoreTables
import TestSupport
import Testing

/// Saves and merges that change more pages than a transaction may hold in memory.
struct LargeSaveTests {
  @Test func `pages that are written before the commit leave the same tables`() throws {
    let seed = SeededGenerator.announced().seed
    func family(_ maximumDirtyPages: Int) throws -> ReplicaFamily {
      try ReplicaFamily(count: 2) { index, configuration in
        configuration.replicaOfNewStore = ReplicaID(UInt64(index + 1))
        configuration.maximumDirtyPages = maximumDirtyPages
      }
    }
    let families = try [family(256), family(Environment.Options().maximumDirtyPages)]
    for family in families { try play(in: family, SeededGenerator(seed: seed)) }
    for replica in 0..<2 {
      let tables = try families.map { try $0.stores[replica].store.tables() }
      #expect(tables[0].keys == tables[1].keys)
      for name in tables[0].keys.sorted() where tables[0][name] != tables[1][name] {
        Issue.record("table \(name) of store \(replica) differs")
      }
    }
    for family in families { for store in family.stores { try expectSound(store.store) } }
  }

  private func play(in family: ReplicaFamily, _ generator: SeededGenerator) throws {
    var generator = generator
    let names = try FixtureNames(family.stores[0].store)
    let tripCount = TestLength.isLong ? 12_000 : 4_000 as UInt64
    func save(_ changes: [RecordChange], on replica: Int) throws {
      family.clocks[replica].advance()
      _ = try family.stores[replica].store.commit(SaveRequest(changes: changes))
    }
    func name(_ number: UInt64) -> FieldValue {
      .string("\(number) " + String(repeating: "n", count: Int.random(in: 0..<120, using: &generator)))
    }
    func some(_ count: Int) -> Set<UInt64> {
      Set((0..<count).map { _ in UInt64.random(in: 1...tripCount, using: &generator) })
    }
    try save(
      (1...tripCount).shuffled(using: &generator).map { number in
        let rating = FieldValue.int(.random(in: 0..<1_000, using: &generator))
        return names.insert("Trip", fixtureID(number), ["name": name(number), "rating": rating])
      }, on: 0)
    try family.exchangeAll()
    // Both write at once, so that the next exchange has what loses.
    for replica in 0..<2 {
      try save(
        some(Int(tripCount) / 3).sorted().map { number in
          let rating = FieldValue.int(.random(in: 0..<1_000, using: &generator))
          return names.update("Trip", fixtureID(number), ["name": name(number), "rating": rating])
        }, on: replica)
      try save(some(Int(tripCount) / 6).sorted().map { names.delete("Trip", fixtureID($0)) }, on: replica)
    }
    try family.exchangeAll()
  }
}
