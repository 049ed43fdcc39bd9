import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Which of two writes of a field wins, and whether a record lives: each rule as a ladder, of which every pair is
/// tried.
struct RecordJoinTests {
  private static let id = RecordID(high: 1, low: 1)
  private static func stamp(_ time: UInt64, _ counter: UInt16 = 0, _ replica: UInt64 = 1) -> Stamp {
    Stamp(time: time, counter: counter, replica: ReplicaID(replica))
  }
  private static func write(_ value: FieldValue, _ stamp: Stamp, isOnce: Bool = false) -> RecordFacts.Register {
    RecordFacts.Register(ordinal: 0, value: value, stamp: stamp, isOnce: isOnce)
  }

  /// From the weakest to the strongest.
  static let ladder: [RecordFacts.Register] = [
    // What a once insert wrote loses to every other write, however early that is.
    write(.int(1), stamp(5), isOnce: true), write(.int(2), stamp(5), isOnce: true),
    write(.int(1), stamp(9), isOnce: true),
    write(.null, .zero),
    // The later time, then the higher counter, then the greater replica.
    write(.int(9), stamp(1)), write(.int(9), stamp(1, 1)), write(.int(9), stamp(1, 1, 2)), write(.int(1), stamp(2)),
    write(.null, stamp(3)),
    // Under equal stamps: null first, then by type, then by the bytes of the value.
    write(.null, stamp(4)), write(.bool(false), stamp(4)), write(.bool(true), stamp(4)), write(.int(0), stamp(4)),
    write(.int(1), stamp(4)),
    // Least significant byte first: 256 is 00 01, before 1, which is 01 00.
    write(.string(""), stamp(6)), write(.string("a"), stamp(6)), write(.string("aa"), stamp(6)),
    write(.string("b"), stamp(6)),
  ]

  @Test func `of two writes of one field the one that stands higher wins, whichever comes first`() {
    for (low, weaker) in Self.ladder.enumerated() {
      for (high, stronger) in Self.ladder.enumerated() {
        #expect(stronger.beats(weaker) == (high > low), "\(stronger) over \(weaker)")
        let winner = high > low ? stronger : weaker
        for (first, second) in [(weaker, stronger), (stronger, weaker)] {
          var facts = facts([first])
          facts.join(self.facts([second]))
          #expect(facts.registers == [winner], "\(first) then \(second)")
        }
      }
    }
  }

  private func facts(_ registers: [RecordFacts.Register]) -> RecordFacts {
    let inserts = registers.contains(where: \.isOnce) ? [RecordFacts.OnceInsert(keyHash: 1, stamp: Self.stamp(5))] : []
    return RecordFacts(entity: 1, id: Self.id, onceInserts: inserts, registers: registers)
  }

  @Test func `numbers under equal stamps are ordered by their bytes, least significant first`() {
    let pairs: [(Int64, Int64)] = [(256, 1), (1, 2), (0, 1), (0, -1), (1, -1)]
    for (left, right) in pairs {
      #expect(FieldValue.isOrderedByBytes(.int(left), before: .int(right)))
      #expect(!FieldValue.isOrderedByBytes(.int(right), before: .int(left)))
    }
    for value in FieldType.allCases.flatMap({ ValueLadder.of($0).values.map(\.value) }) {
      #expect(!FieldValue.isOrderedByBytes(value, before: value), "\(value) is not before itself")
    }
  }

  /// So that devices whose schemas give one field two types agree.
  @Test func `values of two types are ordered by type, null first`() {
    let types = FieldType.allCases.sorted { $0.rawValue < $1.rawValue }
    for (low, lower) in types.enumerated() {
      for upper in types[(low + 1)...] {
        for left in ValueLadder.of(lower).values.map(\.value) where left != .null {
          for right in ValueLadder.of(upper).values.map(\.value) where right != .null {
            #expect(FieldValue.isOrderedByBytes(left, before: right), "\(left) before \(right)")
            #expect(!FieldValue.isOrderedByBytes(right, before: left))
          }
          #expect(FieldValue.isOrderedByBytes(.null, before: left) && !FieldValue.isOrderedByBytes(left, before: .null))
        }
      }
    }
  }

  // MARK: Lists of registers

  /// Ordinals of two lists and of their join.
  static let lists: [(left: [Int], right: [Int])] = [
    ([], []), ([], [3]), ([3], []), ([1, 3], [2]), ([2], [1, 3]), ([1, 2, 3], [1, 2, 3]), ([1, 5], [2, 3, 4]),
    ([4, 5], [1, 2]),
    ([0, 2, 4, 6], [1, 2, 5, 6, 7]),
  ]

  @Test(arguments: lists) func `joined lists have each field once, in order`(left: [Int], right: [Int]) {
    func facts(_ ordinals: [Int], _ time: UInt64) -> RecordFacts {
      RecordFacts(
        entity: 1, id: Self.id,
        registers: ordinals.map { .init(ordinal: $0, value: .int(Int64(time)), stamp: Self.stamp(time)) })
    }
    for (first, second) in [(left, right), (right, left)] {
      var joined = facts(first, 1)
      joined.join(facts(second, 2))
      #expect(joined.registers.map(\.ordinal) == Set(left + right).sorted())
      #expect(joined.isSound)
      for register in joined.registers {
        #expect(register.value == .int(second.contains(register.ordinal) ? 2 : 1), "the later one of each")
      }
    }
  }

