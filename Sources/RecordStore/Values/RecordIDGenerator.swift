import Foundation
import Synchronization

/// Makes record ids that rise strictly within this process and meet no id of any other.
///
/// Randomness is drawn from the system 4 KB at a time: one draw per id would cost more than an insert.
/// Safe to use from any thread.
public final class RecordIDGenerator: Sendable {
  /// For the whole process, by the system's clock.
  public static let shared = RecordIDGenerator()

  private struct State {
    var milliseconds: UInt64 = 0
    var counter: UInt64 = 0
    var random: [UInt64] = []
  }
  private static let maximumCounter: UInt64 = (1 << 24) - 1
  private let clock: WallClock
  private let state = Mutex(State())

  /// A generator with a clock of its own, for tests and simulations.
  public init(clock: WallClock = .system) { self.clock = clock }

  /// Makes an id that is greater than each one that this generator made before.
  public func next() -> RecordID {
    let wall = clock.now()
    return state.withLock { state in
      if wall > state.milliseconds {
        state.milliseconds = wall
        state.counter = 0
      } else if state.counter < Self.maximumCounter {
        // The clock stands or went back: counting keeps ids rising.
        state.counter += 1
      } else {
        state.milliseconds += 1
        state.counter = 0
      }
      if state.random.isEmpty { state.random = SystemRandomness.words(count: 512) }
      let random = state.random.removeLast()
      return RecordID(
        milliseconds: state.milliseconds, counter: state.counter, random: random)
    }
  }
}

extension RecordID {
  /// Puts together the parts of the layout: 48 bits of time, 24 of the counter, 56 random ones.
  init(milliseconds: UInt64, counter: UInt64, random: UInt64) {
    self.init(
      high: milliseconds << 16 | counter >> 8,
      low: counter << 56 | random & ((1 << 56) - 1))
  }

  /// A wholly random id: for store ids, which need no order.
  static func random() -> RecordID {
    let words = SystemRandomness.words(count: 2)
    return RecordID(high: words[0], low: words[1])
  }
}
