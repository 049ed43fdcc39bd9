import AppStorePurchases
import Foundation
import Synchronization

/// Waits for work, but not longer than it may take.
enum TimeLimit {
  /// Does as many pieces of work as `count` says, and tells of each what it threw, or `StoreKitError.networkError` with
  /// a time-out where it took longer. Work is cancelled then, and left alone if it does not heed that.
  ///
  /// One after another, under one timer. After a piece that took longer than `limit` those that are left are begun at
  /// once, so that all of them take no more than one limit in addition.
  static func each(
    _ count: Int, _ limit: Duration, _ work: @escaping @Sendable (Int) async throws -> Void
  ) async -> [(any Error)?] {
    var outcomes = await inTurn(count, limit, work)
    let first = outcomes.count
    outcomes += Array(repeating: nil, count: count - first)
    await withTaskGroup(of: (Int, (any Error)?).self) { group in
      for index in first..<count {
        group.addTask { (index, await inTurn(1, limit) { _ in try await work(index) }[0]) }
      }
      for await (index, outcome) in group { outcomes[index] = outcome }
    }
    return outcomes
  }

  /// The outcomes of pieces of work, one after another; the last one that is returned may be a time-out.
  private static func inTurn(
    _ count: Int, _ limit: Duration, _ work: @escaping @Sendable (Int) async throws -> Void
  ) async -> [(any Error)?] {
    let round = Round(of: count)
    let (ends, end) = AsyncStream<Void>.makeStream()
    let worker = Task {
      defer { end.finish() }
      for index in 0..<count {
        let outcome: (any Error)?
        do {
          try await work(index)
          outcome = nil
        } catch {
          outcome = error
        }
        guard round.goesOn(after: outcome) else { return }
      }
    }
    let timer = Task {
      while !round.isOver(limit) { try await Task.sleep(until: round.begun + limit) }
      worker.cancel()
      end.finish()
    }
    for await _ in ends {}
    timer.cancel()
    return round.outcomes
  }

  /// What became of pieces of work until now, and when the one that is under way was begun.
  private final class Round: Sendable {
    private struct State {
      var outcomes: [(any Error)?] = []
      var begun = ContinuousClock.now
      var isOver = false
    }

    private let count: Int
    private let state = Mutex(State())

    init(of count: Int) { self.count = count }

    var begun: ContinuousClock.Instant { state.withLock { $0.begun } }
    var outcomes: [(any Error)?] { state.withLock { $0.outcomes } }

    /// False for a piece whose time was up: its outcome was told already.
    func goesOn(after outcome: (any Error)?) -> Bool {
      state.withLock { state in
        guard !state.isOver else { return false }
        state.outcomes.append(outcome)
        state.begun = .now
        return true
      }
    }

    /// Whether the time of the piece under way is up, which is its outcome then, or all are done.
    func isOver(_ limit: Duration) -> Bool {
      state.withLock { state in
        guard state.outcomes.count < count else { return true }
        guard state.begun.duration(to: .now) >= limit else { return false }
        state.outcomes.append(StoreKitError.networkError(URLError(.timedOut)))
        state.isOver = true
        return true
      }
    }
  }
}
