import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Intervals of keys, tried on every key of up to three of the bytes at which carrying happens.
struct KeyRangeTests {
  private static let keys: [[UInt8]] = {
    let bytes: [UInt8] = [0, 1, 0xFE, 0xFF]
    let one = bytes.map { [$0] }
    let two = one.flatMap { first in bytes.map { first + [$0] } }
    return [[]] + one + two + two.flatMap { first in bytes.map { first + [$0] } }
  }()

  private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

  @Test func `a successor lies above all keys with the prefix and not above any other greater key`() {
    for prefix in Self.keys {
      guard let successor = prefix.successor else {
        #expect(prefix.allSatisfy { $0 == 0xFF })
        continue
      }
      for key in Self.keys {
        let isAbove = precedes(prefix, key) && !key.starts(with: prefix)
        #expect(!precedes(key, successor) == isAbove, "\(key) beside \(prefix)")
      }
    }
  }

  @Test func `the range of a prefix holds the keys that begin with it`() {
    for prefix in Self.keys {
      let range = KeyRange(prefix: prefix)
      #expect(!range.isEmpty)
      for key in Self.keys { #expect(key.withRawBytes { range.contains($0) } == key.starts(with: prefix)) }
    }
  }

  @Test func `a range that is narrowed holds what both bounds let in`() {
    var generator = SeededGenerator.announced("KeyRange")
    for _ in 0..<500 {
      var range = KeyRange(lower: [], upper: nil)
      var (lowers, uppers): ([[UInt8]], [[UInt8]]) = ([], [])
      for _ in 0..<3 {
        let bound = generator.pick(Self.keys)
        if Bool.random(using: &generator) {
          range.raiseLower(to: bound)
          lowers.append(bound)
        } else {
          range.lowerUpper(to: bound)
          uppers.append(bound)
        }
        range.lowerUpper(to: nil)
      }
      var count = 0
      for key in Self.keys {
        let isInside = lowers.allSatisfy { !precedes(key, $0) } && uppers.allSatisfy { precedes(key, $0) }
        #expect(key.withRawBytes { range.contains($0) } == isInside)
        if isInside { count += 1 }
      }
      if range.isEmpty { #expect(count == 0) }
    }
    #expect(KeyRange(lower: [1], upper: [1]).isEmpty && KeyRange(lower: [2], upper: [1]).isEmpty)
    #expect(!KeyRange(lower: [1], upper: [1, 0]).isEmpty)
  }
}
