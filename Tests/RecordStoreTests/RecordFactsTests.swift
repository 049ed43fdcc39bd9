import RecordStore
import TestSupport
import Testing

@Suite struct RecordFactsTests {
  /// Facts of one record with few stamps and values, so that ties happen.
  private func facts(using generator: inout SeededGenerator) -> RecordFacts {
    func stamp() -> Stamp {
      Stamp(time: UInt64.random(in: 0...3, using: &generator), counter: 0, replica: ReplicaID(1))
    }
    var facts = RecordFacts(entity: 1, id: RecordID(high: 1, low: 1), isInserted: generator.oneIn(3))
    if generator.oneIn(2) { facts.touch = stamp() }
    if generator.oneIn(2) { facts.deleted = stamp() }
    let isOnce = generator.oneIn(3)
    for key in 1...3 where isOnce && (key == 1 || generator.oneIn(3)) {
      facts.onceInserts.append(.init(keyHash: UInt64(key), stamp: stamp()))
    }
    for ordinal in 0..<5 where generator.oneIn(2) {
      let value: FieldValue = generator.pick([.null, .int(1), .int(-1), .int(256), .string("a"), .string("b")])
      facts.registers.append(
        .init(ordinal: ordinal, value: value, stamp: stamp(), isOnce: isOnce && !generator.oneIn(3)))
    }
    return facts
  }

  private func joined(_ all: RecordFacts...) -> RecordFacts {
    var result = all[0]
    for facts in all.dropFirst() { result.join(facts) }
    return result
  }

  @Test func `joining is commutative, associative and idempotent`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<5_000 {
      let (a, b, c) = (facts(using: &generator), facts(using: &generator), facts(using: &generator))
      #expect(joined(a, b) == joined(b, a))
      #expect(joined(joined(a, b), c) == joined(a, joined(b, c)))
      #expect(joined(a, a) == a)
      #expect(joined(a, b, b, a) == joined(a, b))
    }
  }

  @Test func `what a once insert wrote loses to any other write, and to later runs`() {
    let stamps = (1...3).map { Stamp(time: $0, counter: 0, replica: ReplicaID(1)) }
    func one(_ value: Int64, _ stamp: Stamp, isOnce: Bool) -> RecordFacts {
      RecordFacts(
        entity: 1, id: RecordID(high: 1, low: 1), onceInserts: isOnce ? [.init(keyHash: 9, stamp: stamp)] : [],
        registers: [.init(ordinal: 0, value: .int(value), stamp: stamp, isOnce: isOnce)])
    }
    let (first, edit, late) = (
      one(1, stamps[0], isOnce: true), one(2, stamps[1], isOnce: false), one(3, stamps[2], isOnce: true)
    )
    #expect(joined(first, late).registers[0].value == .int(3))
    #expect(joined(first, edit, late).registers[0].value == .int(2))
    #expect(joined(late, edit).life == stamps[2])
    #expect(joined(late, first).life == stamps[0])
  }

  @Test func `the later write wins, and between equal stamps the greater bytes`() {
    let early = Stamp(time: 1, counter: 0, replica: ReplicaID(1))
    let late = Stamp(time: 2, counter: 0, replica: ReplicaID(1))
    func one(_ value: FieldValue, _ stamp: Stamp) -> RecordFacts {
      RecordFacts(
        entity: 1, id: RecordID(high: 1, low: 1), registers: [.init(ordinal: 0, value: value, stamp: stamp)])
    }
    #expect(joined(one(.string("z"), early), one(.string("a"), late)) == one(.string("a"), late))
    #expect(joined(one(.string("z"), early), one(.string("a"), early)) == one(.string("z"), early))
    #expect(joined(one(.null, early), one(.string(""), early)) == one(.string(""), early))
    #expect(joined(one(.string("a"), .zero), one(.null, early)) == one(.null, early))
  }
}
