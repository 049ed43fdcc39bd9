import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Keys and values of the tables beside the rows: their bytes are part of the file format.
struct SideTableKeyTests {
  private let holder = RecordKey(entity: 0x0102, id: RecordID(high: 0x1112_1314_1516_1718, low: 0x191A_1B1C_1D1E_1F20))
  private let target = RecordID(high: 0x2122_2324_2526_2728, low: 0x292A_2B2C_2D2E_2F30)
  private let stamp = Stamp(time: 0x3132_3334_3536_3738, counter: 0x393A, replica: ReplicaID(0x4142_4344_4546_4748))

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test func `a hidden record lies under its entity and id, most significant byte first`() {
    let key = HiddenTable.key(holder)
    #expect(hex(key) == "00000102" + "1112131415161718191a1b1c1d1e1f20")
    #expect(key.starts(with: HiddenTable.prefix(0x0102)))
    #expect(key.withRawBytes { HiddenTable.recordKey($0) } == holder)
  }

  @Test(arguments: [0, 4, 19, 21, 36]) func `a key of another length names no hidden record`(count: Int) {
    #expect(Array(repeating: 1 as UInt8, count: count).withRawBytes { HiddenTable.recordKey($0) } == nil)
  }

  @Test func `a back reference lies under its target, then the holder's entity, field and id`() {
    let key = BackReferenceTable.key(target: target, holder: holder, ordinal: 0x5152)
    #expect(
      hex(key) == "2122232425262728292a2b2c2d2e2f30" + "00000102" + "5152" + "1112131415161718191a1b1c1d1e1f20")
    let entry = key.withRawBytes { BackReferenceTable.entry($0) }
    #expect(entry == BackReferenceTable.Entry(target: target, holder: holder, ordinal: 0x5152))
    for count in [0, 37, 39] {
      #expect(Array(repeating: 1 as UInt8, count: count).withRawBytes { BackReferenceTable.entry($0) } == nil)
    }
  }

  @Test func `a claim lies under its index and the digest of its value`() throws {
    let claim = ClaimKey(index: 0x0304, bytes: Array("Lviv".utf8))
    let key = ClaimTable.key(claim, id: target)
    #expect(key.count == ClaimTable.keyByteCount && ClaimTable.prefix(claim).count == ClaimTable.prefixByteCount)
    #expect(hex(Array(key[..<4])) == "00000304")
    let digest = StableHash.digestBytes(Array("Lviv".utf8))
    #expect(hex(Array(key[4..<20])) == hex(digest))
    #expect(hex(Array(key[20...])) == "2122232425262728292a2b2c2d2e2f30")
  }

  @Test func `equal claims are one member of a set, claims of another index or value others`() {
    let claim = ClaimKey(index: 1, bytes: [1, 2])
    #expect(Set([claim, ClaimKey(index: 1, bytes: [1, 2])]).count == 1)
    #expect(Set([claim, ClaimKey(index: 2, bytes: [1, 2]), ClaimKey(index: 1, bytes: [1, 3])]).count == 3)
  }

  @Test func `an original lies under its row and its own id`() {
    let key = OriginalTable.key(holder, target)
    #expect(
      hex(key) == "00000102" + "1112131415161718191a1b1c1d1e1f20" + "2122232425262728292a2b2c2d2e2f30")
    #expect(key.starts(with: OriginalTable.prefix(holder)))
    let ids = key.withRawBytes { OriginalTable.ids($0) }
    #expect(ids?.row == holder && ids?.id == target)
    #expect(Array(key.dropLast()).withRawBytes { OriginalTable.ids($0) } == nil)
  }

  @Test func `a past write lies under its record, field and stamp, and comes back with its value`() throws {
    let values: [FieldValue] = [.null, .bool(true), .int(-5), .string("Львів"), .string(""), .reference(target)]
    for value in values {
      let write = PastWrite(ordinal: 0x5152, stamp: stamp, value: value)
      let (key, bytes) = (PastWriteTable.key(holder, write), PastWriteTable.value(of: write))
      #expect(
        hex(key) == "00000102" + "1112131415161718191a1b1c1d1e1f20" + "5152" + "3132333435363738" + "393a"
          + "4142434445464748")
      let found = try key.withRawBytes { key throws in
        try bytes.withRawBytes { bytes throws in try PastWriteTable.write(key, bytes) }
      }
      #expect(found.record == holder && found.write.ordinal == 0x5152 && found.write.stamp == stamp)
      #expect(found.write.value == value)
    }
  }

  @Test func `a past write with a wrong key, without a type or with a value of another length is damaged`() throws {
    let write = PastWrite(ordinal: 1, stamp: stamp, value: .int(1))
    let key = PastWriteTable.key(holder, write)
    let good = PastWriteTable.value(of: write)
    let wrong: [(key: [UInt8], value: [UInt8])] = [
      (Array(key.dropLast()), good), (key + [0], good), (key, []), (key, [0, 1]), (key, [99]),
      (key, Array(good.dropLast())), (key, good + [0]),
    ]
    for (key, value) in wrong {
      let error = #expect(throws: StoreError.self) {
        try key.withRawBytes { key throws in
          try value.withRawBytes { value throws in _ = try PastWriteTable.write(key, value) }
        }
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test func `the references of held keys lie apart from the keys of every index`() {
    let prefix = HeldKeyTable.referencePrefix(target, index: 7)
    #expect(hex(prefix) == "80000007" + "2122232425262728292a2b2c2d2e2f30")
    // Numbers of indexes fit into 31 bits, so no key of a value begins like that of a reference.
    #expect(HeldKeyTable.keyPrefix(ClaimKey(index: 7, bytes: [1])).first == 0)
  }

  @Test func `keys are in the order of what they name`() {
    let ids = [RecordID(high: 0, low: 1), RecordID(high: 0, low: .max), RecordID(high: 1, low: 0)]
    let keys = [1, 2, 256].flatMap { entity in ids.map { HiddenTable.key(RecordKey(entity: entity, id: $0)) } }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    let dots = [1, 2, 300].flatMap { replica in
      [1, 255, 256, 1 << 40].map { DotTable.key(Dot(replica: ReplicaID(replica), sequence: $0)) }
    }
    #expect(zip(dots, dots.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    let stamps = [(1, 0), (1, 1), (2, 0)] as [(time: UInt64, counter: UInt16)]
    let contexts = [1, 2].flatMap { replica in
      stamps.map { ContextTable.key(Stamp(time: $0.time, counter: $0.counter, replica: ReplicaID(replica))) }
    }
    #expect(zip(contexts, contexts.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }
}

extension StableHash {
  fileprivate static func digestBytes(_ bytes: [UInt8]) -> [UInt8] {
    let (high, low) = bytes.withRawBytes { digest128($0) }
    var key: [UInt8] = []
    key.append(bigEndian: high)
    key.append(bigEndian: low)
    return key
  }
}
