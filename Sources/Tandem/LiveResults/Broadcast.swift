import Synchronization

/// One sender's values for any number of streams. All of them end with the sender.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  deinit { for continuation in state.withLock({ $0.continuations.values }) { continuation.finish() } }

  /// The values that are sent from now on. A consumer that is slow loses none.
  var stream: AsyncStream<Value> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.continuations[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
      }
    }
  }

  func send(_ value: Value) {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(value) }
  }
}