  @Test func `a field is found by its ordinal, wherever it stands`() {
    for ordinals in [[], [0], [0, 1, 2], [3], [1, 4, 9], [0, 2, 3, 7]] {
      let facts = RecordFacts(
        entity: 1, id: Self.id,
        registers: ordinals.map { .init(ordinal: $0, value: .int(Int64($0)), stamp: Self.stamp(1)) })
      for ordinal in 0...10 {
        let found = facts.register(at: ordinal)
        #expect((found?.value == .int(Int64(ordinal))) == ordinals.contains(ordinal))
        var changed = facts
        changed.set(.int(-1), at: ordinal, stamp: Self.stamp(2))
        #expect(changed.registers.map(\.ordinal) == Set(ordinals + [ordinal]).sorted())
        #expect(changed.register(at: ordinal)?.value == .int(-1) && changed.isSound)
      }
    }
  }

  // MARK: Life

  /// What a delete must surpass: the greatest touch, or the first run of the last of the keys that inserted the record.
  static let lives: [(touch: UInt64?, runs: [UInt64], life: UInt64?)] = [
    (nil, [], nil), (3, [], 3), (nil, [2], 2), (nil, [2, 5], 5), (3, [2], 3), (3, [5], 5), (7, [2, 5], 7),
  ]

  @Test(arguments: lives) func `a record lives from its last touch or the key that inserted it`(
    touch: UInt64?, runs: [UInt64], life: UInt64?
  ) {
    let inserts = runs.enumerated().map {
      RecordFacts.OnceInsert(keyHash: UInt64($0.offset), stamp: Self.stamp($0.element))
    }
    let facts = RecordFacts(entity: 1, id: Self.id, touch: touch.map { Self.stamp($0) }, onceInserts: inserts)
    #expect(facts.life == life.map { Self.stamp($0) })
  }

  /// A key gives life at its first run: a later run of it brings no record back.
  @Test func `of one key the first run counts, and keys stand by their hashes`() {
    func inserts(_ runs: [(UInt64, UInt64)]) -> RecordFacts {
      RecordFacts(entity: 1, id: Self.id, onceInserts: runs.map { .init(keyHash: $0.0, stamp: Self.stamp($0.1)) })
    }
    let cases: [(left: [(UInt64, UInt64)], right: [(UInt64, UInt64)], joined: [(UInt64, UInt64)])] = [
      ([(1, 5)], [(1, 3)], [(1, 3)]), ([(1, 5)], [(2, 3)], [(1, 5), (2, 3)]), ([(2, 3)], [(1, 5)], [(1, 5), (2, 3)]),
      ([(1, 5), (3, 5)], [(2, 1), (3, 1)], [(1, 5), (2, 1), (3, 1)]), ([], [(1, 1)], [(1, 1)]),
      ([(1, 1)], [], [(1, 1)]),
    ]
    for (left, right, joined) in cases {
      for (first, second) in [(left, right), (right, left)] {
        var facts = inserts(first)
        facts.join(inserts(second))
        #expect(facts == inserts(joined) && facts.isSound)
      }
    }
  }

  static let greatest: [(left: UInt64?, right: UInt64?, joined: UInt64?)] = [
    (nil, nil, nil), (1, nil, 1), (nil, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 2),
  ]

  @Test(arguments: greatest) func `of touches and of deletes the greatest counts, and an insert is one for ever`(
    left: UInt64?, right: UInt64?, joined: UInt64?
  ) {
    func facts(_ time: UInt64?, isInserted: Bool) -> RecordFacts {
      let stamp = time.map { Self.stamp($0) }
      return RecordFacts(entity: 1, id: Self.id, isInserted: isInserted, touch: stamp, deleted: stamp)
    }
    for (first, second) in [(false, false), (true, false), (false, true), (true, true)] {
      var all = facts(left, isInserted: first)
      all.join(facts(right, isInserted: second))
      #expect(all == facts(joined, isInserted: first || second))
    }
  }

  /// Facts that no store could have written.
  @Test func `facts that fall or repeat are not sound`() {
    let one = Self.write(.int(1), Self.stamp(1))
    let two = RecordFacts.Register(ordinal: 1, value: .int(1), stamp: Self.stamp(1))
    #expect(facts([one, two]).isSound && facts([]).isSound)
    #expect(!facts([two, one]).isSound && !facts([one, one]).isSound)
    var orphan = facts([Self.write(.int(1), Self.stamp(1), isOnce: true)])
    #expect(orphan.isSound)
    orphan.onceInserts = []
    #expect(!orphan.isSound, "no once key inserted what a once key wrote")
    orphan.onceInserts = [.init(keyHash: 2, stamp: Self.stamp(1)), .init(keyHash: 1, stamp: Self.stamp(1))]
    #expect(!orphan.isSound)
    orphan.onceInserts = [.init(keyHash: 1, stamp: Self.stamp(1)), .init(keyHash: 1, stamp: Self.stamp(2))]
    #expect(!orphan.isSound)
  }
}
