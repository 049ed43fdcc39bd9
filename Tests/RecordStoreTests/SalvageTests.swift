import Foundation
import StoreTables
import TestSupport
import Testing

@testable import RecordStore

/// What can be had back of damaged stores.
struct SalvageTests {
  private static let pageBytes = 4096

  @Test func `of a sound store everything is carried over, history too, under a new id`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random)
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

  @Test func `of a store with a destroyed page all that lies in other pages is recovered, and nothing is invented`()
    throws
  {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random)
    var (whole, partial) = (0, 0)
    for page in (2..<patient.bytes.count / Self.pageBytes).shuffled(using: &random).prefix(40) {
      var bytes = patient.bytes
      bytes.replaceSubrange(page * Self.pageBytes..<(page + 1) * Self.pageBytes, with: Data(count: Self.pageBytes))
      try patient.salvage(bytes) { store, report in
        if report.isWhole { whole += 1 } else { partial += 1 }
        try patient.expectTruth(store, report, "page \(page)")
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
    let patient = try SalvagePatient(&random, rounds: 3)
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
    let patient = try SalvagePatient(&random, rounds: 12)
    for round in 0..<rounds {
      var bytes = patient.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 2 * Self.pageBytes..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      try patient.salvage(bytes) { store, report in try patient.expectTruth(store, report, "round \(round)") }
    }
  }

  @Test func `a page whose parent is destroyed is found, and a record whose page is destroyed is named`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random)
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
        try patient.expectTruth(store, report, "branch \(branch)")
        #expect(report.lost == [] && report.missing == [:], "branch \(branch): \(report)")
      }
    }
  }

  @Test func `both meta pages lost, everything left is doubtful and comes back on demand`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random, rounds: 10)
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
      let patient = try SalvagePatient(&random, rounds: rounds)
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
        let error = #expect(throws: StoreError.self) {
          _ = try RecordStore.open(SalvagePatient.configuration(patient.url))
        }
        #expect(error?.code == .damaged, "bit \(bit)")
      }
      try patient.bytes.overwrite(patient.file)
    }
  }

  /// The root of the list of tables, that of the list of free pages, the last page, the size of pages.
  @Test(arguments: [112, 64, 120, 24])
  func `a flipped bit in what the last commit leads to is damage, and all is salvaged`(place: Int) throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random, rounds: Int.random(in: 9...10, using: &random))
    for bit in [0, 1, 2, 3, 4, 5, 6, 12, 31] {
      var bytes = patient.bytes
      bytes[newestMeta(of: bytes) + place + bit / 8] ^= 1 << UInt8(bit % 8)
      try patient.salvage(bytes) { store, report in
        try patient.expectTruth(store, report, "bit \(bit)")
        #expect(report.recordCount == patient.visible.count, "bit \(bit): \(report)")
        // A later last page takes room and does no harm.
        #expect(!report.flaws.isEmpty || place == 120, "bit \(bit)")
      }
    }
  }

  private func newestMeta(of bytes: Data) -> Int {
    let places = (0..<2).map { $0 * Self.pageBytes + 16 }
    return places.max { bytes.number(at: $0 + 128, byteCount: 8) < bytes.number(at: $1 + 128, byteCount: 8) }
      ?? 0
  }

  /// The page to which it leads may be an older state of the right one, whose every record is sound.
  @Test func `a flipped bit in a way down a tree is damage, and all is salvaged`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random)
    var ways: [Int] = []
    for page in stride(from: 2 * Self.pageBytes, to: patient.bytes.count, by: Self.pageBytes) {
      guard patient.bytes.number(at: page, byteCount: 8) == page / Self.pageBytes,
        patient.bytes.number(at: page + 10, byteCount: 2) == 1
      else { continue }
      for slot in stride(from: 16, to: patient.bytes.number(at: page + 12, byteCount: 2), by: 2) {
        ways.append(page + patient.bytes.number(at: page + slot, byteCount: 2))
      }
    }
    var count = 0
    for way in ways.shuffled(using: &random).prefix(30) {
      let bit = Int.random(in: 0..<7, using: &random)
      var bytes = patient.bytes
      bytes[way] ^= 1 << UInt8(bit)
      try patient.salvage(bytes) { store, report in
        try patient.expectTruth(store, report, "bit \(bit) of \(way)")
        #expect(report.recordCount == patient.visible.count, "bit \(bit) of \(way): \(report)")
        // The branch may be one of an older state itself.
        if report.flaws.isEmpty { #expect(report.isWhole, "bit \(bit) of \(way)") } else { count += 1 }
      }
    }
    #expect(count > 3)
  }

  @Test func `a store that is open, or that holds nothing of ours, is not salvaged`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random, rounds: 2)
    do {
      let store = try RecordStore.open(SalvagePatient.configuration(patient.url))
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
