import Synchronization

/// Says when the next run of a watch is due. Safe to use from any thread.
///
/// The earliest of several wishes counts, but none before the wait that a failure or the last run has set.
final class WatchTimer: Sendable {
  fileprivate struct State {
    var due: ContinuousClock.Instant?
    var earliest: ContinuousClock.Instant?
    var alarm: Task<Void, Never>?
    /// The wish for which the bell rings: one that was taken back may have rung it just before.
    var wish: UInt64 = 0
    /// Whether the bell has rung for that wish.
    var isDue = false
  }

  private let state = Mutex(State())
  private let rings: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init() { (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  deinit { stop() }

  /// An element for each run that is due, as ``begin(rest:)`` says; ends when the consuming task is cancelled.
  var runs: AsyncStream<Void> { rings }

  /// A run is due within so long.
  func ring(within delay: Duration) {
    state.withLock { state in
      let wish = ContinuousClock.now + delay
      let due = max(wish, state.earliest ?? wish)
      if let known = state.due, known <= due { return }
      state.takeBack()
      state.due = due
      state.alarm = Task { [weak self, wish = state.wish] in
        // Cancelled where another alarm has taken its place.
        do { try await ContinuousClock().sleep(until: due) } catch { return }
        self?.ringBell(for: wish)
      }
    }
  }

  private func ringBell(for wish: UInt64) {
    let isDue = state.withLock { state in
      if state.wish == wish { state.isDue = true }
      return state.wish == wish
    }
    if isDue { bell.yield() }
  }

  /// A run begins: what is wished from here on is for the next one, which does not begin before `rest` is over. False
  /// if none is due any more, since the bell rang before a wait was set.
  func begin(rest: Duration) -> Bool {
    state.withLock { state in
      guard state.isDue else { return false }
      state.takeBack()
      state.earliest = rest > .zero ? ContinuousClock.now + rest : nil
      return true
    }
  }

  /// Lets no run begin before so long, whatever asks for it.
  func hold(for delay: Duration) {
    state.withLock { state in
      state.takeBack()
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

extension WatchTimer.State {
  fileprivate mutating func takeBack() {
    alarm?.cancel()
    (due, alarm, isDue) = (nil, nil, false)
    wish += 1
  }
}
