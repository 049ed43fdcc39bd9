import RecordStore
import Testing

@testable import RecordSync

/// Where the streams of two stores with one replica id part, as values.
@Suite struct StreamForkTests {
  private let stream = ReplicaID(7)

  private func chain(_ first: UInt64, _ bytes: [UInt8]) -> StreamFork.Chain {
    StreamFork.Chain(first: first, transactions: bytes.map { .init(bytes: [$0], file: 0, canonical: [$0]) })
  }

  private func branches(_ chains: [StreamFork.Chain]) -> [[UInt8]]? {
    StreamFork(of: chains, stream: stream)?.branches.map { $0.transactions.flatMap(\.bytes) }.sorted { $0[0] < $1[0] }
  }

  @Test func `chains that say the same as far as they reach are no fork`() {
    #expect(branches([chain(1, [1, 2, 3]), chain(1, [1, 2])]) == nil)
    #expect(branches([chain(1, [1, 2, 3]), chain(3, [3, 4])]) == nil)
    #expect(branches([chain(1, [1]), chain(5, [5])]) == nil)
    #expect(branches([]) == nil)
  }

  @Test func `branches begin at the first difference, whatever their lengths`() throws {
    let chains = [chain(1, [1, 2, 3]), chain(2, [2, 4, 5, 6])]
    let fork = try #require(StreamFork(of: chains, stream: stream))
    #expect(fork.lastShared == 2)
    #expect(branches(chains) == [[3], [4, 5, 6]])
    #expect(fork.branches.allSatisfy { $0.first == 3 && $0.replica > stream })
    #expect(StreamFork(of: chains.reversed(), stream: stream)?.branches == fork.branches)
  }

  @Test func `a branch keeps its name when it grows or another fork is found`() throws {
    let two = try #require(StreamFork(of: [chain(1, [1, 2]), chain(1, [1, 3])], stream: stream))
    let grown = [chain(1, [1, 2, 8]), chain(1, [1, 3]), chain(1, [9, 9])]
    let three = try #require(StreamFork(of: grown, stream: stream))
    #expect(Set(two.branches.map(\.replica)).isSubset(of: three.branches.map(\.replica)))
    #expect(three.lastShared == 0)
    #expect(branches(grown)?.map { $0[0] } == [1, 2, 3, 9])
  }
}
