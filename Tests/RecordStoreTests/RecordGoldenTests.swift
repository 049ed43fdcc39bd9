import Foundation
import LMDB
import RecordStore
import Testing

/// Records of format 1 as they were first written, in `SyncFixtures/golden/record-1`: hexadecimal text, one
/// file a record. They are never edited; a changed encoder must leave them readable.
@Suite struct RecordGoldenTests {
  static let types = FieldType.allCases

  static let names = ["every-type", "gaps-and-nulls", "tombstone", "dangling", "wide"]

  @Test(arguments: names)
  func `a record written by the first build reads as it did, and is written the same`(name: String) throws {
    let facts = Self.facts(name)
    let golden = try Self.bytes(name)
    let decoded = try golden.withRawBytes { bytes in
      try RecordFacts(decoding: bytes, id: facts.id, entity: facts.entity) { ordinal in
        name == "wide" ? .int : Self.types[ordinal % Self.types.count]
      }
    }
    #expect(decoded == facts)
    let encoding = try RecordEncoding(
      facts, fieldCount: name == "gaps-and-nulls" ? 20 : 0, dangling: name == "dangling" ? [11] : [])
    #expect(encoding.bytes() == golden)
  }

  /// Format 2: records that once transactions inserted.
  @Test(arguments: ["once", "once-edited"])
  func `a record of a once transaction reads as it did, and is written the same`(name: String) throws {
    let facts = Self.onceFacts(isEdited: name == "once-edited")
    let golden = try Self.bytes(name, format: 2)
    let decoded = try golden.withRawBytes { bytes in
      try RecordFacts(decoding: bytes, id: facts.id, entity: facts.entity) { $0 == 1 ? .int : .string }
    }
    #expect(decoded == facts)
    #expect(try RecordEncoding(facts).bytes() == golden)
  }

  static func onceFacts(isEdited: Bool) -> RecordFacts {
    let early = Stamp(epoch: 1, wallMilliseconds: 1_700_000_000_123, counter: 2, replica: ReplicaID(0xA1B2_C3D4))
    let late = Stamp(epoch: 1, wallMilliseconds: 1_700_000_099_000, counter: 0, replica: ReplicaID(0xFFEE_0000_1111))
    var facts = RecordFacts(
      entity: 7, id: RecordID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F), isInserted: true,
      onceInserts: [.init(keyHash: 0x1122_3344_5566_7788, stamp: early)],
      registers: [
        .init(ordinal: 0, value: .string("T42"), stamp: early, isOnce: true),
        .init(ordinal: 1, value: .int(100), stamp: early, isOnce: true),
        .init(ordinal: 3, value: .null, stamp: early, isOnce: true),
      ])
    guard isEdited else { return facts }
    facts.onceInserts.append(.init(keyHash: 0xFFEE_DDCC_BBAA_9988, stamp: late))
    facts.touch = late
    facts.deleted = early
    facts.registers[0].stamp = late
    facts.registers[1] = .init(ordinal: 1, value: .int(70), stamp: late)
    return facts
  }

  private static func bytes(_ name: String, format: Int = 1) throws -> [UInt8] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "SyncFixtures/golden/record-\(format)/\(name).hex"), encoding: .utf8)
    let digits = Array(text.filter { !$0.isWhitespace })
    return try stride(from: 0, to: digits.count, by: 2).map { index in
      try #require(UInt8(String(digits[index...index + 1]), radix: 16))
    }
  }

  static func facts(_ name: String) -> RecordFacts {
    let early = Stamp(epoch: 1, wallMilliseconds: 1_700_000_000_123, counter: 2, replica: ReplicaID(0xA1B2_C3D4))
    let late = Stamp(epoch: 1, wallMilliseconds: 1_700_000_099_000, counter: 0, replica: ReplicaID(0xFFEE_0000_1111))
    var facts = RecordFacts(
      entity: 7, id: RecordID(high: 0x018B_CFE5_687B_0001, low: 0x0102_0304_0506_0708), isInserted: true, touch: early)
    switch name {
    case "every-type":
      facts.registers = everyValue.enumerated().map { .init(ordinal: $0.offset, value: $0.element, stamp: early) }
      facts.registers[5].stamp = late
      facts.touch = late
    case "gaps-and-nulls":
      facts.registers = [
        .init(ordinal: 1, value: .null, stamp: early), .init(ordinal: 5, value: .string(""), stamp: .zero),
        .init(ordinal: 13, value: .int(.min), stamp: late),
      ]
    case "tombstone":
      facts.deleted = late
      facts.registers = [.init(ordinal: 5, value: .string("kept for a later edit"), stamp: early)]
    case "dangling":
      facts.registers = [.init(ordinal: 11, value: .reference(RecordID(high: 5, low: 6)), stamp: early)]
    default:
      facts.registers = (0..<256).map { index in
        let stamp = Stamp(time: 1 << 48 | UInt64(index), counter: 0, replica: ReplicaID(1))
        return .init(ordinal: index, value: .int(Int64(index)), stamp: stamp)
      }
    }
    return facts
  }

  private static let everyValue: [FieldValue] = [
    .bool(true), .int(-2), .uint(.max), .double(-1.5), .decimal(Decimal(sign: .minus, exponent: -2, significand: 1299)),
    .string("Їжак e\u{301} 😀"), .date(Date(timeIntervalSinceReferenceDate: 700_000_000.25)),
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .data(Data([0, 255, 1])),
    .url("https://example.org/%C3%A9"), .composite(Data("{}".utf8)), .reference(RecordID(high: 1, low: 2)),
  ]
}
