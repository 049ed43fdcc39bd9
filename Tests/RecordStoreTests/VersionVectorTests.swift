import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What was seen of which replica.
struct VersionVectorTests {
  private func stamp(_ time: UInt64, of replica: UInt64) -> Stamp {
    Stamp(time: time, counter: 0, replica: ReplicaID(replica))
  }

  /// Sequences by replica; the stamp of each is ten times its sequence.
  private func vector(_ sequences: [UInt64: UInt64]) -> VersionVector {
    VersionVector(
      entries: Dictionary(
        uniqueKeysWithValues: sequences.map {
          (ReplicaID($0.key), .init(sequence: $0.value, stamp: stamp($0.value * 10, of: $0.key)))
        }))
  }

  @Test func `a transaction is covered up to the sequence and the stamp that were seen`() {
    let seen = vector([1: 5])
    for sequence in 1...7 as ClosedRange<UInt64> {
      #expect(seen.covers(Dot(replica: ReplicaID(1), sequence: sequence)) == (sequence <= 5))
      #expect(seen.covers(stamp(sequence * 10, of: 1)) == (sequence <= 5))
    }
    #expect(!seen.covers(Dot(replica: ReplicaID(2), sequence: 1)) && !seen.covers(stamp(1, of: 2)))
    #expect(seen.covers(Stamp.zero) && VersionVector().covers(Stamp.zero))
    #expect(seen.sequence(of: ReplicaID(1)) == 5 && seen.sequence(of: ReplicaID(2)) == 0)
  }

  /// All vectors of three replicas with up to two transactions each.
  @Test func `one vector covers another where it does for each replica`() {
    var all: [[UInt64: UInt64]] = []
    for number in 0..<27 as Range<UInt64> {
      let sequences: [UInt64: UInt64] = [1: number % 3, 2: number / 3 % 3, 3: number / 9]
      all.append(sequences.filter { $0.value > 0 })
    }
    for left in all {
      for right in all {
        let covers = right.allSatisfy { left[$0.key] ?? 0 >= $0.value }
        #expect(vector(left).covers(vector(right)) == covers, "\(left) and \(right)")
      }
    }
  }

  @Test func `the same sequence under another stamp is another stream`() {
    var forked = vector([1: 5])
    forked.entries[ReplicaID(1)]?.stamp = stamp(51, of: 1)
    #expect(!forked.covers(vector([1: 5])) && !vector([1: 5]).covers(forked))
    forked.entries[ReplicaID(1)] = .init(sequence: 6, stamp: stamp(49, of: 1))
    #expect(!forked.covers(vector([1: 5])))
  }

  @Test func `a vector without one replica is told from others without copying`() {
    let whole = vector([1: 5, 2: 3])
    #expect(whole.without(ReplicaID(1)) == vector([2: 3]) && whole.without(ReplicaID(9)) == whole)
    for other in [vector([2: 3]), vector([1: 5, 2: 3]), vector([2: 4]), vector([:]), vector([2: 3, 3: 1])] {
      for replica in [1, 2, 9] as [UInt64] {
        let id = ReplicaID(replica)
        #expect(whole.consists(of: other, and: id) == (whole.without(id) == other), "\(other) and \(replica)")
      }
    }
  }

  @Test func `a vector comes back from its bytes, and is damaged where it ends early`() throws {
    for vector in [vector([:]), vector([7: 1]), vector([1: 127, 2: 128, .max: Dot.greatestSequence])] {
      let bytes = [UInt8](byteCount: vector.encodedByteCount) { $0.write(vector) }
      func read(_ bytes: [UInt8]) throws -> VersionVector {
        try bytes.withRawBytes { bytes throws in
          var reader = ByteReader(bytes, subject: "a vector")
          let vector = try reader.readVersionVector()
          #expect(reader.isAtEnd)
          return vector
        }
      }
      #expect(try read(bytes) == vector)
      for count in bytes.indices {
        let error = #expect(throws: StoreError.self) { try read(Array(bytes[..<count])) }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test func `a sequence that no stream reaches is refused`() throws {
    let vector = vector([1: Dot.greatestSequence + 1])
    let bytes = [UInt8](byteCount: vector.encodedByteCount) { $0.write(vector) }
    let error = #expect(throws: StoreError.self) {
      try bytes.withRawBytes { bytes throws in
        var reader = ByteReader(bytes, subject: "a vector")
        _ = try reader.readVersionVector()
      }
    }
    #expect(error?.code == .damaged)
  }
}
