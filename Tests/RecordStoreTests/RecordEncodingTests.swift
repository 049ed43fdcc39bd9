import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct RecordEncodingTests {
  static let types = FieldType.allCases

  static func facts(using generator: inout SeededGenerator) -> RecordFacts {
    let stamps = (0..<Int.random(in: 1...4, using: &generator)).map { _ in stamp(using: &generator) }
    var facts = RecordFacts(
      entity: Int.random(in: 0...70_000, using: &generator),
      id: RecordID(high: generator.next(), low: generator.next()),
      isInserted: Bool.random(using: &generator))
    if !generator.oneIn(3) { facts.touch = generator.pick(stamps) }
    if generator.oneIn(3) { facts.deleted = stamp(using: &generator) }
    let isOnce = generator.oneIn(3)
    for key in 1...3 where isOnce && (key == 1 || generator.oneIn(2)) {
      facts.onceInserts.append(.init(keyHash: UInt64(key) << 61 | generator.next() >> 3, stamp: generator.pick(stamps)))
    }
    for (ordinal, type) in types.enumerated() where !generator.oneIn(5) {
      let value = generator.oneIn(6) ? .null : RandomValues.value(of: type, using: &generator)
      facts.registers.append(.init(ordinal: ordinal, value: value, stamp: generator.pick(stamps)))
      facts.registers[facts.registers.count - 1].isOnce = isOnce && !generator.oneIn(3)
    }
    return facts
  }

  static func stamp(using generator: inout SeededGenerator) -> Stamp {
    Stamp(
      time: generator.next(), counter: UInt16.random(in: 0...UInt16.max, using: &generator),
      replica: ReplicaID(generator.next()))
  }

  @Test func `random facts come back as they were`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<2_000 {
      let facts = Self.facts(using: &generator)
      let bytes = try RecordEncoding(facts, fieldCount: Self.types.count).bytes()
      let decoded = try bytes.withRawBytes { bytes in
        try RecordFacts(decoding: bytes, id: facts.id, entity: facts.entity) { Self.types[$0] }
      }
      #expect(decoded.isSame(as: facts))
      #expect(try RecordEncoding(decoded, fieldCount: Self.types.count).bytes() == bytes)
    }
  }

  @Test func `a view reads each field and stamp in place`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<500 {
      let facts = Self.facts(using: &generator)
      let bytes = try RecordEncoding(facts, fieldCount: Self.types.count + 2).bytes()
      bytes.withRawBytes { raw in
        let view = RecordView(raw)
        #expect(view.entity == facts.entity)
        #expect(view.fieldCount == Self.types.count + 2)
        #expect(view.touch == facts.touch)
        #expect(view.deleted == facts.deleted)
        #expect(view.isInserted == facts.isInserted)
        for (ordinal, type) in Self.types.enumerated() {
          let register = facts.registers.first { $0.ordinal == ordinal }
          #expect(view.stamp(at: ordinal) == register?.stamp)
          #expect(view.isWritten(at: ordinal) == (register != nil))
          #expect(view.isNull(at: ordinal) == ((register?.value ?? .null) == .null))
          #expect(view.value(at: ordinal, type: type).isSame(as: register?.value ?? .null))
        }
        #expect(view.isNull(at: Self.types.count + 1) && view.isNull(at: 1_000) && view.isNull(at: -1))
      }
    }
  }

  @Test func `stored bytes equal the texts that Swift calls equal, and no others`() {
    let texts = RandomValues.edges(of: .string).compactMap { value -> String? in
      if case .string(let text) = value { text } else { nil }
    }
    for stored in texts {
      for text in texts {
        let isEqual = Array(stored.utf8).withRawBytes { text.isEqual(toEncoded: $0) }
        #expect(isEqual == (text == stored), "\(text) in \(stored)")
      }
    }
  }

  @Test func `a dangling reference reads as nil and keeps its register`() throws {
    let target = RecordID(high: 7, low: 9)
    let facts = insert([.int(1), .reference(target)])
    let bytes = try RecordEncoding(facts, dangling: [1]).bytes()
    try bytes.withRawBytes { raw in
      let view = RecordView(raw)
      #expect(view.isNull(at: 1) && view.reference(at: 1) == nil)
      #expect(view.isDangling(at: 1) && !view.isDangling(at: 0))
      #expect(view.registerReference(at: 1) == target)
      let decoded = try RecordFacts(decoding: raw, id: facts.id, entity: facts.entity) { [.int, .reference][$0] }
      #expect(decoded == facts)
    }
  }

  @Test func `every flipped bit of a record is refused`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<5 {
      let facts = Self.facts(using: &generator)
      let bytes = try RecordEncoding(facts, fieldCount: Self.types.count).bytes()
      for bit in 0..<bytes.count * 8 {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let error = #expect(throws: StoreError.self, "bit \(bit)") { try check(damaged, facts) }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test func `a record under another id or entity is refused`() throws {
    let facts = insert([.int(1)])
    let bytes = try RecordEncoding(facts).bytes()
    var other = facts
    other.id = RecordID(high: 1, low: 3)
    #expect(storeErrorCode { try check(bytes, other) } == .damaged)
    other = facts
    other.entity = 4
    #expect(storeErrorCode { try check(bytes, other) } == .damaged)
    try check(bytes, facts)
  }

  @Test func `a truncated or scrambled record is refused, and reading it never traps`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<20 {
      let facts = Self.facts(using: &generator)
      let bytes = try RecordEncoding(facts, fieldCount: Self.types.count).bytes()
      for count in 0..<bytes.count {
        let cut = Array(bytes.prefix(count))
        #expect(storeErrorCode { try check(cut, facts) } == .damaged)
        readEverything(cut)
      }
      for _ in 0..<200 {
        let scrambled = bytes.map { generator.oneIn(8) ? UInt8.random(in: 0...255, using: &generator) : $0 }
        readEverything(scrambled)
      }
    }
  }

  @Test func `a record with a right checksum and a wrong structure is refused`() throws {
    let facts = insert([.int(1), .string("text"), .null])
    let sound = try RecordEncoding(facts).bytes()
    // Offsets of the header and the field table; each gets a byte that breaks an invariant.
    for (offset, byte) in [(1, 0x80), (2, 9), (8, 1), (16, 7), (18, 5), (20, 5), (22, 1), (24, 0), (28, 0xFF)] {
      var bytes = sound
      bytes[offset] = UInt8(byte)
      let checksum = bytes.withRawBytes { RecordFormat.checksum($0, id: facts.id, entity: facts.entity) }
      withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
      #expect(storeErrorCode { try check(bytes, facts) } == .damaged, "offset \(offset)")
    }
  }

  @Test func `a newer format is told from damage`() throws {
    let facts = insert([.int(1)])
    var bytes = try RecordEncoding(facts).bytes()
    bytes[0] = 3
    let checksum = bytes.withRawBytes { RecordFormat.checksum($0, id: facts.id, entity: facts.entity) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
    let error = #expect(throws: StoreError.self) { try check(bytes, facts) }
    #expect(error?.code == .newerFormat)
  }

  @Test(arguments: [254, 255, 256, 300])
  func `a record with many distinct stamps is wide`(count: Int) throws {
    var facts = RecordFacts(entity: 1, id: RecordID(high: 1, low: 2), isInserted: true)
    for ordinal in 0..<count {
      let stamp = Stamp(time: UInt64(ordinal), counter: 0, replica: ReplicaID(1))
      facts.registers.append(.init(ordinal: ordinal * 2, value: .int(Int64(ordinal)), stamp: stamp))
    }
    facts.touch = facts.registers.last?.stamp
    let bytes = try RecordEncoding(facts).bytes()
    #expect((bytes[1] & RecordFormat.wideFlag != 0) == (count > 255))
    let decoded = try bytes.withRawBytes { bytes in
      try RecordFacts(decoding: bytes, id: facts.id, entity: facts.entity) { _ in .int }
    }
    #expect(decoded == facts)
  }

  @Test func `a field that was never written reads as its default`() throws {
    let bytes = try RecordEncoding(insert([.int(1)])).bytes()
    let image = try bytes.withRawBytes { try RecordImage(id: RecordID(high: 1, low: 2), entity: 3, copying: $0) }
    let plain = CatalogueField(ordinal: 5, name: "a", type: .string, isOptional: false)
    var withDefault = plain
    withDefault.defaultValue = .string("none")
    var optional = plain
    optional.isOptional = true
    #expect(image.value(of: plain) == .string(""))
    #expect(image.value(of: withDefault) == .string("none"))
    #expect(image.value(of: optional) == .null)
    #expect(image.entity == 3)
  }

  private func check(_ bytes: [UInt8], _ facts: RecordFacts) throws {
    try bytes.withRawBytes { try RecordFormat.check($0, id: facts.id, entity: facts.entity) }
  }

  private func readEverything(_ bytes: [UInt8]) {
    bytes.withRawBytes { raw in
      let view = RecordView(raw)
      _ = (view.touch, view.deleted, view.isInserted, view.entity)
      for ordinal in 0..<min(view.fieldCount, 100) {
        _ = view.stamp(at: ordinal)
        for type in FieldType.allCases { _ = view.value(at: ordinal, type: type) }
      }
    }
  }
}

/// A new record of entity 3 with these fields, all written at once.
func insert(_ values: [FieldValue], id: RecordID = RecordID(high: 1, low: 2)) -> RecordFacts {
  let stamp = Stamp(time: 5, counter: 1, replica: ReplicaID(9))
  return RecordFacts(
    entity: 3, id: id, isInserted: true, touch: stamp,
    registers: values.enumerated().map { .init(ordinal: $0.offset, value: $0.element, stamp: stamp) })
}

extension FieldValue {
  /// Equal to the last bit, where Swift's own equality is false for not-a-number and true for -0 and 0.
  func isSame(as other: FieldValue) -> Bool {
    type == other.type && encodedBytes == other.encodedBytes
  }
}

extension RecordFacts {
  func isSame(as other: RecordFacts) -> Bool {
    entity == other.entity && id == other.id && isInserted == other.isInserted && touch == other.touch
      && deleted == other.deleted && registers.count == other.registers.count
      && zip(registers, other.registers).allSatisfy {
        $0.ordinal == $1.ordinal && $0.stamp == $1.stamp && $0.value.isSame(as: $1.value)
      }
  }
}
