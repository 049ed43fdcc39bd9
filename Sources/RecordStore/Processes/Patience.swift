import Foundation

/// Waiting with a time limit: short pauses first, longer ones later.
struct Patience {
  private static let shortestPauseSeconds = 0.000_02
  private static let longestPauseSeconds = 0.005

  private let deadline: ContinuousClock.Instant
  private var nextPauseSeconds = shortestPauseSeconds

  init(timeoutSeconds: Double) {
    deadline = ContinuousClock.now + .seconds(timeoutSeconds)
  }

  /// Sleeps a little; false, at once, when the time is up.
  mutating func pause() -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    if left <= .zero { return false }
    Thread.sleep(forTimeInterval: min(nextPauseSeconds, left / .seconds(1)))
    nextPauseSeconds = min(nextPauseSeconds * 2, Self.longestPauseSeconds)
    return true
  }
}
