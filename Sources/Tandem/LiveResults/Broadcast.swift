import Synchronization

/// One sender's values for any number of streams. All of them end with the sender, or with an error that it tells.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var continuations: [Int: AsyncThrowingStream<Value, any Error>.Continuation] = [:]
    var next = 0
  }
  private let state = Mutex(State())

  deinit { for continuation in state.withLock({ $0.continuations.values }) { continuation.finish() } }

  /// The values that are sent from now on. A consumer that is slow loses none.
  var stream: AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream { continuation in
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

  /// Ends the streams that there are; later ones begin anew.
  func end(_ error: any Error) {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish(throwing: error) }
  }
}
