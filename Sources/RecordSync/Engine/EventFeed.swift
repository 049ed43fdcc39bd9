import Synchronization

/// Passes a synchronisation's events on to whoever listens. Safe to use from any thread.
final class EventFeed: Sendable {
  /// So many events wait for a slow listener; then the oldest of them go.
  static let bufferedCount = 1000

  private struct State {
    var listeners: [UInt64: AsyncStream<SyncEvent>.Continuation] = [:]
    var next: UInt64 = 0
    var isEnded = false
  }

  private let state = Mutex(State())

  deinit { end() }

  func stream() -> AsyncStream<SyncEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SyncEvent.self, bufferingPolicy: .bufferingNewest(EventFeed.bufferedCount))
    let number = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    // Weak: a listener does not keep the feed, whose end is its own end.
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[number] = nil }
    }
    return stream
  }

  func send(_ event: SyncEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  /// Every listener gets what it has not read yet, and then the end.
  func end() {
    let listeners = state.withLock { state in
      defer { state.listeners.removeAll() }
      state.isEnded = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
