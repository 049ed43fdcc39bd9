import CLMDB

/// Waiting with a time limit: short pauses first, longer ones later.
package struct Patience {
  private static let shortestPauseSeconds = 0.000_02

  private let longestPauseSeconds: Double
  private let deadline: ContinuousClock.Instant
  private var nextPauseSeconds = shortestPauseSeconds

  package init(until deadline: ContinuousClock.Instant, longestPauseSeconds: Double) {
    self.longestPauseSeconds = longestPauseSeconds
    self.deadline = deadline
  }

  /// Sleeps a little; false, at once, when the time is up.
  package mutating func pause() -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    if left <= .zero { return false }
    usleep(UInt32(min(nextPauseSeconds, left / .seconds(1)) * 1_000_000))
    nextPauseSeconds = min(nextPauseSeconds * 2, longestPauseSeconds)
    return true
  }
}
