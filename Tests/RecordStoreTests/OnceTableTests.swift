import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The ledger of effects that happen once, as it is kept.
struct OnceTableTests {
  private func stamp(_ time: UInt64) -> Stamp { Stamp(time: time, counter: 0, replica: ReplicaID(time)) }

  private func decode(_ bytes: [UInt8]) throws -> OnceEntry { try bytes.withRawBytes { try OnceTable.decode($0) } }

  @Test(arguments: ["a", "order 17", "київ 🚌", String(repeating: "k", count: OnceKey.maximumByteCount)])
  func `an entry comes back from its bytes`(text: String) throws {
    for runs in [[], [stamp(1)], (1...300).map { stamp($0) }] {
      let entry = OnceEntry(key: try OnceKey(text), runs: runs)
      #expect(try decode(OnceTable.encode(entry)) == entry)
    }
  }

  @Test func `every flipped bit, every missing end and anything behind it is damaged`() throws {
    let bytes = OnceTable.encode(OnceEntry(key: try OnceKey("order 17"), runs: [stamp(1), stamp(2)]))
    for place in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << bit
        let isNewer = place == 0
        let code = storeErrorCode { _ = try decode(flipped) }
        #expect(code == (isNewer ? .newerFormat : .damaged), "byte \(place), bit \(bit)")
      }
      #expect(storeErrorCode { _ = try decode(Array(bytes[..<place])) } == .damaged, "cut at \(place)")
    }
    #expect(storeErrorCode { _ = try decode(bytes + [0x20]) } == .damaged)
  }

  @Test func `an entry of a newer build is told as such`() throws {
    var bytes = OnceTable.encode(OnceEntry(key: try OnceKey("order 17"), runs: [stamp(1)]))
    bytes[0] = 2
    #expect(#expect(throws: StoreError.self) { try decode(bytes) }?.code == .newerFormat)
  }

  @Test func `runs are kept once each, rising, in whatever order they come`() throws {
    // Runs without their transactions: nothing for the store's own check.
    let (temporary, key) = (try TemporaryStore(), try OnceKey("order 17"))
    for time in [5, 2, 9, 2, 5] as [UInt64] {
      try temporary.store.write { transaction, layout throws -> (Void, StoreLayout) in
        try OnceEntry(key: key, runs: [stamp(time)]).join(layout, in: transaction)
        return ((), layout)
      }
    }
    try temporary.store.read { snapshot throws in
      let table = OnceTable(snapshot.transaction, snapshot.layout)
      #expect(try table.entry(of: key)?.runs == [stamp(2), stamp(5), stamp(9)])
      #expect(try table.count == 1)
      #expect(try table.entry(of: OnceKey("order 18")) == nil)
      var digests: [[UInt8]] = []
      try table.forEach { digest, _ in digests.append(digest.copied()) }
      #expect(digests == [key.digest])
    }
  }
}
