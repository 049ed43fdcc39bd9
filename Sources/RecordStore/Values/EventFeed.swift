import Synchronization

/// Passes events on to all that listen. Safe to use from any thread.
package final class EventFeed<Event: Sendable>: Sendable {
  /// So many events wait for a slow listener; then the oldest of them go.
  package static var bufferedCount: Int { 1000 }

  private struct Listener: Sendable {
    let receive: @Sendable (Event) -> Void
    let finish: @Sendable () -> Void
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
    var isEnded = false
  }

  private let state = Mutex(State())
  private let isHeard = Atomic(false)

  package init() {}

  /// Whether anybody listens. Costs one load, so that what nobody hears need not be made.
  package var hasListeners: Bool { isHeard.load(ordering: .relaxed) }

  deinit { end() }

  package func stream() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
    let number = add(Listener(receive: { continuation.yield($0) }, finish: { continuation.finish() }))
    guard let number else {
      continuation.finish()
      return stream
    }
    // Weak: a listener does not keep the feed, whose end is its own end.
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  /// Runs `body` while `receive` gets every event, in order, on the thread that sends it.
  package func listening<Result>(
    _ receive: @escaping @Sendable (Event) -> Void, isolation: isolated (any Actor)? = #isolation,
    while body: () async throws -> Result
  ) async rethrows -> Result {
    let number = add(Listener(receive: receive, finish: {}))
    defer { if let number { remove(number) } }
    return try await body()
  }

  /// Calls `receive` with every event, in order, on the thread that sends it, until the observation ends.
  package func observe(_ receive: @escaping @Sendable (Event) -> Void) -> EventObservation {
    let number = add(Listener(receive: receive, finish: {}))
    return EventObservation { [weak self] in if let number { self?.remove(number) } }
  }

  /// Nil once the feed has ended.
  private func add(_ listener: Listener) -> UInt64? {
    state.withLock { state in
      guard !state.isEnded else { return nil }
      state.next += 1
      state.listeners[state.next] = listener
      isHeard.store(true, ordering: .relaxed)
      return state.next
    }
  }

  private func remove(_ number: UInt64) {
    state.withLock { state in
      state.listeners[number] = nil
      isHeard.store(!state.listeners.isEmpty, ordering: .relaxed)
    }
  }

  /// Makes the event only where somebody listens.
  package func send(_ event: @autoclosure () -> Event) {
    guard hasListeners else { return }
    let event = event()
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.receive(event) }
  }

  /// Every listener gets what it has not read yet, and then the end.
  package func end() {
    let listeners = state.withLock { state in
      defer { state.listeners.removeAll() }
      state.isEnded = true
      isHeard.store(false, ordering: .relaxed)
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
