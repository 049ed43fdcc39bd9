import Synchronization

/// Keeps an observer of events listening, until ``end()`` is called or the last reference to the observation goes.
///
/// Safe to use from any thread.
public final class EventObservation: Sendable {
  private let stop: @Sendable () -> Void
  private let isOver = Atomic(false)

  package init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

  deinit { end() }

  /// Ends the observation. A call that is being made on another thread goes on; none begins afterwards on this thread.
  /// May be called more than once.
  public func end() {
    if !isOver.exchange(true, ordering: .relaxed) { stop() }
  }
}
