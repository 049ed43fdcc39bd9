import Foundation
import Synchronization

/// The observers of commits, own and foreign. They are called one after another on one queue, each
/// commit at most once; several commits close together may become one call with the newest number.
final class CommitObservers: Sendable {
  /// How far a store has come.
  struct Progress: Hashable {
    /// The number of the newest transaction.
    var number: UInt64
    /// The generation of the catalogue: a migration that rewrites no record is no transaction of history.
    var generation: UInt64
  }

  private struct State {
    var observers: [UInt64: @Sendable (UInt64) -> Void] = [:]
    var nextToken: UInt64 = 0
    /// The progress that was told last; nil while nobody listens.
    var lastTold: Progress?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tandem.commits")

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  /// Commits after `known` are told from now on.
  func add(after known: Progress, _ observer: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextToken += 1
      state.observers[state.nextToken] = observer
      if state.lastTold == nil { state.lastTold = known }
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
  func look(_ newest: @escaping @Sendable () -> Progress?) {
    guard !isEmpty else { return }
    queue.async { [self] in tell(newest()) }
  }

  /// As ``look(_:)``, and the caller waits: a thread that has nothing else to do need not wake another one.
  func lookNow(_ newest: () -> Progress?) {
    guard !isEmpty else { return }
    queue.sync { tell(newest()) }
  }

  private func tell(_ newest: Progress?) {
    guard let newest else { return }
    let told = state.withLock { state -> [@Sendable (UInt64) -> Void] in
      guard let last = state.lastTold, newest.number > last.number || newest.generation != last.generation else {
        return []
      }
      state.lastTold = newest
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }
    for observer in told { observer(newest.number) }
  }

  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
