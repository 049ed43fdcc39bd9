/// Decides when a commit begins: at once, or when the threads that wrote a moment ago have come back.
///
/// Threads that save in loops fall apart otherwise. The first to come back writes alone, the others wait for its flush
/// and then write together: two flushes where one would do. So a commit that others waited for, or that several
/// shared, is followed by one that waits for as many writes as there were callers. It waits at most half as long as
/// the last commit took, or was waited for, and no longer than a millisecond. A wait in vain is not repeated for
/// sixteen commits, so that callers that do not come back cost the others next to nothing.
///
/// Times are nanoseconds of one clock that never goes back; the caller reads it.
struct WriteGathering {
  /// A commit that takes less is over before the threads that it wakes run.
  static let shortestCommit: UInt64 = 100_000
  static let longestWait: UInt64 = 1_000_000
  static let commitsWithoutWait = 16

  /// How many writes the next commit waits for; none and one are no group.
  private var expected = 0
  private var deadline: UInt64 = 0
  private var commitsUntilNextWait = 0

  /// Whether a commit may have to wait, whatever the time.
  var isExpecting: Bool { expected > 1 }

  /// Until when a commit of `count` writes waits for others; nil if it begins now.
  func waits(with count: Int, at now: UInt64) -> UInt64? {
    isExpecting && count < expected && now < deadline ? deadline : nil
  }

  /// A commit of `count` writes begins.
  mutating func begin(with count: Int) {
    if count < expected { commitsUntilNextWait = Self.commitsWithoutWait }
    expected = 0
  }

  /// A commit of `count` writes ends, and `waiting` others came meanwhile. `began`: when it began, or the first of them
  /// came.
  mutating func end(with count: Int, waiting: Int, began: UInt64, at now: UInt64) {
    guard count + waiting > 1, now - began >= Self.shortestCommit else { return }
    guard commitsUntilNextWait == 0 else {
      commitsUntilNextWait -= 1
      return
    }
    expected = count + waiting
    deadline = now + min((now - began) / 2, Self.longestWait)
  }
}
