import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

struct TransactionCodecTests {
  private static let stamp = Stamp(epoch: 1, wallMilliseconds: 1_800_000_000_000, counter: 5, replica: ReplicaID(7))

  /// One field of each type, a tombstone, a null: what a golden file must hold.
  private static var sample: TransactionFacts {
    let values: [FieldValue] = [
      .bool(true), .int(-3), .uint(9), .double(1.5), .decimal(Decimal(1234) / 100), .string("Kyïv"),
      .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .data(Data([0, 255])),
      .url("https://example.org"), .composite(Data([1])), .reference(fixtureID(4)), .null,
    ]
    let registers = values.enumerated().map {
      RecordFacts.Register(ordinal: $0.offset, value: $0.element, stamp: stamp)
    }
    let context = VersionVector(entries: [
      ReplicaID(3): .init(
        sequence: 300, stamp: Stamp(time: 12, counter: 1, replica: ReplicaID(3)))
    ])
    return TransactionFacts(
      dot: Dot(replica: stamp.replica, sequence: 1000), stamp: stamp, author: "phone", context: context,
      records: [
        RecordFacts(entity: 1, id: fixtureID(1), isInserted: true, touch: stamp, registers: registers),
        RecordFacts(entity: 200, id: fixtureID(2), deleted: stamp),
      ])
  }

  private static func type(_ entity: EntityNumber, _ ordinal: Int) -> FieldType {
    ordinal == 12 ? .string : FieldType(rawValue: UInt8(truncatingIfNeeded: ordinal + 1)) ?? .string
  }

  @Test func `a transaction comes back from its bytes`() throws {
    let bytes = TransactionCodec.encode(Self.sample)
    #expect(try TransactionCodec.decode(bytes, fieldType: Self.type) == Self.sample)
  }

  /// Behind a right checksum, so that the structure alone decides.
  @Test(arguments: [false, true]) func `what passes the check where it lies is what decodes`(isOnce: Bool) throws {
    var generator = SeededGenerator.announced()
    let bytes = TransactionCodec.encode(isOnce ? try Self.onceSample() : Self.sample)
    var refusals = 0
    for _ in 0..<6000 {
      var changed = bytes
      changed[Int.random(in: 6..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      let checksum = changed.withRawBytes { $0.slice(6..<$0.count).checksum(after: $0.slice(0..<2).checksum) }
      withUnsafeBytes(of: checksum.littleEndian) { changed.replaceSubrange(2..<6, with: $0) }
      let whole = Result { try TransactionCodec.decode(changed, fieldType: Self.type) }
      let inPlace = Result {
        let checked = try EncodedTransaction(changed, fieldType: Self.type)
        return try TransactionCodec.decode(checked.bytes, fieldType: Self.type)
      }
      switch (whole, inPlace) {
      // By their bytes: a value may differ from itself.
      case (.success(let left), .success(let right)):
        #expect(TransactionCodec.encode(left) == TransactionCodec.encode(right))
      case (.failure(let left as StoreError), .failure(let right as StoreError)):
        refusals += 1
        #expect(left.message == right.message)
      default: Issue.record("one reader gave \(whole), the other \(inPlace)")
      }
    }
    #expect(refusals > 100)
  }

  @Test func `the bytes are those of the golden file`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("SyncFixtures/golden/transaction-1/every-type.hex")
    let golden = try String(contentsOf: file, encoding: .utf8).filter(\.isHexDigit)
    let bytes = TransactionCodec.encode(Self.sample)
    #expect(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == golden)
  }

  /// Format 2: a once transaction with an insert, an update and a delete.
  static func onceSample() throws -> TransactionFacts {
    var sample = sample
    sample.once = try OnceKey("purchase caf\u{E9}")
    sample.records[0].touch = nil
    sample.records[0].onceInserts = [.init(keyHash: try OnceKey("purchase caf\u{E9}").hash, stamp: stamp)]
    for index in sample.records[0].registers.indices { sample.records[0].registers[index].isOnce = true }
    sample.records.append(
      RecordFacts(
        entity: 1, id: fixtureID(3), touch: stamp, registers: [.init(ordinal: 1, value: .int(7), stamp: stamp)]))
    return sample
  }

  @Test func `a once transaction comes back from its bytes, which are those of the golden file`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("SyncFixtures/golden/transaction-2/once.hex")
    let golden = try String(contentsOf: file, encoding: .utf8).filter(\.isHexDigit)
    let bytes = TransactionCodec.encode(try Self.onceSample())
    #expect(try TransactionCodec.decode(bytes, fieldType: Self.type) == Self.onceSample())
    #expect(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == golden)
    #expect(TransactionCodec.format(of: bytes) == 2)
    #expect(TransactionCodec.format(of: TransactionCodec.encode(Self.sample)) == 1)
  }

