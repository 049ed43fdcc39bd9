import Foundation
import Synchronization

/// Threads that take numbered pieces of work until none is left. Threads of their own, because a child ends with the
/// thread that started it.
enum Crew {
  /// Runs `work` for each number, several at a time; the first error that is thrown ends all.
  static func run(_ numbers: Range<Int>, jobs: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
    let state = Mutex((next: numbers.lowerBound, failure: (any Error)?.none))
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, numbers.count)) {
      group.enter()
      let thread = Thread {
        defer { group.leave() }
        while let number = take(state, numbers.upperBound) {
          do {
            try work(number)
          } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
          }
        }
      }
      thread.stackSize = 1 << 22
      thread.start()
    }
    group.wait()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private static func take(_ state: borrowing Mutex<(next: Int, failure: (any Error)?)>, _ end: Int) -> Int? {
    state.withLock { state in
      guard state.next < end, state.failure == nil, !Workplace.current.isEnding else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
