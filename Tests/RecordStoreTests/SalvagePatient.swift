import Foundation
import LMDB
import StoreTables
import TestSupport
import Testing

@testable import RecordStore

/// A closed store with a past: inserts, updates, deletes, once effects; its file's bytes; and what it held.
final class SalvagePatient {
  let folder: URL
  var url: URL { folder.appendingPathComponent("test.store") }
  private(set) var bytes = Data()
  /// All facts, visible or not, by id.
  private(set) var facts: [RecordID: RecordFacts] = [:]
  private(set) var visible: Set<RecordID> = []
  private(set) var once: [OnceEntry] = []
  /// Records whose facts were taken away, as a collection does.
  private(set) var forgotten: Set<RecordID> = []
  private(set) var replica = ReplicaID(0)
  private(set) var tables: [String: [[UInt8]]] = [:]
  /// The pages of each tree of the file.
  private(set) var pages: [String: Set<UInt64>] = [:]

  init(_ random: inout SeededGenerator, rounds: Int = 30) throws {
    folder = try makeTemporaryFolder()
    var store: RecordStore? = try RecordStore.open(SalvagePatient.configuration(url), schema: .fixture)
    weak let core = store?.core
    do {
      let store = try #require(store)
      try fill(store, &random, rounds: rounds)
      try note(store)
      pages = try store.core.environment.pageCensus().pagesByTree
      try expectSound(store)
      try store.backup(to: folder.appendingPathComponent("test.backup"))
    }
    store = nil
    while core != nil { sched_yield() }
    bytes = try Data(contentsOf: file)
  }

  deinit { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }

  var file: URL { url.appendingPathComponent("data.mdb") }

  static func configuration(_ url: URL) -> StoreConfiguration {
    StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
  }

  private func fill(_ store: RecordStore, _ random: inout SeededGenerator, rounds: Int) throws {
    let names = try FixtureNames(store)
    var trips: [RecordID] = []
    for round in 0..<UInt64(rounds) {
      let trip = fixtureID(1000 * round)
      trips.append(trip)
      let text = String(repeating: "x", count: random.oneIn(10) ? 6000 : Int.random(in: 0...300, using: &random))
      try store.save(
        names.insert("Trip", trip, ["name": .string("trip \(round) \(text)"), "rating": .int(Int64(round))]),
        names.insert("Stop", fixtureID(1000 * round + 1), ["title": .string("stop"), "trip": .reference(trip)]),
        names.insert("Tag", fixtureID(1000 * round + 2), ["name": .string("tag \(round)")]),
        names.link("Trip", trip, "tags", fixtureID(1000 * round + 2)))
      let known = random.pick(trips)
      if try store.isVisible("Trip", known) { try store.save(names.update("Trip", known, ["rating": .int(-1)])) }
      if random.oneIn(4) { try store.save(names.delete("Trip", random.pick(trips))) }
      if random.oneIn(3) {
        _ = try store.commit(
          SaveRequest(
            changes: [names.insert("City", fixtureID(1), ["name": .string("city \(round)")])],
            once: try OnceKey("purchase \(round) \(String(repeating: "x", count: 150))")))
      }
      if random.oneIn(8) { try forget(random.pick(trips), in: store, names) }
    }
  }

  private func forget(_ id: RecordID, in store: RecordStore, _ names: FixtureNames) throws {
    guard try !store.isVisible("Trip", id) else { return }
    let vector = try store.read { try $0.versionVector }
    var work = MaintenanceWork()
    work.forgettings = [
      Forgetting(records: [Forgetting.Record(entity: names.entity("Trip"), id: id)], covered: vector)
    ]
    _ = try store.commit(SaveRequest(.maintenance(work)))
    forgotten.insert(id)
  }

  private func note(_ store: RecordStore) throws {
    tables = try store.tables()
    try store.read { snapshot throws in
      replica = try snapshot.replica
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, isVisible in
          self.facts[facts.id] = facts
          if isVisible { visible.insert(facts.id) }
        }
      }
      try snapshot.forEachOnceEntry { once.append($0) }
    }
  }

  /// Salvages the store with other bytes, lends the new one and what was said of it.
  func salvage(
    _ bytes: Data, includingDoubtful: Bool = false, _ body: (RecordStore, SalvageReport) throws -> Void
  ) throws {
    try bytes.overwrite(file)
    let place = folder.appendingPathComponent("new.store")
    var salvage: StoreSalvage
    do {
      salvage = try StoreSalvage(of: url, includingDoubtful: includingDoubtful)
    } catch let error as StoreError where error.message.contains("--schema-from") {
      // It is in a page of its own.
      let backup = folder.appendingPathComponent("test.backup")
      salvage = try StoreSalvage(of: url, schemaFrom: backup, includingDoubtful: includingDoubtful)
    }
    try salvage.write(to: SalvagePatient.configuration(place))
    do {
      let store = try RecordStore.open(SalvagePatient.configuration(place))
      try body(store, salvage.report)
      try expectSound(store)
    }
    try FileManager.default.removeItem(at: place)
  }
}

extension SalvagePatient {
  /// The whole truth of a damaged store, by what the sound one held.
  func expectTruth(_ store: RecordStore, _ report: SalvageReport, _ comment: String) throws {
    let repeated = try store.read { try $0.replica }
    var found: Set<RecordID> = []
    var (invented, resurrected): ([RecordID], [RecordID]) = ([], [])
    try store.read { snapshot throws in
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, _ in
          found.insert(facts.id)
          if forgotten.contains(facts.id), self.facts[facts.id] == nil { resurrected.append(facts.id) }
          let known = self.facts[facts.id]
          // Said again, values and life are the same under other stamps.
          let isSame =
            facts.registers.map(\.value) == known?.registers.map(\.value) && facts.isInserted == known?.isInserted
            && (facts.deleted == nil) == (known?.deleted == nil)
          if !isSame || !facts.stamps.allSatisfy({ $0.replica == repeated || known?.stamps.contains($0) == true }) {
            invented.append(facts.id)
          }
        }
      }
    }
    #expect(invented == [], "\(comment)")
    #expect(resurrected == [], "\(comment)")
    let lost = Set(facts.keys).subtracting(found)
    let told = report.lost.count + report.missing.values.reduce(0, +)
    if survives(report) { #expect(lost.count <= told, "\(comment): \(lost.count) lost, \(told) told; \(report)") }
    for entry in once {
      let runs = try store.read { try $0.runs(of: entry.key) }
      #expect(entry.runs.allSatisfy(runs.contains) || report.isWhole == false, "\(comment)")
    }
    if report.isWhole { #expect(lost.isEmpty, "\(comment)") }
  }

  /// The ids of all records of a store, visible or not.
  func recordIDs(in store: RecordStore) throws -> Set<RecordID> {
    try store.read { snapshot throws in
      var found: Set<RecordID> = []
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, _ in found.insert(facts.id) }
      }
      return found
    }
  }

  /// Whether the file says itself how much there should be.
  private func survives(_ report: SalvageReport) -> Bool {
    !report.flaws.contains { $0.contains("list of tables") }
  }
}

extension Data {
  /// The number that begins at a place, least significant byte first.
  func number(at place: Int, byteCount: Int) -> Int {
    self[place..<place + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