  @Test(arguments: [false, true])
  func `every shorter or changed form is refused`(isOnce: Bool) throws {
    let bytes = TransactionCodec.encode(try isOnce ? Self.onceSample() : Self.sample)
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(storeErrorCode { _ = try TransactionCodec.decode(cut, fieldType: Self.type) } == .damaged)
    }
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= 0x10
      #expect(storeErrorCode { _ = try TransactionCodec.decode(changed, fieldType: Self.type) } == .damaged)
    }
    #expect(storeErrorCode { _ = try TransactionCodec.decode(bytes + [0], fieldType: Self.type) } == .damaged)
  }

  @Test(arguments: [nil, "purchase 42"], [nil, sample.context])
  func `a history entry comes back from its bytes, and every changed form is refused`(
    key: String?, seen: VersionVector?
  ) throws {
    let origin = TransactionOrigin(
      dot: Self.sample.dot, stamp: Self.stamp, author: nil, context: Self.sample.context,
      once: try key.map { try OnceKey($0) })
    let entry = HistoryEntry(
      isMerge: false, committedAt: Date(timeIntervalSinceReferenceDate: 700_000_000), processIdentifier: 42,
      processName: "app", transactions: [origin],
      changes: [
        HistoryChange(kind: .update, entity: 3, id: fixtureID(1), fields: [0, 200]),
        HistoryChange(
          kind: .delete, entity: 3, id: fixtureID(2), preserved: [FieldWrite(1, .string("x")), FieldWrite(2, .null)]),
      ], seen: seen)
    let bytes = entry.encoded(with: OutgoingBytes([1, 2, 3]))
    func decoded(_ bytes: [UInt8]) throws -> HistoryEntry {
      try bytes.withRawBytes { bytes throws in try HistoryEntry(decoding: bytes) }
    }
    func changes(_ bytes: [UInt8]) throws -> [HistoryChange] {
      var changes = [HistoryChange(kind: .insert, entity: 1, id: fixtureID(9))]
      try bytes.withRawBytes { bytes throws in try HistoryEntry.forEachChange(of: bytes) { changes.append($0) } }
      return changes
    }
    func outgoing(_ bytes: [UInt8]) throws -> [UInt8] {
      try bytes.withRawBytes { bytes throws in try HistoryEntry.outgoing(of: bytes) }
    }
    #expect(try decoded(bytes) == entry)
    #expect(try changes(bytes).dropFirst() == entry.changes[...])
    #expect(try outgoing(bytes) == [1, 2, 3])
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= 1
      #expect(storeErrorCode { _ = try decoded(changed) } == .damaged)
      #expect(storeErrorCode { _ = try changes(changed) } == .damaged)
      #expect(storeErrorCode { _ = try outgoing(changed) } == .damaged)
    }
  }

  @Test func `changes of an entry come one at a time, until their reader has enough`() throws {
    struct Enough: Error {}
    let entry = HistoryEntry(
      isMerge: false, committedAt: Date(timeIntervalSinceReferenceDate: 700_000_000), processIdentifier: 42,
      processName: "app", transactions: [],
      changes: (0..<3).map { HistoryChange(kind: .insert, entity: 1, id: fixtureID($0)) }, seen: nil)
    var bytes = entry.encoded(with: .none)
    var ids: [RecordID] = []
    try bytes.withRawBytes { bytes throws in try HistoryEntry.forEachChange(of: bytes) { ids.append($0.id) } }
    #expect(ids == (0..<3).map { fixtureID($0) })
    ids = []
    #expect(throws: Enough.self) {
      try bytes.withRawBytes { bytes throws in
        try HistoryEntry.forEachChange(of: bytes) {
          ids.append($0.id)
          if ids.count == 2 { throw Enough() }
        }
      }
    }
    #expect(ids == [fixtureID(0), fixtureID(1)])
    // Nothing comes of an entry whose checksum is wrong, not even what lies before the damage.
    bytes[bytes.count - 1] ^= 1
    let code = storeErrorCode {
      try bytes.withRawBytes { bytes throws in
        try HistoryEntry.forEachChange(of: bytes) { _ in Issue.record("a change of a damaged entry") }
      }
    }
    #expect(code == .damaged)
  }
}
