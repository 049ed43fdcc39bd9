import Synchronization
import Testing

@testable import RecordSync

struct ReadAheadTests {
  private struct Refused: Error {}

  @Test(arguments: [0, 1, 2, 500]) func `parts come in the order in which they were made`(count: Int) throws {
    var parts: [Int] = []
    try ReadAhead.forEach { (give: (Int) throws -> Void) throws in
      for number in 0..<count { try give(number) }
    } use: {
      parts.append($0)
    }
    #expect(parts == Array(0..<count))
  }

  @Test func `what the maker throws comes behind the parts that it gave`() {
    var parts: [Int] = []
    #expect(throws: Refused.self) {
      try ReadAhead.forEach { (give: (Int) throws -> Void) throws in
        for number in 0..<3 { try give(number) }
        throw Refused()
      } use: {
        parts.append($0)
      }
    }
    #expect(parts == [0, 1, 2])
  }

  @Test func `a maker that makes more than is used ends with the use, and before the call returns`() {
    let state = Mutex((given: 0, hasEnded: false))
    #expect(throws: Refused.self) {
      try ReadAhead.forEach { (give: (Int) throws -> Void) throws in
        defer { state.withLock { $0.hasEnded = true } }
        for number in 0..<1_000 {
          try give(number)
          state.withLock { $0.given += 1 }
        }
      } use: { number in
        if number == 2 { throw Refused() }
      }
    }
    // Besides those that were used, one waits at most.
    #expect(state.withLock { $0.hasEnded && $0.given <= 4 })
  }

  @Test func `a maker that itself reads ahead ends too`() {
    #expect(throws: Refused.self) {
      try ReadAhead.forEach { (give: (Int) throws -> Void) throws in
        try ReadAhead.forEach { (inner: (Int) throws -> Void) throws in
          for number in 0..<100 { try inner(number) }
        } use: {
          try give($0)
        }
      } use: { number in
        if number == 5 { throw Refused() }
      }
    }
  }
}
