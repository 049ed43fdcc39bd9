import Foundation
import StoreTables
import TestSupport
import Testing

@testable import RecordStore

/// What can be had back of damaged stores.
struct SalvageTests {
  private static let pageBytes = 4096

  /// A closed store with a past: inserts, updates, deletes, once effects; its file's bytes; and what it held.
  private final class Patient {
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

    init(_ random: inout SeededGenerator, rounds: Int = 30) throws {
      folder = try makeTemporaryFolder()
      var store: RecordStore? = try RecordStore.open(Patient.configuration(url), schema: .fixture)
      weak let core = store?.core
      do {
        let store = try #require(store)
        try fill(store, &random, rounds: rounds)
        try note(store)
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
              once: try OnceKey("purchase \(round)")))
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
      try salvage.write(to: Patient.configuration(place))
      do {
        let store = try RecordStore.open(Patient.configuration(place))
        try body(store, salvage.report)
        try expectSound(store)
      }
      try FileManager.default.removeItem(at: place)
    }
  }

  @Test func `of a sound store everything is carried over, history too, under a new id`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random)
    try patient.salvage(patient.bytes) { store, report in
      #expect(report.isWhole && report.lacksNothing && report.flaws == [])
      #expect(report.recordCount == patient.visible.count)
      var tables = try store.tables()
      #expect(tables["attachments"]?.count == (patient.tables["attachments"]?.count ?? 0) + 2)
      tables["attachments"] = patient.tables["attachments"]
      #expect(tables == patient.tables)
      #expect(try store.read { try $0.replica } != patient.replica)
      #expect(try store.read { try $0.formerReplicas.map(\.replica) } == [patient.replica])
    }
  }

  /// The whole truth of a damaged store, by what the sound one held.
  private func expectTruth(_ store: RecordStore, _ report: SalvageReport, _ patient: Patient, _ comment: String) throws
  {
    let repeated = try store.read { try $0.replica }
    var found: Set<RecordID> = []
    var (invented, resurrected): ([RecordID], [RecordID]) = ([], [])
    try store.read { snapshot throws in
      for entity in snapshot.catalogue.entities {
        try snapshot.forEachFacts(of: entity.number) { facts, _ in
          found.insert(facts.id)
          if patient.forgotten.contains(facts.id), patient.facts[facts.id] == nil { resurrected.append(facts.id) }
          let known = patient.facts[facts.id]
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
    let lost = Set(patient.facts.keys).subtracting(found)
    let told = report.lost.count + report.missing.values.reduce(0, +)
    if survives(report) { #expect(lost.count <= told, "\(comment): \(lost.count) lost, \(told) told; \(report)") }
    for entry in patient.once {
      let runs = try store.read { try $0.runs(of: entry.key) }
      #expect(entry.runs.allSatisfy(runs.contains) || report.isWhole == false, "\(comment)")
    }
    if report.isWhole { #expect(lost.isEmpty, "\(comment)") }
  }

  /// Whether the file says itself how much there should be.
  private func survives(_ report: SalvageReport) -> Bool {
    !report.flaws.contains { $0.contains("list of tables") }
  }

  @Test func `of a store with a destroyed page all that lies in other pages is recovered, and nothing is invented`()
    throws
  {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random)
    var (whole, partial) = (0, 0)
    for page in (2..<patient.bytes.count / Self.pageBytes).shuffled(using: &random).prefix(40) {
      var bytes = patient.bytes
      bytes.replaceSubrange(page * Self.pageBytes..<(page + 1) * Self.pageBytes, with: Data(count: Self.pageBytes))
      try patient.salvage(bytes) { store, report in
        if report.isWhole { whole += 1 } else { partial += 1 }
        try expectTruth(store, report, patient, "page \(page)")
        // A leaf of the file holds no more than this many records.
        let count = try store.read { snapshot in
          try snapshot.catalogue.entities.reduce(0) { sum, entity in
            var count = 0
            try snapshot.forEachFacts(of: entity.number) { _, _ in count += 1 }
            return sum + count
          }
        }
        #expect(count >= patient.facts.count - 60, "page \(page): \(count) of \(patient.facts.count)")
      }
    }
    print("whole \(whole), partial \(partial)")
    #expect(whole > 3 && partial > 3)
  }

  /// They hold what was recovered, and the damaged file open.
  @Test func `what was read of a damaged file goes with the salvage`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random, rounds: 3)
    var file: SalvagedFile? = try SalvagedFile(patient.url, source: nil, identity: nil) { _, _ in }
    weak let left = file
    weak let survey = file?.survey
    #expect(left != nil && survey != nil)
    file = nil
    #expect(left == nil && survey == nil)
  }

  @Test func `flipped bits end no salvage, and no record that they touch is taken for whole`() throws {
    var random = SeededGenerator.announced()
    try salvageWithFlippedBits(&random, rounds: TestLength.isLong ? 400 : 25)
  }

  /// In what bears no checksum: the number of a transaction, the format of an entry, the name of a table.
  @Test(arguments: [15_946_556_364_438_352_138, 8_531_845_120_789, 5_074_902_943_118] as [UInt64])
  func `flipped bits that once ended a salvage, or were not told, end none and are told`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try salvageWithFlippedBits(&random, rounds: 80)
  }

  private func salvageWithFlippedBits(_ random: inout SeededGenerator, rounds: Int) throws {
    let patient = try Patient(&random, rounds: 12)
    for round in 0..<rounds {
      var bytes = patient.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 2 * Self.pageBytes..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      try patient.salvage(bytes) { store, report in try expectTruth(store, report, patient, "round \(round)") }
    }
  }

  @Test func `a page whose parent is destroyed is found, and a record whose page is destroyed is named`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random)
    // The root of a tree: a page that leads to others.
    let pages = patient.bytes.count / Self.pageBytes
    let branches = (2..<pages).filter { page in
      let header = Array(patient.bytes[page * Self.pageBytes..<page * Self.pageBytes + 16])
      return header[10] == 1 && header[11] == 0 && Int(header[0]) | Int(header[1]) << 8 == page
    }
    #expect(!branches.isEmpty)
    for branch in branches {
      var bytes = patient.bytes
      bytes.replaceSubrange(branch * Self.pageBytes..<(branch + 1) * Self.pageBytes, with: Data(count: Self.pageBytes))
      try patient.salvage(bytes) { store, report in
        try expectTruth(store, report, patient, "branch \(branch)")
        #expect(report.lost == [] && report.missing == [:], "branch \(branch): \(report)")
      }
    }
  }

  @Test func `both meta pages lost, everything left is doubtful and comes back on demand`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random, rounds: 10)
    var bytes = patient.bytes
    bytes.replaceSubrange(0..<2 * Self.pageBytes, with: Data(count: 2 * Self.pageBytes))
    try patient.salvage(bytes) { store, report in
      #expect(report.recordCount == 0)
      #expect(report.doubtful.count >= patient.visible.count)
    }
    try patient.salvage(bytes, includingDoubtful: true) { store, report in
      for id in patient.visible where try !store.isVisible("Trip", id) && patient.facts[id]?.entity == 0 {
        Issue.record("\(id) is not there")
      }
      #expect(report.includesDoubtful)
    }
  }

  /// The older page looked like the newer one: the store was opened and salvaged without its last save.
  @Test func `a flipped bit in the number of the older meta page is damage, and the last save is salvaged`() throws {
    var random = SeededGenerator.announced()
    for rounds in 9...10 {
      let patient = try Patient(&random, rounds: rounds)
      let places = (0..<2).map { $0 * Self.pageBytes + 16 + 128 }
      let numbers = places.map { place in
        patient.bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      let older = numbers[0] < numbers[1] ? 0 : 1
      for bit in [1, 2, 3, 4, 5, 8, 41, 62, 63] where numbers[older] & 1 << bit == 0 {
        var bytes = patient.bytes
        bytes[places[older] + bit / 8] ^= 1 << UInt8(bit % 8)
        try patient.salvage(bytes) { _, report in
          #expect(report.isWhole && report.recordCount == patient.visible.count, "bit \(bit)")
          #expect(report.flaws.count == 1, "bit \(bit): \(report.flaws)")
        }
        guard bit < 4 || bit == 41 else { continue }
        let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(Patient.configuration(patient.url)) }
        #expect(error?.code == .damaged, "bit \(bit)")
      }
      try patient.bytes.overwrite(patient.file)
    }
  }

  /// The root of the list of tables, that of the list of free pages, the last page, the size of pages.
  @Test(arguments: [112, 64, 120, 24])
  func `a flipped bit in what the last commit leads to is damage, and all is salvaged`(place: Int) throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random, rounds: Int.random(in: 9...10, using: &random))
    for bit in [0, 1, 2, 3, 4, 5, 6, 12, 31] {
      var bytes = patient.bytes
      bytes[newestMeta(of: bytes) + place + bit / 8] ^= 1 << UInt8(bit % 8)
      try patient.salvage(bytes) { store, report in
        try expectTruth(store, report, patient, "bit \(bit)")
        #expect(report.recordCount == patient.visible.count, "bit \(bit): \(report)")
        // A later last page takes room and does no harm.
        #expect(!report.flaws.isEmpty || place == 120, "bit \(bit)")
      }
    }
  }

  private func newestMeta(of bytes: Data) -> Int {
    let places = (0..<2).map { $0 * Self.pageBytes + 16 }
    return places.max { number(at: $0 + 128, of: bytes, byteCount: 8) < number(at: $1 + 128, of: bytes, byteCount: 8) }
      ?? 0
  }

  private func number(at place: Int, of bytes: Data, byteCount: Int) -> Int {
    bytes[place..<place + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The page to which it leads may be an older state of the right one, whose every record is sound.
  @Test func `a flipped bit in a way down a tree is damage, and all is salvaged`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random)
    var ways: [Int] = []
    for page in stride(from: 2 * Self.pageBytes, to: patient.bytes.count, by: Self.pageBytes) {
      guard number(at: page, of: patient.bytes, byteCount: 8) == page / Self.pageBytes,
        number(at: page + 10, of: patient.bytes, byteCount: 2) == 1
      else { continue }
      for slot in stride(from: 16, to: number(at: page + 12, of: patient.bytes, byteCount: 2), by: 2) {
        ways.append(page + number(at: page + slot, of: patient.bytes, byteCount: 2))
      }
    }
    var count = 0
    for way in ways.shuffled(using: &random).prefix(30) {
      let bit = Int.random(in: 0..<7, using: &random)
      var bytes = patient.bytes
      bytes[way] ^= 1 << UInt8(bit)
      try patient.salvage(bytes) { store, report in
        try expectTruth(store, report, patient, "bit \(bit) of \(way)")
        #expect(report.recordCount == patient.visible.count, "bit \(bit) of \(way): \(report)")
        // The branch may be one of an older state itself.
        if report.flaws.isEmpty { #expect(report.isWhole, "bit \(bit) of \(way)") } else { count += 1 }
      }
    }
    #expect(count > 3)
  }

  @Test func `a store that is open, or that holds nothing of ours, is not salvaged`() throws {
    var random = SeededGenerator.announced()
    let patient = try Patient(&random, rounds: 2)
    do {
      let store = try RecordStore.open(Patient.configuration(patient.url))
      let error = #expect(throws: StoreError.self) { _ = try StoreSalvage(of: store.url) }
      #expect(error?.code == .busy)
    }
    let folder = try makeTemporaryFolder()
    try Data(repeating: 3, count: 20_000).write(to: folder.appendingPathComponent("data.mdb"))
    let error = #expect(throws: StoreError.self) { _ = try StoreSalvage(of: folder) }
    #expect(error?.code == .notAStore)
    try FileManager.default.removeItem(at: folder)
  }
}
