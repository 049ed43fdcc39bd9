import Foundation
import Synchronization

/// Whoever wants to hear of commits, own and foreign. They are called one after another on one queue, each
/// commit at most once; several commits close together may become one call with the newest number.
final class CommitObservers: Sendable {
  private struct State {
    var observers: [UInt64: @Sendable (UInt64) -> Void] = [:]
    var nextToken: UInt64 = 0
    /// The newest number that was told; nil while nobody listens.
    var lastTold: UInt64?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tandem.commits")

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  /// Commits above `number` are told from now on.
  func add(after number: UInt64, _ observer: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextToken += 1
      state.observers[state.nextToken] = observer
      if state.lastTold == nil { state.lastTold = number }
      return state.nextToken
    }
  }

  func remove(_ token: UInt64) {
    state.withLock { state in
      state.observers[token] = nil
      if state.observers.isEmpty { state.lastTold = nil }
    }
  }

  /// Something may have happened: `newest` finds out on the queue how far the store has come.
  func look(_ newest: @escaping @Sendable () -> UInt64?) {
    guard !isEmpty else { return }
    queue.async { [self] in tell(newest()) }
  }

  /// As ``look(_:)``, and the caller waits: a thread that has nothing else to do need not wake another one.
  func lookNow(_ newest: () -> UInt64?) {
    guard !isEmpty else { return }
    queue.sync { tell(newest()) }
  }

  private func tell(_ number: UInt64?) {
    guard let number else { return }
    let told = state.withLock { state -> [@Sendable (UInt64) -> Void] in
      guard let last = state.lastTold, number > last else { return [] }
      state.lastTold = number
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }
    for observer in told { observer(number) }
  }

  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
