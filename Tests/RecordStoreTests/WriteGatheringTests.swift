import Testing

@testable import RecordStore

/// When a commit waits for threads that wrote a moment ago.
struct WriteGatheringTests {
  private static let commit = 4 * WriteGathering.shortestCommit

  /// After a commit that ended at 1,000,000 ns.
  private func gathering(
    after count: Int, waiting: Int, took nanoseconds: UInt64 = commit
  ) -> WriteGathering {
    var gathering = WriteGathering()
    gathering.begin(with: count)
    gathering.end(with: count, waiting: waiting, began: 1_000_000 - nanoseconds, at: 1_000_000)
    return gathering
  }

  @Test func `a thread that writes alone is never kept waiting`() {
    #expect(WriteGathering().waits(with: 1, at: 0) == nil)
    #expect(gathering(after: 1, waiting: 0).waits(with: 1, at: 1_000_001) == nil)
  }

  @Test(arguments: [(1, 7), (7, 1), (8, 0), (1, 1)])
  func `a commit waits for all that took part in the last one or waited for it`(count: Int, waiting: Int) {
    let gathering = gathering(after: count, waiting: waiting)
    for present in 1..<(count + waiting) {
      #expect(gathering.waits(with: present, at: 1_000_001) == 1_000_000 + Self.commit / 2)
    }
    #expect(gathering.waits(with: count + waiting, at: 1_000_001) == nil)
  }

  @Test(arguments: [
    (WriteGathering.shortestCommit, WriteGathering.shortestCommit / 2),
    (100 * WriteGathering.longestWait, WriteGathering.longestWait),
  ])
  func `it waits half as long as the last commit took, and no longer than the bound`(took: UInt64, wait: UInt64) {
    var gathering = WriteGathering()
    gathering.begin(with: 2)
    gathering.end(with: 2, waiting: 0, began: 5, at: 5 + took)
    #expect(gathering.waits(with: 1, at: 5 + took + wait - 1) == 5 + took + wait)
    #expect(gathering.waits(with: 1, at: 5 + took + wait) == nil)
  }

  @Test func `a commit that is over before threads wake is not waited after`() {
    let gathering = gathering(after: 4, waiting: 4, took: WriteGathering.shortestCommit - 1)
    #expect(gathering.waits(with: 1, at: 1_000_000) == nil)
  }

  @Test func `a wait in vain is not repeated for sixteen commits`() {
    var gathering = gathering(after: 1, waiting: 1)
    gathering.begin(with: 1)
    for commit in 1...UInt64(WriteGathering.commitsWithoutWait) {
      gathering.end(with: 1, waiting: 1, began: 0, at: commit * Self.commit)
      #expect(gathering.waits(with: 1, at: commit * Self.commit) == nil)
      gathering.begin(with: 1)
    }
    gathering.end(with: 1, waiting: 1, began: 0, at: 100 * Self.commit)
    #expect(gathering.waits(with: 1, at: 100 * Self.commit) != nil)
  }

  @Test func `callers that all come back keep waiting for each other`() {
    var gathering = gathering(after: 1, waiting: 7)
    for commit in 1...UInt64(100) {
      gathering.begin(with: 8)
      gathering.end(with: 8, waiting: 0, began: commit * Self.commit, at: (commit + 1) * Self.commit)
      #expect(gathering.waits(with: 7, at: (commit + 1) * Self.commit) != nil)
    }
  }
}
