import LMDB
import Synchronization

// The events of commits, where somebody listens.
extension StoreCore {
  /// Called by the thread that wrote, before its callers go on: what they do next is told after this.
  func tell(_ outcomes: [(any Error)?], since began: ContinuousClock.Instant) {
    let saves = outcomes.count { $0 == nil }
    guard saves > 0 else { return }
    let seconds = began.duration(to: .now) / .seconds(1)
    StoreEvents.send(.saved(store: path, StoreCommit(saves: saves, seconds: seconds, gauge: gaugeWhenDue())))
  }

  /// Nil where the last measurement is fresh, and where the environment can tell nothing any more.
  private func gaugeWhenDue() -> StoreGauge? {
    let isDue = lastGauge.withLock { last in
      let now = ContinuousClock.now
      if let last, last.duration(to: now) < .seconds(1) { return false }
      last = now
      return true
    }
    guard isDue else { return nil }
    do {
      let information = try environment.information()
      return StoreGauge(
        readers: information.activeReaders, maximumReaders: information.maximumReaders,
        mapBytes: information.mapSizeBytes, usedBytes: information.usedBytes)
    } catch {
      // The commit counts whatever its figures are.
      return nil
    }
  }
}
