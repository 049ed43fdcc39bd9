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
      let (first, rest) = records.parts(ofAtMost: partByteCount)
      let parts = [first] + rest
      #expect(parts.count > 1 && parts.reduce(0) { $0 + $1.count } == records.count)
      #expect(parts.allSatisfy { $0.byteCount <= partByteCount || $0.count == 1 })
      #expect(Self.drained(records.encoded(in: told, partByteCount: partByteCount)) == whole)
      let decoded = try TransactionCodec.decode(whole) { names.catalogue.entities[$0].fields[$1].type }
      #expect(
        decoded.records.map(\.id) == (1...17).map { fixtureID($0) } + [fixtureID(50)] + (18...40).map { fixtureID($0) })
    }
  }

  @Test func `a save that is told in several parts tells of all its records`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let layout = DraftLayout(names.catalogue.entities[names.entity("City")])
      var work = LocalWork()
      // A value counts twice where the parts are measured.
      let byteCount = OutgoingBytes.partByteCount / 16
      let ids = (1...9).map { fixtureID($0) }
      for (number, id) in ids.enumerated() {
        let name = FieldValue.string(String(repeating: "\(number)", count: byteCount))
        let isPlain = work.drafts.append(id, layout, [FieldWrite(names.ordinal("City", "name"), name)])
        #expect(isPlain)
      }
      #expect(!OutgoingRecords([work.drafts]).parts(ofAtMost: OutgoingBytes.partByteCount).rest.isEmpty)
      let result = try store.commit(SaveRequest(.save(work)))
      #expect(result.isPlain)
      var told: [RecordFacts] = []
      try store.read { snapshot in
        try snapshot.forEachOutgoing(after: 0) { outgoing in
          told += try TransactionCodec.decode(outgoing.encoded) { names.catalogue.entities[$0].fields[$1].type }.records
          return true
        }
      }
      #expect(told.map(\.id) == ids)
      #expect(told.allSatisfy { $0.registers.contains { $0.value.encodedByteCount == byteCount } })
    }
  }

  /// All bytes, which are gone where they were.
  private static func drained(_ bytes: OutgoingBytes) -> [UInt8] {
    var bytes = bytes
    let drained = [UInt8](byteCount: bytes.count) { bytes.drain(into: &$0) }
    #expect(bytes.count == 0)
    return drained
  }
}
