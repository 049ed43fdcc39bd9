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
    /// How many commits have noted that awaited large values have come; 0 while nobody listens to that.
    var arrivals: UInt64 = 0
  }

  /// The commits of which an observer hears.
  enum Subject { case transactions, arrivals }

  private struct Observer {
    var subject: Subject
    var hear: @Sendable (UInt64) -> Void
  }

  private struct State {
    var observers: [UInt64: Observer] = [:]
    var nextToken: UInt64 = 0
    /// The progress that was told last; nil while nobody listens.
    var lastTold: Progress?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tandem.commits")

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }
  /// Whether somebody listens to arrivals.
  var hearsOfArrivals: Bool { state.withLock { $0.observers.values.contains { $0.subject == .arrivals } } }

  /// Commits after `known` are told from now on.
  func add(
    _ subject: Subject = .transactions, after known: Progress, _ observer: @escaping @Sendable (UInt64) -> Void
  ) -> UInt64 {
    state.withLock { state in
      state.nextToken += 1
      state.observers[state.nextToken] = Observer(subject: subject, hear: observer)
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
    let told = state.withLock { state -> [Observer] in
      guard var last = state.lastTold else { return [] }
      let hasTransactions = newest.number > last.number || newest.generation != last.generation
      let hasArrivals = newest.arrivals > last.arrivals
      guard hasTransactions || hasArrivals else { return [] }
      if hasTransactions { (last.number, last.generation) = (newest.number, newest.generation) }
      if hasArrivals { last.arrivals = newest.arrivals }
      state.lastTold = last
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
        .filter { $0.subject == .arrivals ? hasArrivals : hasTransactions }
    }
    for observer in told { observer.hear(newest.number) }
  }

  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
