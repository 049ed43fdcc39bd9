import Synchronization

/// Says when the next run of a watch is due. Safe to use from any thread.
///
/// The earliest of several wishes counts, but none before the wait that a failure or the last run has set.
final class WatchTimer: Sendable {
  private struct State {
    var due: ContinuousClock.Instant?
    var earliest: ContinuousClock.Instant?
    var alarm: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let rings: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init() { (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  deinit { stop() }

  /// One element for each run that is due; ends when the consuming task is cancelled.
  var runs: AsyncStream<Void> { rings }

  /// A run is due within so long.
  func ring(within delay: Duration) {
    state.withLock { state in
      let wish = ContinuousClock.now + delay
      let due = max(wish, state.earliest ?? wish)
      if let known = state.due, known <= due { return }
      state.alarm?.cancel()
      state.due = due
      state.alarm = Task { [bell] in
        // Cancelled where another alarm has taken its place.
        do { try await ContinuousClock().sleep(until: due) } catch { return }
        bell.yield()
      }
    }
  }

  /// A run begins: what is wished from here on is for the next one, which does not begin before `rest` is over.
  func begin(rest: Duration) {
    state.withLock { state in
      state.alarm?.cancel()
      (state.due, state.alarm) = (nil, nil)
      state.earliest = rest > .zero ? ContinuousClock.now + rest : nil
    }
  }

  /// Lets no run begin before so long, whatever asks for it.
  func hold(for delay: Duration) {
    state.withLock { state in
      state.alarm?.cancel()
      (state.due, state.alarm) = (nil, nil)
      let end = ContinuousClock.now + delay
      state.earliest = max(end, state.earliest ?? end)
    }
    ring(within: delay)
  }

  func stop() {
    state.withLock { $0.alarm?.cancel() }
    bell.finish()
  }
}
