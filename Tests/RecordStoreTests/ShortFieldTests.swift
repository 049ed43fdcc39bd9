import LMDB
import RecordStore
import TestSupport
import Testing

struct ShortFieldTests {
  @Test func `short fields are equal just where their bytes are`() throws {
    var generator = SeededGenerator.announced()
    var fields: [[UInt8]] = [[]]
    // Of two letters, so that many are equal and many differ in one place.
    for count in 1...16 {
      for _ in 0..<12 { fields.append((0..<count).map { _ in UInt8.random(in: 65...66, using: &generator) }) }
    }
    for left in fields {
      for right in fields {
        let isEqual = try left.withRawBytes { left throws in
          try right.withRawBytes { right throws in
            try #require(ShortField(left)) == #require(ShortField(right))
          }
        }
        #expect(isEqual == (left == right), "\(left) and \(right)")
      }
    }
  }

  @Test func `a field of more than 16 bytes is none`() {
    #expect([UInt8](repeating: 65, count: 17).withRawBytes { ShortField($0) == nil })
  }
}
