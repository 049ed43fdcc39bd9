import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What other devices are told of a save, in one part or many.
struct OutgoingRecordsTests {
  @Test(arguments: [1, 100, 400, 5_000]) func `what is told in parts has the bytes of one part`(
    partByteCount: Int
  ) throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let city = names.catalogue.entities[names.entity("City")]
      let layout = DraftLayout(city)
      var generator = SeededGenerator.announced()
      var drafts = RecordDrafts()
      for number in 1...40 as ClosedRange<UInt64> {
        let name = String(repeating: "n", count: Int.random(in: 0..<90, using: &generator))
        let isPlain = drafts.append(
          fixtureID(number), layout, [FieldWrite(names.ordinal("City", "name"), .string(name))])
        #expect(isPlain)
      }
      let stamp = Stamp(epoch: 1, wallMilliseconds: 1_800_000_000_000, counter: 5, replica: ReplicaID(7))
      let settled = RecordFacts(entity: city.number, id: fixtureID(50), deleted: stamp)
      let records = OutgoingRecords(
        [.rows(part: 0, 0..<17), .facts(settled), .deletes(part: 0, 17..<29), .rows(part: 0, 29..<40)], of: [drafts])
      let told = TransactionFacts(
        dot: Dot(replica: stamp.replica, sequence: 3), stamp: stamp, author: "phone", context: VersionVector(),
        records: [])

      let whole = Self.drained(records.encoded(in: told))
      let parts = records.parts(ofAtMost: partByteCount)
      #expect(parts.count > 1 && parts.reduce(0) { $0 + $1.count } == records.count)
      #expect(parts.allSatisfy { $0.byteCount <= partByteCount || $0.count == 1 })
      #expect(Self.drained(records.encoded(in: told, partByteCount: partByteCount)) == whole)
      let decoded = try TransactionCodec.decode(whole) { names.catalogue.entities[$0].fields[$1].type }
      #expect(
        decoded.records.map(\.id) == (1...17).map { fixtureID($0) } + [fixtureID(50)] + (18...40).map { fixtureID($0) })
    }
  }

  @Test func `a save that is told in several parts leaves the tables of the general way`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    let layout = DraftLayout(names.catalogue.entities[names.entity("City")])
    var work = LocalWork()
    // A value this large counts twice where the parts are measured.
    let byteCount = OutgoingBytes.partByteCount / 16
    for number in 1...20 as ClosedRange<UInt64> {
      let name = String(repeating: "\(number % 10)", count: byteCount)
      let isPlain = work.drafts.append(
        fixtureID(number), layout, [FieldWrite(names.ordinal("City", "name"), .string(name))])
      #expect(isPlain)
    }
    let isPlain = try pair.save(SaveRequest(.save(work)), on: 0)
    #expect(isPlain)
    try pair.check()
  }

  /// All bytes, which are gone where they were.
  private static func drained(_ bytes: OutgoingBytes) -> [UInt8] {
    var bytes = bytes
    let drained = [UInt8](byteCount: bytes.count) { bytes.drain(into: &$0) }
    #expect(bytes.count == 0)
    return drained
  }
}
