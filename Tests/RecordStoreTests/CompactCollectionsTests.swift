import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Collections that commits and queries use where the standard library's cost too much, beside those.
struct CompactCollectionsTests {
  @Test(arguments: 0..<4) func `a set of record ids holds what a set holds`(run: Int) {
    var generator = SeededGenerator.announced("RecordIDSet \(run)")
    var (ids, expected) = (RecordIDSet(), Set<RecordID>())
    #expect(ids.isEmpty)
    if run == 1 { ids.reserve(5_000) }
    for _ in 0..<5_000 {
      // Ids that collide in their low, their high or all of their mixed bits, and the id without any bit.
      let number = UInt64.random(in: 0..<3_000, using: &generator)
      let id = generator.pick([
        RecordID(high: 0, low: number), RecordID(high: number << 40, low: 0), RecordID(high: number, low: number),
      ])
      #expect(ids.contains(id) == expected.contains(id))
      #expect(ids.insert(id) == expected.insert(id).inserted)
      #expect(ids.contains(id) && !ids.isEmpty)
    }
    for number in 0..<3_000 as Range<UInt64> {
      let id = RecordID(high: number, low: number)
      #expect(ids.contains(id) == expected.contains(id))
    }
  }

  @Test(arguments: 0..<4) func `growing bytes are the bytes of an array`(run: Int) {
    var generator = SeededGenerator.announced("GrowingBytes \(run)")
    var (bytes, expected) = (GrowingBytes(capacity: run * 7), [UInt8]())
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1:
        let byte = UInt8.random(in: .min ... .max, using: &generator)
        bytes.append(byte)
        expected.append(byte)
      case 2, 3:
        let number = UInt64.random(in: .min ... .max, using: &generator)
        bytes.append(bigEndian: number)
        expected.append(bigEndian: number)
      case 4:
        let id = fixtureID(UInt64.random(in: 0...9, using: &generator))
        bytes.append(id)
        id.append(to: &expected)
      case 5:
        let more = [UInt8](repeating: 7, count: Int.random(in: 0...90, using: &generator))
        more.withRawBytes { bytes.append($0) }
        expected += more
      case 6:
        let count = Int.random(in: 0...expected.count, using: &generator)
        bytes.truncate(to: count)
        expected.removeLast(expected.count - count)
      case 7:
        let start = Int.random(in: 0...expected.count, using: &generator)
        bytes.invert(from: start)
        for place in start..<expected.count { expected[place] = ~expected[place] }
      default:
        if generator.oneIn(4) {
          #expect(bytes.take() == expected)
          expected = []
        } else if generator.oneIn(4) {
          bytes.removeAll()
          expected = []
        }
      }
      #expect(bytes.count == expected.count)
      #expect(bytes.bytes == expected)
      #expect(bytes.withRawBytes { $0.copied() } == expected)
    }
  }

  @Test(arguments: 0..<4) func `groups are numbered by their keys in the order in which they occur`(run: Int) {
    var generator = SeededGenerator.announced("GroupTable \(run)")
    var table = GroupTable()
    var numbers: [[UInt8]: Int] = [:]
    for _ in 0..<4_000 {
      // Keys of equal beginnings and lengths around whole words.
      let count = Int.random(in: 0...18, using: &generator)
      let key = (0..<count).map { _ in UInt8.random(in: 0...1, using: &generator) }
      let (number, isNew) = key.withRawBytes { table.group(of: $0) }
      #expect(isNew == (numbers[key] == nil))
      #expect(number == numbers[key, default: numbers.count])
      numbers[key] = number
      #expect(Array(table.key(number)) == key)
    }
    #expect(table.count == numbers.count)
  }

  @Test func `the place that divides an array is found for every division of every length`() {
    for count in 0...20 {
      for place in 0...count {
        #expect(Array(0..<count).partitionIndex { $0 >= place } == place)
      }
    }
  }
}
