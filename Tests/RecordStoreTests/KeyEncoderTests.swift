import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct KeyEncoderTests {
  @Test(arguments: FieldType.allCases)
  func `all pairs of edge values sort by their keys as by Swift`(type: FieldType) {
    let values = [.null] + RandomValues.edges(of: type)
    for left in values {
      for right in values { expectSameOrder(left, right, type) }
    }
  }

  @Test(arguments: FieldType.allCases)
  func `random values sort by their keys as by Swift`(type: FieldType) {
    var generator = SeededGenerator.announced("random keys of \(type)")
    for _ in 0..<4_000 {
      let left = RandomValues.value(of: type, using: &generator)
      let right = RandomValues.value(of: type, using: &generator)
      expectSameOrder(left, right, type)
    }
  }

  private func expectSameOrder(_ left: FieldValue, _ right: FieldValue, _ type: FieldType) {
    let order = left.swiftOrder(right)
    #expect(compare(key(left), key(right)) == order, "\(left) and \(right)")
    #expect(compare(key(left, isDescending: true), key(right, isDescending: true)) == -order, "\(left), \(right)")
    if order == 0 { #expect(key(left) == key(right)) }
  }

  @Test(arguments: FieldType.allCases)
  func `a payload has the key of its value`(type: FieldType) {
    for value in RandomValues.edges(of: type) {
      var encoder = KeyEncoder()
      value.encodedBytes.withRawBytes { encoder.append(encoded: $0, type: type) }
      #expect(encoder.bytes == key(value), "\(value)")
    }
  }

  @Test func `compound keys sort by their components in turn`() {
    var generator = SeededGenerator.announced()
    let types: [FieldType] = [.string, .data, .decimal, .int, .double, .bool]
    for _ in 0..<4_000 {
      let first = generator.pick(types)
      let second = generator.pick(types)
      let isDescending = Bool.random(using: &generator)
      func pair() -> [FieldValue] {
        [first, second].map { generator.oneIn(5) ? .null : RandomValues.value(of: $0, using: &generator) }
      }
      let (left, right) = (pair(), pair())
      let firstOrder = left[0].swiftOrder(right[0]) * (isDescending ? -1 : 1)
      let expected = firstOrder != 0 ? firstOrder : left[1].swiftOrder(right[1])
      let keys = [left, right].map { key($0[0], isDescending: isDescending) + key($0[1]) }
      #expect(compare(keys[0], keys[1]) == expected, "\(left) \(right)")
    }
  }

  @Test func `texts that the plain test lets through are in NFC already, in any company`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<20_000 {
      let text = RandomValues.string(using: &generator)
      let other = RandomValues.string(using: &generator)
      #expect((text == other) == (key(.string(text)) == key(.string(other))), "\(text) \(other)")
    }
  }

  @Test func `a long key is cut and completed, and stays equal to itself alone`() {
    let long = String(repeating: "x", count: 600)
    let keys = [long, long + "a", String(long.dropLast()), long].map { text in
      var encoder = KeyEncoder()
      encoder.append(.string(text))
      encoder.cut(to: .ownTree)
      return encoder.bytes
    }
    #expect(keys.allSatisfy { $0.count == IndexKeyLimit.ownTree.componentByteCount })
    #expect(keys[0] == keys[3])
    #expect(Set(keys).count == 3)
    let exact = IndexKeyLimit.ownTree.exactByteCount
    #expect(keys.allSatisfy { $0.prefix(exact) == keys[0].prefix(exact) })
  }
}

func key(_ value: FieldValue, isDescending: Bool = false) -> [UInt8] {
  var encoder = KeyEncoder()
  encoder.append(value, isDescending: isDescending)
  return encoder.bytes
}

/// -1, 0 or 1, as LMDB compares keys.
func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
  left.withRawBytes { left in right.withRawBytes { left.compare($0).signum() } }
}
